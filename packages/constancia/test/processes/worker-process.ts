import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { resultCodeOf } from '../../dist/store/sqlite/driver.js'
import { rawConnection } from '../store/raw.js'
import type { WorkerOrder, WorkerWord } from './worker-words.js'

const program = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const patienceMs = 20_000
const workers = new Set<WorkerProcess>()

/** Ends every worker that is left; for `afterEach`. */
export async function endWorkers(): Promise<void> {
  await Promise.all([...workers].map((worker) => worker.kill()))
}

/** A worker in a process of its own, seen from outside. */
export class WorkerProcess {
  readonly words: WorkerWord[] = []
  readonly #order: WorkerOrder
  readonly #child: ChildProcess
  readonly #heard = new EventEmitter()

  private constructor(order: WorkerOrder) {
    this.#order = order
    this.#child = fork(program, [JSON.stringify(order)], { execArgv: [] })
    this.#child.on('message', (word: WorkerWord) => {
      this.words.push(word)
      this.#heard.emit('word')
    })
    workers.add(this)
  }

  /** Starts one, and returns when it works. */
  static async start(order: WorkerOrder): Promise<WorkerProcess> {
    const worker = new WorkerProcess(order)
    await worker.until('ready')
    return worker
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
        throw new Error(`${this.#order.name} never said "${kind}", only ${JSON.stringify(this.words)}`)
      })
    }
  }

  /** Tells its steps to go on. */
  tell(): void {
    this.#child.send('go')
  }

  /** Stops the process where it holds no lock on the file: else nobody could take over, nor even write. */
  async stop(): Promise<void> {
    for (;;) {
      this.#child.kill('SIGSTOP')
      if (isWritable(this.#order.file)) return
      this.#child.kill('SIGCONT')
      await pause(7)
    }
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  /** Ends it by SIGKILL, and returns when it is gone. */
  async kill(): Promise<void> {
    workers.delete(this)
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}

// Whoever else holds the lock lets go of it by itself.
function isWritable(file: string): boolean {
  const database = rawConnection(file)
  try {
    database.exec('PRAGMA busy_timeout = 200; BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch (error) {
    if (resultCodeOf(error) === 5) return false
    throw error
  } finally {
    database.close()
  }
}
