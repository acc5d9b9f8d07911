/** Starts processes, listens to them, and ends them by force. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Transfer } from './bank.js'
import type { WorkerTask, WorkerWord } from './worker-process.js'

const children = new Set<ChildProcess>()
const patienceMs = 120_000

/** Ends whatever was started here. */
export function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** A worker that is up. */
export class Worker {
  readonly #child: ChildProcess
  readonly #heard: WorkerWord[] = []

  constructor(task: WorkerTask) {
    this.#child = start('worker-process.js', [JSON.stringify(task)])
    this.#child.on('message', (word: WorkerWord) => this.#heard.push(word))
  }

  /** Waits until it tells something of a kind. Throws if it ends before, or says nothing for two minutes. */
  async says<K extends WorkerWord['kind']>(kind: K): Promise<WorkerWord & { readonly kind: K }> {
    for (;;) {
      const word = this.#heard.find((heard) => heard.kind === kind)
      if (word !== undefined) return word as WorkerWord & { readonly kind: K }
      const signal = AbortSignal.timeout(patienceMs)
      await Promise.race([once(this.#child, 'message', { signal }), this.#ended(signal)]).catch((error: unknown) => {
        if (!signal.aborted) throw error
        throw new Error(`A worker was to say that it ${kind}, and for ${patienceMs / 1000} s it said nothing.`)
      })
    }
  }

  /** Lets it hear of the bank's answer. */
  goOn(): void {
    this.#child.send('go on')
  }

  /** Ends it by SIGKILL; returns the signal by which it ended, as the operating system says. */
  async kill(): Promise<string | null> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    const [, signal] = (await gone) as [number | null, string | null]
    return signal
  }

  async #ended(signal: AbortSignal): Promise<never> {
    const [code] = await once(this.#child, 'exit', { signal })
    throw new Error(`A worker ended with code ${code} before it was to.\n${errorsOf(this.#child)}`)
  }
}

/** The process with the bank and the invoices. */
export class Outside {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<Outside> {
    const child = start('outside-process.js', [])
    const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
    return new Outside(child, port)
  }

  /** The bank's own ledger. */
  async ledger(): Promise<readonly Transfer[]> {
    return (await (await fetch(`${this.url}/ledger`)).json()) as readonly Transfer[]
  }

  /** Somebody pays an invoice, past everybody here. */
  async payElsewhere(invoice: string, by: string): Promise<void> {
    await fetch(`${this.url}/invoices/${invoice}/state`, { method: 'POST', body: by })
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill()
    await gone
  }
}

const errors = new WeakMap<ChildProcess, Buffer[]>()

function start(file: string, args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const chunks: Buffer[] = []
  errors.set(child, chunks)
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  children.add(child)
  child.on('exit', () => children.delete(child))
  return child
}

function errorsOf(child: ChildProcess): string {
  return Buffer.concat(errors.get(child) ?? [])
    .toString('utf8')
    .trim()
}
