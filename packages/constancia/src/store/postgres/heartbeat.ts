import { Worker } from 'node:worker_threads'
import type { ClaimId } from '../../journal/index.js'
import type { ClaimRef, Heartbeat, HeartbeatOptions } from '../index.js'
import { systemClock } from '../index.js'
import type { ConnectionOptions } from './driver.js'
import type { FromHeartbeat, HeartbeatData, ToHeartbeat } from './heartbeat-messages.js'

/** Where a heartbeat works, and whom it tells what an operator should know. */
export interface HeartbeatParts {
  readonly connection: ConnectionOptions
  readonly schema: string
  /** How people know the database. */
  readonly place: string
  readonly options: HeartbeatOptions
  readonly warn: (message: string) => void
}

const warnEveryMs = 60_000
const stopMsMax = 1_000

/**
 * Keeps leases alive from a thread with a connection of its own, which starts with the first claim that is held and does
 * not keep the process alive. The main loop ticks a shared number; see `heartbeat-thread.ts`.
 */
export class ThreadHeartbeat implements Heartbeat {
  readonly #parts: HeartbeatParts
  readonly #ticks = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  readonly #held = new Map<ClaimId, ClaimRef>()
  readonly #ticker: NodeJS.Timeout
  #thread: Worker | undefined
  #isStopped = false
  #warnedAtMs: number | undefined

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    const counter = new Int32Array(this.#ticks)
    const tickMs = Math.min(1000, parts.options.leaseMs / 10)
    this.#ticker = setInterval(() => void Atomics.add(counter, 0, 1), tickMs)
    this.#ticker.unref()
    this.#start()
  }

  hold(claim: ClaimRef): void {
    if (this.#isStopped) return
    const { run, id, epoch } = claim
    this.#held.set(id, { run, id, epoch })
    if (this.#thread === undefined) this.#start()
    else this.#say({ kind: 'hold', claim: { run, id, epoch } })
  }

  drop(claim: ClaimRef): void {
    if (this.#held.delete(claim.id))
      this.#say({ kind: 'drop', claim: { run: claim.run, id: claim.id, epoch: claim.epoch } })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#held.clear()
    clearInterval(this.#ticker)
    const thread = this.#thread
    if (thread === undefined) return
    this.#thread = undefined
    thread.ref()
    const exited = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage({ kind: 'stop' } satisfies ToHeartbeat)
    // It may wait for an answer that never comes; nothing of what it does then is of any use.
    const end = setTimeout(() => void thread.terminate(), stopMsMax)
    await exited
    clearTimeout(end)
  }

  #start(): void {
    const { connection, schema, options } = this.#parts
    const { leaseMs, stallMs } = options
    const workerData: HeartbeatData = { connection, schema, leaseMs, stallMs, ticks: this.#ticks }
    // Flags of the process (an inspector, a loader) are none of the thread's.
    const thread = new Worker(new URL('./heartbeat-thread.js', import.meta.url), { workerData, execArgv: [] })
    this.#thread = thread
    thread.on('message', (message: FromHeartbeat) => this.#hear(message))
    thread.on('error', (error) => this.#warn(error.message))
    thread.on('exit', () => this.#startAgain(thread))
    thread.unref()
    for (const claim of this.#held.values()) this.#say({ kind: 'hold', claim })
  }

  // A thread that died of a bug or of missing memory; leases last until the new one is up.
  #startAgain(thread: Worker): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const again = setTimeout(
      () => {
        if (this.#thread === undefined && this.#held.size > 0) this.#start()
      },
      Math.min(1000, this.#parts.options.leaseMs / 10),
    )
    again.unref()
  }

  #say(message: ToHeartbeat): void {
    this.#thread?.postMessage(message)
  }

  #hear(message: FromHeartbeat): void {
    if (message.kind === 'failed') this.#warn(message.reason)
    else if (this.#held.delete(message.claim.id)) this.#parts.options.onLost(message.claim)
  }

  #warn(reason: string): void {
    const nowMs = systemClock.monotonic()
    if (this.#warnedAtMs !== undefined && nowMs - this.#warnedAtMs < warnEveryMs) return
    this.#warnedAtMs = nowMs
    this.#parts.warn(
      `Leases in ${this.#parts.place} could not be prolonged (${reason}). Runs go on here, but other workers may take them once ` +
        'their leases end; nothing is done twice because of it. It is tried again; see that the database can be reached.',
    )
  }
}
