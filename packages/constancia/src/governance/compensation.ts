import type { AnyAction } from './contract/action.js'

/** An effect that has happened and can be taken back. */
interface Done {
  readonly undo: AnyAction
  readonly input: unknown
  readonly output: unknown
}

/** The effects of one run that can be taken back, as its flow has learned of them. */
export class Compensation {
  readonly #done: Done[] = []

  /** Notes an effect, once its outcome was handed over. */
  note(action: AnyAction, input: unknown, output: unknown): void {
    if (action.undo !== undefined) this.#done.push({ undo: action.undo, input, output })
  }

  /**
   * Takes all of it back, the last first, one after the other. What could not be taken back stays noted, with all that came
   * before it; its error is passed on.
   */
  async run(act: (undo: AnyAction, input: unknown) => Promise<unknown>): Promise<void> {
    for (let last = this.#done.at(-1); last !== undefined; last = this.#done.at(-1)) {
      const { undo, input, output } = last
      await act(undo, { input, output })
      const place = this.#done.indexOf(last)
      if (place >= 0) this.#done.splice(place, 1)
    }
  }
}
