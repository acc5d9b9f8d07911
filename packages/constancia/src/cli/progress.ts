import type { Clock } from '../store/index.js'

/** What showing progress needs. */
export interface ProgressInput {
  readonly label: string
  /** Undefined where nobody knows. */
  readonly total: number | undefined
  readonly isTerminal: boolean
  readonly write: (text: string) => void
  readonly clock: Clock
  /** Called when it is over. */
  readonly done: () => void
}

const terminalEveryMs = 100
const logEveryMs = 5_000

/** How far long work is. Short work shows nothing. */
export class Progress {
  readonly #input: ProgressInput
  #shownAtMs: number
  #count = 0
  #isShown = false

  constructor(input: ProgressInput) {
    this.#input = input
    this.#shownAtMs = input.clock.monotonic()
  }

  /** Notes that so much more is done. */
  add(count = 1): void {
    this.#count += count
    const { clock, isTerminal } = this.#input
    const nowMs = clock.monotonic()
    if (nowMs - this.#shownAtMs < (isTerminal ? terminalEveryMs : logEveryMs)) return
    this.#shownAtMs = nowMs
    this.#show()
  }

  /** Takes away the line that moves, so that something else can be written; it comes back by itself. */
  clear(): void {
    if (this.#isShown) this.#input.write('\r\u001b[2K')
    this.#isShown = false
  }

  /** Ends it. */
  end(): void {
    this.clear()
    this.#input.done()
  }

  #show(): void {
    const { label, total, isTerminal, write } = this.#input
    const done = this.#count.toLocaleString('en-US')
    const of = total === undefined ? '' : ` of ${total.toLocaleString('en-US')}`
    const line = `${label} ${done}${of}`
    write(isTerminal ? `\r\u001b[2K${line}` : `${line}\n`)
    this.#isShown = isTerminal
  }
}

const million = 1_000_000

/** Passes bytes on and shows how many millions of them were read; `check` is asked before each piece, and may throw. */
export async function* shownBytes(
  source: AsyncIterable<Uint8Array>,
  progress: Progress,
  check: () => void,
): AsyncGenerator<Uint8Array> {
  let rest = 0
  for await (const piece of source) {
    check()
    yield piece
    rest += piece.length
    const whole = Math.floor(rest / million)
    if (whole > 0) progress.add(whole)
    rest -= whole * million
  }
}
