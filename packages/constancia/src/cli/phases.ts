import type { Progress } from './progress.js'
import type { Terminal } from './terminal.js'

/** How far work is that is done in phases, one after the other; Ctrl-C ends it between two things. */
export class Phases<Name extends string> {
  readonly #terminal: Terminal
  readonly #labels: Readonly<Record<Name, string>>
  #name: Name | undefined
  #progress: Progress | undefined

  constructor(terminal: Terminal, labels: Readonly<Record<Name, string>>) {
    this.#terminal = terminal
    this.#labels = labels
  }

  /** One more thing of a phase is done, of so many, where that is known. Throws `interrupted`. */
  add(name: Name, total?: number): void {
    this.#terminal.interrupts.check()
    if (name !== this.#name) {
      this.#progress?.end()
      this.#progress = this.#terminal.progress(this.#labels[name], total)
      this.#name = name
    }
    this.#progress?.add()
  }

  /** Ends whatever is shown. */
  end(): void {
    this.#progress?.end()
  }
}
