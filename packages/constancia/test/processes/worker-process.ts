import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { WorkerOrder, WorkerWord } from './worker-words.js'

const program = fileURLToPath(new URL('./worker.mjs', import.meta.url))
// A slow machine is no failure.
const patienceMs = 120_000

/** A worker in a process of its own, seen from outside. */
export class WorkerProcess {
  readonly words: WorkerWord[] = []
  readonly #order: WorkerOrder
  readonly #isAtRest: () => Promise<boolean>
  readonly #child: ChildProcess
  readonly #heard = new EventEmitter()

  /** Resolves when the process is gone, with the signal that ended it, or its exit code. */
  readonly gone: Promise<NodeJS.Signals | number | null>

  /** Starts it; `isAtRest` tells whether it holds nothing that others wait for, while it is stopped. */
  constructor(order: WorkerOrder, isAtRest: () => Promise<boolean>) {
    this.#order = order
    this.#isAtRest = isAtRest
    // What Node.js says when it runs out of memory is long, and meant.
    const stdio: StdioOptions = ['ignore', 'ignore', order.flags === undefined ? 'inherit' : 'ignore', 'ipc']
    this.#child = fork(program, [JSON.stringify(order)], { execArgv: [...(order.flags ?? [])], stdio })
    this.gone = once(this.#child, 'exit').then(([code, signal]) => {
      return signal ?? code
    })
    this.#child.on('message', (word: WorkerWord) => {
      this.words.push(word)
      this.#heard.emit('word')
    })
  }

  /** The words of one kind so far. */
  all<K extends WorkerWord['kind']>(kind: K): Extract<WorkerWord, { kind: K }>[] {
    return this.words.filter((word): word is Extract<WorkerWord, { kind: K }> => word.kind === kind)
  }

  /** Waits for the first word of a kind. Throws if it does not come. */
  async until<K extends WorkerWord['kind']>(kind: K): Promise<Extract<WorkerWord, { kind: K }>> {
    const limit = AbortSignal.timeout(patienceMs)
    for (;;) {
      const [found] = this.all(kind)
      if (found !== undefined) return found
      await once(this.#heard, 'word', { signal: limit }).catch(() => {
        throw new Error(`${this.#order.worker.name} never said "${kind}", only ${JSON.stringify(this.words)}`)
      })
    }
  }

  /** Tells its steps to go on. */
  tell(): void {
    this.#child.send('go')
  }

  /** Stops the process where it holds no lock in the store: else nobody could take over, nor even write. */
  async stop(): Promise<void> {
    for (;;) {
      this.#child.kill('SIGSTOP')
      if (await this.#isAtRest()) return
      this.#child.kill('SIGCONT')
      await pause(7)
    }
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  /** Ends it by SIGKILL, and returns when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.gone
  }

  /** Asks it to end, as whoever deploys does; returns when it is gone, with its exit code. */
  async end(): Promise<NodeJS.Signals | number | null> {
    this.#child.kill('SIGTERM')
    return this.gone
  }
}
