import type { ClaimId, RunId } from '../journal/index.js'
import {
  type Change,
  type Claim,
  type ClaimedFlow,
  type ClaimRef,
  type Heartbeat,
  isSuspect,
  type Store,
  type WorkerNote,
} from '../store/index.js'
import { Announcer } from './announcer.js'
import { Dispatcher } from './dispatcher.js'
import type { Drained, Draining } from './drained.js'
import { days, minutes, seconds } from './duration.js'
import { engineError, isLoss } from './errors.js'
import { Execution } from './execution.js'
import type { ExecutionEnd } from './execution-end.js'
import { FaultReports } from './fault-reports.js'
import type { AnyFlow } from './flow.js'
import { Lease } from './lease.js'
import type { Parts } from './parts.js'
import { type FlowRegistry, keyOf } from './registry.js'
import { Setbacks } from './setbacks.js'

/** How a worker works. */
export interface WorkerOptions {
  /** Names this worker for people; its process id unless set. */
  readonly name: string
  /** Runs in memory at once. */
  readonly concurrency: number
  /** Milliseconds until others may take a run whose worker went silent. */
  readonly leaseMs: number
  /** Milliseconds between looks for due runs; hints make it look sooner. */
  readonly pollMs: number
  /** Milliseconds without a tick of the main loop after which its claims are given up. */
  readonly stallMs: number
  /** Milliseconds that attempts under way get when the worker is stopped. */
  readonly graceMs: number
  /** How often in a row a run's lease may run out, without an event in between, until the run is set aside. */
  readonly lostLeaseCountMax: number
}

/** 256 runs at once, a lease of a minute, a look each second, given up after 5 minutes, half a minute of grace, 5 lost leases. */
export const defaultWorker: WorkerOptions = {
  name: `worker-${process.pid}`,
  concurrency: 256,
  leaseMs: minutes(1),
  pollMs: seconds(1),
  stallMs: minutes(5),
  graceMs: seconds(30),
  lostLeaseCountMax: 5,
}

/** What a worker works with. */
export interface WorkerInput {
  readonly store: Store
  readonly flows: FlowRegistry
  readonly parts: Parts
  readonly options: WorkerOptions
  /** Told of each execution that is over. */
  readonly onOver: (run: RunId, end: ExecutionEnd) => void
}

interface Active {
  readonly claim: Claim
  readonly execution: Execution
  readonly over: Promise<void>
}

/** Claims runs that are due and advances them, many at once, until it is stopped. */
export class Worker {
  readonly #input: WorkerInput
  readonly #active = new Map<RunId, Active>()
  // Claims of runs that may be what ended their workers before, as long as they have written nothing.
  readonly #suspects = new Set<ClaimId>()
  readonly #heartbeat: Heartbeat
  readonly #setbacks: Setbacks
  readonly #dispatcher: Dispatcher
  readonly #faults: FaultReports
  readonly #announcer: Announcer
  readonly #id: string
  readonly #drained: Draining = { givenBack: [], cutOff: [], notGivenBack: [] }
  // Runs that are being given back although their executions do not know.
  readonly #givingBack = new Map<ClaimId, Promise<void>>()
  #stopping: Promise<Drained> | undefined
  #claiming = false
  #looking: Promise<void> = Promise.resolve()
  #again = false
  #stopped = false
  #storeIsDown = false
  #disarm: () => void = () => undefined

  constructor(input: WorkerInput) {
    this.#input = input
    const { leaseMs, stallMs, pollMs } = input.options
    const release = (claim: Claim): Promise<void> => (this.#stopped ? this.#giveBack(claim) : this.#release(claim))
    this.#setbacks = new Setbacks({ clock: input.parts.clock, delayMsFirst: pollMs, delayMsMax: leaseMs, release })
    this.#dispatcher = new Dispatcher(input)
    this.#faults = new FaultReports(input.parts)
    this.#id = Buffer.from(input.parts.randomBytes(workerIdBytes)).toString('hex')
    this.#announcer = new Announcer({ ...input, note: noteOf(input, this.#id), leaseMs, pollMs })
    this.#heartbeat = input.store.heartbeat({ leaseMs, stallMs, onLost: (claim) => this.#lost(claim) })
  }

  /** How it works on runs. */
  get options(): WorkerOptions {
    return this.#input.options
  }

  /** Runs in memory now. */
  get activeCount(): number {
    return this.#active.size
  }

  /** Looks for due runs now. */
  look(): void {
    this.#announcer.beat()
    this.#dispatcher.look()
    this.#lookForRuns()
  }

  #lookForRuns(): void {
    this.#again = true
    if (!this.#claiming && !this.#stopped) this.#looking = this.#claimAll()
  }

  /** Takes a hint of the store. */
  notice(change: Change): void {
    if (change.run !== undefined) this.#active.get(change.run)?.execution.poke(change.headSeq)
    else if (change.byOwner !== true) for (const active of this.#active.values()) active.execution.poke(undefined)
    if (change.outbox) this.#dispatcher.look()
    if (change.due) this.#lookForRuns()
  }

  /**
   * Claims nothing more; lets attempts under way end, for `graceMs` at most; gives every run back and tells which. Called again it
   * does nothing more.
   */
  stop(): Promise<Drained> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<Drained> {
    this.#stopped = true
    this.#disarm()
    const { clock } = this.#input.parts
    if (this.#active.size > 0) this.#announcer.drain()
    for (const active of this.#active.values()) active.execution.stop()
    const disarmGrace = clock.after(this.#input.options.graceMs, () => this.#giveBackAll())
    await this.#dispatcher.stop()
    await this.#looking // What it still takes is given back.
    await Promise.all([...this.#active.values()].map((active) => active.over))
    disarmGrace()
    await Promise.all(this.#givingBack.values())
    await this.#setbacks.stop()
    await this.#heartbeat.stop()
    this.#faults.stop()
    await this.#announcer.stop()
    return this.#drained
  }

  async #claimAll(): Promise<void> {
    this.#claiming = true
    this.#disarm()
    let nextDueAtMs: number | undefined
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        // Runs whose ends came with one commit are all over first: a claim fills all of their places at once.
        await soon
        nextDueAtMs = await this.#claimOnce()
      }
      this.#storeIsDown = false
    } catch (error) {
      this.#reportDown(error)
    }
    this.#claiming = false
    if (!this.#stopped) this.#armNextLook(nextDueAtMs)
  }

  async #claimOnce(): Promise<number | undefined> {
    const { store, flows, options } = this.#input
    const free = options.concurrency - this.#active.size
    if (free <= 0) return undefined // The end of an execution looks again.
    const limit = Math.min(free, claimCountMax)
    const { leaseMs, lostLeaseCountMax } = options
    const suspectCountMax = this.#suspects.size === 0 ? 1 : 0
    const asked = { limit, leaseMs, lostLeaseCountMax, suspectCountMax }
    const request = { worker: options.name, workerId: this.#id, flows: flows.all.map(claimed), ...asked }
    const askedMs = this.#input.parts.clock.monotonic()
    const { claims, nextDueAtMs, setAside, nowMs } = await store.claim(request)
    this.#input.parts.governing?.basis.noteTime(nowMs)
    for (const run of setAside) this.#reportSetAside(run)
    for (const claim of claims) this.#begin(claim, askedMs)
    if (claims.length === limit) this.#again = true
    return nextDueAtMs
  }

  #armNextLook(nextDueAtMs: number | undefined): void {
    const { clock } = this.#input.parts
    const untilDueMs = nextDueAtMs === undefined || this.#isFull ? Infinity : Math.max(0, nextDueAtMs - clock.now())
    this.#disarm = clock.after(Math.min(this.#input.options.pollMs, untilDueMs), () => this.look())
  }

  // Others of its flow may have waited for it.
  #isLimited({ flow, version }: Claim): boolean {
    const { running, runningPerKey } = this.#input.flows.find(flow, version)?.concurrency ?? {}
    return running !== undefined || runningPerKey !== undefined
  }

  get #isFull(): boolean {
    return this.#active.size >= this.#input.options.concurrency
  }

  #begin(claim: Claim, takenMs: number): void {
    const { store, flows, parts } = this.#input
    const flow = flows.find(claim.flow, claim.version)
    if (flow === undefined || this.#stopped) {
      this.#givingBack.set(claim.id, this.#giveBack(claim))
      return
    }
    // Its own lease ran out unnoticed and it got the run again: what it did under the old claim counts for nothing.
    this.#active.get(claim.run)?.execution.abandon('lost')
    const { graceMs, leaseMs } = this.#input.options
    const lease = new Lease({ store, claim, clock: parts.clock, leaseMs, takenMs })
    const suspected = isSuspect(claim.lostLeaseCount)
    if (suspected) this.#suspects.add(claim.id)
    const onWritten = suspected ? (): void => this.#acquit(claim) : undefined
    const execution = new Execution({ store, claim, flow, parts, graceMs, lease, onWritten })
    this.#heartbeat.hold(claim)
    const over = execution.execute().then((end) => this.#ended(claim, end))
    this.#active.set(claim.run, { claim, execution, over })
  }

  // It gets on, or is over: its count begins anew, and the next one may be tried.
  #acquit(claim: Claim): void {
    if (this.#suspects.delete(claim.id)) this.#lookForRuns()
  }

  async #ended(claim: Claim, end: ExecutionEnd): Promise<void> {
    this.#heartbeat.drop(claim)
    if (end.kind === 'fault')
      this.#faults.add({ run: claim.run, flow: keyOf(claim.flow, claim.version), error: end.error })
    if (end.kind === 'stuck') this.#reportStuck(claim, end.message)
    if (this.#active.get(claim.run)?.claim === claim) {
      const wasFull = this.#isFull
      this.#active.delete(claim.run)
      if (wasFull || this.#isLimited(claim)) this.#lookForRuns()
    }
    this.#acquit(claim)
    this.#input.onOver(claim.run, end)
    if (end.kind !== 'fault') this.#setbacks.forget(claim.run)
    else if (this.#stopped) await this.#giveBack(claim)
    else await this.#setbacks.giveBack(claim)
    const isGivenBack = end.kind === 'released' && this.#stopped && !this.#givingBack.has(claim.id)
    if (isGivenBack) this.#drained.givenBack.push(claim.run)
  }

  #lost(lost: ClaimRef): void {
    const active = this.#active.get(lost.run)
    if (active?.claim.id === lost.id) active.execution.abandon('lost')
  }

  #giveBackAll(): void {
    for (const { claim, execution } of this.#active.values()) {
      this.#givingBack.set(claim.id, this.#giveBack(claim, execution.hasAttempts ? 'cutOff' : 'givenBack'))
      execution.abandon('released')
    }
  }

  // One that is lost is somebody else's already.
  async #giveBack(claim: ClaimRef, how: 'givenBack' | 'cutOff' = 'givenBack'): Promise<void> {
    try {
      if (await this.#input.store.release(claim)) this.#drained[how].push(claim.run)
    } catch {
      this.#drained.notGivenBack.push(claim.run)
    }
  }

  // Without it the run waits for its lease to run out; that is all that is lost when this fails too.
  async #release(claim: ClaimRef): Promise<void> {
    await this.#input.store.release(claim).catch(() => false)
  }

  #reportStuck(claim: Claim, message: string): void {
    this.#input.parts.log('error', `A run is stuck. ${message}`, {
      run: claim.run,
      flow: keyOf(claim.flow, claim.version),
    })
  }

  #reportSetAside(run: RunId): void {
    const { lostLeaseCountMax, name: worker } = this.#input.options
    const message =
      'A run was set aside: its workers went silent again and again while they had it. Look at what its step does to the process, then retry it.'
    this.#input.parts.log('error', message, { run, worker, lostLeaseCountMax })
  }

  #reportDown(error: unknown): void {
    if (!this.#storeIsDown && !isLoss(error)) {
      const message = 'The store does not answer. No run is lost; this worker keeps looking.'
      this.#input.parts.log('error', message, { worker: this.#input.options.name, error: String(error) })
    }
    this.#storeIsDown = true
  }
}

const soon = Promise.resolve()

// A claim of thousands would keep the database, and the memory of as many journals, for too long.
const claimCountMax = 500

const workerIdBytes = 6

function noteOf({ flows, options, parts }: WorkerInput, id: string): Omit<WorkerNote, 'state'> {
  const { name, concurrency } = options
  const has = flows.all.map((flow) => ({ flow: flow.name, version: flow.version }))
  return { ...parts.self, id, name, pid: process.pid, flows: has, concurrency }
}

function claimed({ name, version, concurrency: { running, runningPerKey } }: AnyFlow): ClaimedFlow {
  return {
    flow: name,
    version,
    ...(running === undefined ? {} : { runningMax: running }),
    ...(runningPerKey === undefined ? {} : { runningPerKeyMax: runningPerKey }),
  }
}

/** Completes worker options. Throws `invalid_option` for numbers that make no sense. */
export function workerOptions(options: Partial<WorkerOptions> = {}): WorkerOptions {
  const whole = { ...defaultWorker, ...options }
  for (const field of ['concurrency', 'leaseMs', 'pollMs', 'stallMs', 'graceMs', 'lostLeaseCountMax'] as const) {
    const least = field === 'graceMs' ? 0 : 1
    const value: unknown = whole[field]
    if (typeof value === 'number' && value >= least && value <= days(366)) continue
    throw engineError(
      'invalid_option',
      `A worker's ${field} is a number from ${least} to ${days(366)}, but it was ${String(value)}. No worker was started.`,
    )
  }
  return whole
}
