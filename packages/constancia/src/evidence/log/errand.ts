/** Tells an operator something. */
export type Tell = (level: 'info' | 'warn' | 'error', message: string) => void

/** What is done again and again, and how an operator is told of it. */
export interface ErrandParts {
  readonly tell: Tell
  /** Does it once. */
  readonly act: () => Promise<void>
  /** Told when it works again. */
  readonly works: string
  /** Told when it fails for the first time. */
  readonly fails: (reason: string) => string
  /** How grave a failure is; `warn` unless set. */
  readonly levelOf?: (error: unknown) => 'warn' | 'error'
}

/** Something that may fail and is then done again the next time: one at a time, and who looks after it is told once, not each time. */
export class Errand {
  readonly #parts: ErrandParts
  #underway: Promise<void> | undefined
  #hasFailed = false

  constructor(parts: ErrandParts) {
    this.#parts = parts
  }

  /** Does it, or waits for the one that is under way. Never rejects. */
  run(): Promise<void> {
    this.#underway ??= this.#run().finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    await this.#underway
  }

  async #run(): Promise<void> {
    const { tell, act, works, fails, levelOf } = this.#parts
    try {
      await act()
      if (this.#hasFailed) tell('info', works)
      this.#hasFailed = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#hasFailed) tell(levelOf?.(error) ?? 'warn', fails(reason))
      this.#hasFailed = true
    }
  }
}
