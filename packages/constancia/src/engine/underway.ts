import type { Attempt } from './attempt.js'

/** What is under way for one run: attempts of its steps, and outcomes that somebody holds back. */
export class Underway {
  readonly #attempts = new Set<Attempt>()
  readonly #onAttempt: (phase: 'began' | 'over') => void
  readonly #cancelled: { readonly attempt: Attempt; readonly reason: unknown }[] = []
  #heldCount = 0

  constructor(onAttempt: (phase: 'began' | 'over') => void) {
    this.#onAttempt = onAttempt
  }

  /** Attempts whose function has not returned. */
  get attemptCount(): number {
    return this.#attempts.size
  }

  /** Whether there is nothing of it. */
  get isNothing(): boolean {
    return this.#attempts.size === 0 && this.#heldCount === 0
  }

  began(attempt: Attempt): void {
    this.#attempts.add(attempt)
    this.#onAttempt('began')
  }

  ended(attempt: Attempt): void {
    this.#attempts.delete(attempt)
    this.#onAttempt('over')
  }

  /** Goes on once it is let go. */
  hold(held: Promise<void>, goOn: () => void): void {
    this.#heldCount += 1
    void held.then(() => {
      this.#heldCount -= 1
      goOn()
    })
  }

  /** The attempts are dead: what they still bring counts for nothing. They are told later. */
  cancel(reason: unknown): void {
    for (const attempt of [...this.#attempts]) {
      if (attempt.outlivesCancel) continue
      attempt.isOver = true
      this.ended(attempt)
      this.#cancelled.push({ attempt, reason })
    }
  }

  /** Tells those that were cancelled. Outside turns only: whoever listens is user code, and a replay does not call it. */
  abortCancelled(): void {
    if (this.#cancelled.length === 0) return
    for (const { attempt, reason } of this.#cancelled.splice(0)) attempt.abort(reason)
  }

  /** Tells the attempts that this worker is done with the run, in whatever way. */
  abandon(how: string): void {
    this.abortCancelled()
    for (const attempt of this.#attempts) attempt.abandon(how)
  }
}
