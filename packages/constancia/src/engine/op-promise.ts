const silent = (): undefined => undefined

// Whether a promise is being derived from ours; it is one of ours as well then.
let deriving = false

/**
 * What every word of `ctx` returns. A failure that is awaited later, or never, is no unhandled rejection: it is in the
 * journal. `observed` tells whether anybody ever asked for the outcome. Promises derived from it are silent as well.
 */
export class OpPromise<T> extends Promise<T> {
  observed = false

  /**
   * What `await` and the combinators read of a promise before anything else: so it notices them. Because it names the
   * language's own class, `await` takes the promise as it is, without a detour over `then` and three promises more.
   */
  override get ['constructor'](): PromiseConstructor {
    this.observed = true
    return deriving ? OpPromise : Promise
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise, and being awaited is what it has to notice.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): OpPromise<A | B> {
    this.observed = true
    const derived = derive(() => super.then(onFulfilled, onRejected)) as OpPromise<A | B>
    silence(derived)
    return derived
  }
}

// Nothing of the user's runs meanwhile: `then` only notes what is to be called.
function derive<T>(then: () => Promise<T>): Promise<T> {
  deriving = true
  try {
    return then()
  } finally {
    deriving = false
  }
}

/** A promise that settles from outside, and never counts as unhandled. */
export class Deferred<T> {
  readonly promise: OpPromise<T>
  #fulfil!: (value: T) => void
  #fail!: (reason: unknown) => void

  constructor() {
    this.promise = new OpPromise<T>((fulfil, fail) => {
      this.#fulfil = fulfil
      this.#fail = fail
    })
  }

  resolve(value: T): void {
    this.#fulfil(value)
  }

  reject(reason: unknown): void {
    silence(this.promise)
    this.#fail(reason)
  }
}

/** A promise that is rejected already. */
export function rejected<T>(reason: unknown): OpPromise<T> {
  const deferred = new Deferred<T>()
  deferred.reject(reason)
  return deferred.promise
}

/** Wraps a promise of user code so that it is silent too. */
export function silenced<T>(promise: Promise<T>): OpPromise<T> {
  const wrapped = new OpPromise<T>((resolve) => resolve(promise))
  silence(wrapped)
  return wrapped
}

// Called on Promise.prototype itself, and what it notes is taken back: this is nobody's asking.
function silence(promise: OpPromise<unknown>): void {
  const { observed } = promise
  Promise.prototype.then.call(promise, undefined, silent)
  promise.observed = observed
}
