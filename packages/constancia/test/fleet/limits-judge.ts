import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A run that stands at the judge's: its step is being executed. */
export interface Standing {
  readonly run: string
  readonly flow: string
  readonly key?: string
  readonly rank?: number
  readonly worker: string
}

/** How many may stand here at once, of a flow and of each of its keys. */
export interface Bounds {
  readonly running: number
  readonly runningPerKey: number
}

const patienceMs = 120_000

/**
 * Judges from outside who is worked on: each run knocks here in its step and stands until it is let go, so at any moment as many
 * runs are being executed as stand here. A worker that was killed executes nothing any more.
 */
export class Judge {
  /** Everybody who ever knocked, in that order; a run whose worker was killed knocks again. */
  readonly knocks: Standing[] = []
  /** What was seen and must never be. */
  readonly offences: string[] = []
  readonly #bounds: Readonly<Record<string, Bounds>>
  readonly #standing = new Map<Standing, ServerResponse>()
  readonly #dead = new Set<string>()
  readonly #heard = new EventEmitter()
  #server: Server | undefined
  #isOpen = false

  constructor(bounds: Readonly<Record<string, Bounds>> = {}) {
    this.#bounds = bounds
  }

  async open(): Promise<string> {
    this.#server = createServer((request, response) => void this.#hear(request, response))
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** Who stands here now, in the order in which they knocked. */
  get standing(): readonly Standing[] {
    return [...this.#standing.keys()]
  }

  /** Lets one go: its step is over. */
  letGo(one: Standing): void {
    const response = this.#standing.get(one)
    this.#standing.delete(one)
    // Where its worker was killed meanwhile nobody hears it.
    response?.end('{}')
  }

  /** From now on everybody goes on at once. */
  letAllGo(): void {
    this.#isOpen = true
    for (const one of this.standing) this.letGo(one)
  }

  /** A worker is gone, and nothing of it is executed any more. */
  bury(worker: string): void {
    this.#dead.add(worker)
    for (const one of this.standing) if (one.worker === worker) this.#standing.delete(one)
  }

  /** Waits until something holds; looks whenever somebody knocks. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const signal = AbortSignal.timeout(patienceMs)
    while (!holds()) {
      await once(this.#heard, 'knock', { signal }).catch(() => {
        throw new Error(`Waited in vain until ${what}; ${JSON.stringify(this.standing)} stand there.`)
      })
    }
  }

  /** Waits until so many knocked, all in all. */
  untilKnocks(count: number): Promise<void> {
    return this.until(() => this.knocks.length >= count, `${count} knocked (it were ${this.knocks.length})`)
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((done) => (this.#server === undefined ? done(undefined) : this.#server.close(done)))
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const one = JSON.parse(text) as Standing
    if (this.#dead.has(one.worker)) return
    this.knocks.push(one)
    this.#standing.set(one, response)
    this.#check(one)
    if (this.#isOpen) this.letGo(one)
    this.#heard.emit('knock')
  }

  #check({ run, flow, key }: Standing): void {
    const all = this.standing
    if (all.filter((other) => other.run === run).length > 1) this.offences.push(`${run} is executed twice at once`)
    const bounds = this.#bounds[flow]
    if (bounds === undefined) return
    const ofFlow = all.filter((other) => other.flow === flow)
    const ofKey = ofFlow.filter((other) => other.key === key)
    if (ofFlow.length > bounds.running) this.offences.push(`${ofFlow.length} runs of ${flow} at once`)
    if (ofKey.length > bounds.runningPerKey)
      this.offences.push(`${ofKey.length} runs of ${flow} with key ${key} at once`)
  }
}
