const silent = (): undefined => undefined

/**
 * What every word of `ctx` returns. A failure that is awaited later, or never, is no unhandled rejection: it is in the
 * journal. `observed` tells whether anybody ever asked for the outcome. Promises derived from it are silent as well.
 */
export class OpPromise<T> extends Promise<T> {
  observed = false

  // biome-ignore lint/suspicious/noThenProperty: this is a promise, and being awaited is what it has to notice.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): OpPromise<A | B> {
    this.observed = true
    const derived = super.then(onFulfilled, onRejected) as OpPromise<A | B>
    silence(derived)
    return derived
  }
}

/** A promise with its two handles. */
export interface Deferred<T> {
  readonly promise: OpPromise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

/** Makes a promise that settles from outside, and never counts as unhandled. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new OpPromise<T>((onFulfilled, onRejected) => {
    resolve = onFulfilled
    reject = onRejected
  })
  silence(promise)
  return { promise, resolve, reject }
}

/** A promise that is rejected already. */
export function rejected<T>(reason: unknown): OpPromise<T> {
  const { promise, reject } = deferred<T>()
  reject(reason)
  return promise
}

/** Wraps a promise of user code so that it is silent too. */
export function silenced<T>(promise: Promise<T>): OpPromise<T> {
  const wrapped = new OpPromise<T>((resolve) => resolve(promise))
  silence(wrapped)
  return wrapped
}

// Called on Promise.prototype itself: the method of OpPromise would count it as somebody asking.
function silence(promise: Promise<unknown>): void {
  Promise.prototype.then.call(promise, undefined, silent)
}
