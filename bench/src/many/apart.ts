import { type ChildProcess, fork } from 'node:child_process'
import type { Order } from './orders.js'

const main = new URL('./main.js', import.meta.url)

/** A process of its own that does one thing and tells of it. */
export class Apart<Told> {
  readonly #child: ChildProcess
  readonly #told: Told[] = []
  #listener: ((told: Told | undefined) => void) | undefined
  #isOver = false

  constructor(order: Order) {
    this.#child = fork(main, [JSON.stringify(order)], { execArgv: ['--expose-gc'] })
    this.#child.on('message', (told) => this.#hear(told as Told))
    this.#child.on('exit', () => {
      this.#isOver = true
      this.#listener?.(undefined)
    })
  }

  /** What it tells next. Rejects if it ends without telling anything more. */
  async next(): Promise<Told> {
    const told = this.#told.length > 0 ? this.#told.shift() : this.#isOver ? undefined : await this.#soon()
    if (told === undefined) throw new Error('A process that was to measure something ended and told nothing.')
    return told
  }

  /** Lets it go on, where it waits for that. */
  go(): void {
    this.#child.send('go')
  }

  /** Asks it to end; resolves when it has. */
  async end(): Promise<void> {
    if (this.#isOver) return
    const over = new Promise((resolve) => this.#child.once('exit', resolve))
    if (this.#child.connected) this.#child.send('end')
    await over
  }

  #soon(): Promise<Told | undefined> {
    return new Promise((resolve) => {
      this.#listener = resolve
    })
  }

  #hear(told: Told): void {
    const listener = this.#listener
    this.#listener = undefined
    if (listener === undefined) this.#told.push(told)
    else listener(told)
  }
}

/** Does one thing in a process of its own and returns what it told at its end. */
export async function apart<Told>(order: Order): Promise<Told> {
  const process = new Apart<Told>(order)
  const told = await process.next()
  await process.end()
  return told
}
