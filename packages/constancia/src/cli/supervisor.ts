import { type ChildProcess, spawn } from 'node:child_process'
import { systemClock } from '../store/index.js'

/** What a supervisor works with. */
export interface SupervisorInput {
  readonly say: (text: string) => void
  /** Told where the worker's database is. */
  readonly onDatabase: (file: string) => void
}

/** What a worker tells whoever watches over it. */
export interface WorkerNews {
  /** Absolute path of the database that it is about to open. */
  readonly database: string
}

/** What a worker is told when it is to give its runs back and end. */
export const stopWord = 'stop'

// Editors write a file in several strokes.
const settleMs = 100

/** Keeps one worker process up, and replaces it when the code has changed: never two at once. */
export class Supervisor {
  readonly #say: (text: string) => void
  readonly #onDatabase: (file: string) => void
  #child: ChildProcess | undefined
  #isStopping = false
  #isWanted = false
  #disarm: (() => void) | undefined
  #onExit: () => void = () => undefined

  constructor({ say, onDatabase }: SupervisorInput) {
    this.#say = say
    this.#onDatabase = onDatabase
  }

  /** Starts the worker. */
  start(): void {
    const { execPath, execArgv, argv, env } = process
    const child = spawn(execPath, [...execArgv, ...argv.slice(1)], {
      env: { ...env, CONSTANCIA_DEV_WORKER: '1' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child = child
    child.on('message', (news) => this.#onDatabase((news as WorkerNews).database))
    child.once('exit', (code, signal) => this.#ended(code, signal))
  }

  /** Replaces the worker soon, once it has drained, because this file changed. */
  restart(name: string): void {
    if (this.#isStopping) return
    this.#disarm?.()
    this.#disarm = systemClock.after(settleMs, () => {
      this.#disarm = undefined
      // Editors write beside a file first: what changed last is the file itself.
      this.#say(`${name} changed; restarting the worker`)
      this.#isWanted = true
      if (this.#child === undefined) this.#startWanted()
      else tellToStop(this.#child)
    })
  }

  /** Ends the worker, once it has drained. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#disarm?.()
    if (this.#child === undefined) return
    const ended = new Promise<void>((resolve) => {
      this.#onExit = resolve
    })
    tellToStop(this.#child)
    await ended
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = undefined
    this.#onExit()
    if (this.#isStopping) return
    if (this.#isWanted) return this.#startWanted()
    this.#say(`the worker ended (${signal ?? `exit code ${code}`}); waiting for a change`)
  }

  #startWanted(): void {
    this.#isWanted = false
    this.start()
  }
}

// A worker that has just ended by itself hears nothing, which is as well.
function tellToStop(child: ChildProcess): void {
  child.send(stopWord, () => undefined)
}
