import { randomBytes } from 'node:crypto'
import {
  bodyOf,
  checkId,
  defaultLimits,
  draftOf,
  encodeValue,
  type Limits,
  nothingSeen,
  type OutboxEntry,
  parseRunId,
  type RunId,
  runStream,
} from '../journal/index.js'
import {
  type Decision,
  heldLoss,
  type Loss,
  type OutboxQuery,
  type Page,
  parkedBecause,
  type RunQuery,
  type RunRow,
  rolledBackCode,
  type Store,
  type StoreFactory,
  systemClock,
} from '../store/index.js'
import { seenBy } from './basis.js'
import type { Companion } from './companion.js'
import { keyOfInput } from './declare.js'
import { unknownRun } from './deliver.js'
import type { Drained } from './drained.js'
import { Ends } from './ends.js'
import { engineError } from './errors.js'
import { type Fleet, type FleetWorker, fleetOf } from './fleet.js'
import type { AnyFlow, Flow } from './flow.js'
import { Gate } from './gate.js'
import { type Logger, stderrLogger } from './log.js'
import { newRunId } from './new-id.js'
import { openStore } from './open-store.js'
import type { Parts } from './parts.js'
import { priorityFact, requirePriority } from './priority.js'
import { FlowRegistry, keyOf } from './registry.js'
import { type Rehearsal, rehearse } from './rehearsal.js'
import { Run, type RunAccess } from './run.js'
import { parseWith } from './schema.js'
import { Sender } from './sender.js'
import { Worker, type WorkerOptions, workerOptions } from './worker.js'

/** What {@link open} takes. */
export interface OpenOptions {
  /** Where journals live: `sqlite({ file })`. */
  readonly store: StoreFactory
  readonly flows: readonly AnyFlow[]
  /** How this process works on runs; false if it only starts and looks. */
  readonly worker?: Partial<WorkerOptions> | false
  readonly log?: Logger
  readonly limits?: Partial<Limits>
  /**
   * A file outside the database in which this process keeps how far that had come, so that a database which lost its newest part is
   * noticed: by a restore, or by a failover to a server that did not have everything. Made where there is none; its folder is not.
   * Processes of one machine may share it. Unset, nothing is compared.
   */
  readonly mark?: string
  /** For tests and simulators: time, randomness and scheduling of their own. */
  readonly parts?: Partial<Parts>
}

/** How to start a run. */
export interface StartOptions {
  /** Starting the same id again, with the same flow and input, changes nothing. A fresh one unless set. */
  readonly id?: string
  /** The principal as whom the run acts; a pseudonym. */
  readonly actor?: string
  /**
   * A whole number from -100 to 100; that of the flow unless set. Of the runs of a flow that are due, those of the highest
   * priority are taken first, then those that are due longest. Durable with the start; it never changes.
   */
  readonly priority?: number
  /**
   * Whether its caller is to be told what becomes of it: of each message to the user, of approvals that are asked for and resolved, of
   * resumptions that are put off or denied, in it and in its children, and of its end. Each is put into the outbox in the transaction of its
   * event, and stays there until it is delivered or its run is purged: see {@link Runtime.outbox} and {@link Runtime.settle}. Durable
   * with the start; it never changes. Set it only where something delivers.
   */
  readonly notify?: boolean
}

/**
 * Opens a store and, unless told otherwise, a worker on it. Keeps the process alive until it is closed. Throws faults of the
 * store, each of which says what to do, and `invalid_option`.
 */
export async function open(options: OpenOptions): Promise<Runtime> {
  const flows = new FlowRegistry(options.flows)
  const worker = options.worker === false ? undefined : workerOptions(options.worker)
  const parts = completeParts(options)
  const opened = await openStore(options, parts)
  try {
    parts.governing?.attach(opened.store)
    const companion = await parts.companion?.(opened.store)
    return new Runtime({ ...opened, flows, parts, worker, companion })
  } catch (error) {
    await opened.store.close()
    throw error
  }
}

function completeParts(options: OpenOptions): Parts {
  return {
    clock: systemClock,
    randomBytes,
    immediate: (call) => void setImmediate(call),
    hold: () => undefined,
    onAttempt: () => undefined,
    governing: undefined,
    log: options.log ?? stderrLogger,
    limits: { ...defaultLimits, ...options.limits },
    self: { host: 'unknown', program: 'unknown' },
    ...options.parts,
  }
}

interface RuntimeInput {
  readonly store: Store
  readonly flows: FlowRegistry
  readonly parts: Parts
  readonly worker: WorkerOptions | undefined
  readonly companion?: Companion | undefined
  /** Tells what the database has lost, where somebody watches over that. */
  readonly loss?: () => Promise<Loss | undefined>
}

/** A store, the flows of this process, and perhaps a worker. */
export class Runtime {
  readonly #store: Store
  readonly #flows: FlowRegistry
  readonly #parts: Parts
  readonly #worker: Worker | undefined
  readonly #companion: Companion | undefined
  readonly #loss: () => Promise<Loss | undefined>
  readonly #ends: Ends
  readonly #starts = new Gate(startsAtOnceMax)
  readonly #unwatch: () => void
  readonly #access: RunAccess
  #closing: Promise<void> | undefined

  constructor(input: RuntimeInput) {
    const { store, flows, parts } = input
    this.#store = store
    this.#flows = flows
    this.#parts = parts
    this.#companion = input.companion
    this.#loss = input.loss ?? (() => heldLoss(store))
    this.#ends = new Ends({ store, clock: parts.clock, pollMs: input.worker?.pollMs ?? 1_000 })
    const onOver = (run: RunId): void => void this.#ends.look(run)
    this.#worker = input.worker && new Worker({ store, flows, parts, options: input.worker, onOver })
    this.#unwatch = store.watch((change) => {
      this.#ends.notice(change)
      this.#worker?.notice(change)
    })
    const sender = new Sender(store, parts)
    this.#access = {
      store,
      row: (run) => this.#row(run),
      ended: (run) => this.#ends.of(run),
      signal: async (run, name, send) => this.#open(sender).signal(run, name, send),
      retry: async (run, note) => this.#open(sender).retry(run, note),
      cancel: async (run, options) => {
        const answer = await this.#open(sender).cancel(run, options)
        if (options.force === true) this.#ends.lookSoon()
        return answer
      },
    }
    this.#worker?.look()
  }

  /** The store and what it runs with, in a line. */
  describe(): string {
    return this.#store.describe()
  }

  /**
   * Starts a run. When this resolves the run is durable: it happens, whatever becomes of this process. Of starts that are
   * begun faster than the store can write them, all but 1,024 wait their turn. Throws `invalid_value`, `not_serializable`, `value_too_large`, `invalid_id`, `invalid_option` for a priority, `unknown_flow`, `run_purged`, or `run_exists` where the id belongs
   * to a run of another flow or with another input; then nothing was done.
   */
  start<Input, Output>(flow: Flow<Input, Output>, input: Input, options: StartOptions = {}): Promise<Run<Output>> {
    return this.#starts.pass(() => this.#start(flow, input, options))
  }

  async #start<Input, Output>(flow: Flow<Input, Output>, input: Input, options: StartOptions): Promise<Run<Output>> {
    this.#requireOpen()
    const { name, version } = flow
    if (this.#flows.find(name, version) !== flow) {
      throw engineError(
        'unknown_flow',
        `Flow ${keyOf(name, version)} is not one of those that this runtime was opened with. Nothing was started; add it to flows.`,
      )
    }
    const parsed = parseWith(flow.input, input, `Input of flow ${JSON.stringify(name)}`)
    const data = encodeValue(parsed, { limits: this.#parts.limits, what: `input of flow ${JSON.stringify(name)}` })
    const key = keyOfInput(flow, parsed)
    const run =
      options.id === undefined ? newRunId(this.#parts.clock.now(), this.#parts.randomBytes) : parseOwnId(options.id)
    const actor = options.actor === undefined ? null : checkId(options.actor, 'principal id')
    const by = actor === null ? 'system:api' : `principal:${actor}`
    const { patches, priority: usual } = flow
    const contract = (await this.#parts.governing?.bind(flow, actor)) ?? null
    const priority = priorityFact(requirePriority(options.priority ?? usual, 'a run', 'Nothing was started.'))
    const tells = options.notify === true ? { tells: options.notify } : {}
    const body = { flow: name, version, actor, contract, patches, ...key, ...priority, ...tells }
    const started = draftOf('FlowStarted', body, data)
    const basis = contract === null ? undefined : this.#parts.governing?.basis
    const seen = seenBy(basis)
    const created = await this.#store.create({ run, drafts: [started], by, seen })
    if (created.kind === 'purged') throw purged(run)
    if (created.kind === 'exists') await this.#requireSame(run, { flow: name, data })
    return new Run<Output>(run, this.#access)
  }

  /** A handle on a run by its id; nothing is asked of the store yet. Throws `invalid_id`. */
  run<Output = unknown>(id: string): Run<Output> {
    return new Run<Output>(parseRunId(id), this.#access)
  }

  /** Runs, newest first. A run that is ready while this process does not have its flow says so in `waitingFor`. */
  async runs(query: RunQuery = {}): Promise<Page<RunRow>> {
    const page = await this.#store.runs(query)
    return { items: page.items.map((row) => this.#explain(row)), next: page.next }
  }

  /** How this process works on runs; undefined if it only starts and looks. */
  get worker(): WorkerOptions | undefined {
    return this.#worker?.options
  }

  /** The flows that this process has. */
  get flows(): readonly AnyFlow[] {
    return this.#flows.all
  }

  /** Replays a run against the code at hand; executes and writes nothing. Throws `unknown_run`. */
  async rehearse(id: string): Promise<Rehearsal> {
    const run = parseRunId(id)
    const row = await this.#store.run(run)
    if (row === undefined) throw unknownRun(run)
    return rehearse({ store: this.#store, flows: this.#flows, parts: this.#parts }, row)
  }

  /** What runs have to tell each other, or with `to: 'caller'` those who started them, and nobody has done yet, oldest first. */
  outbox(query: OutboxQuery = {}): Promise<Page<OutboxEntry>> {
    return this.#store.outbox(query)
  }

  /**
   * Takes a notice off the outbox that was delivered to the caller of its run; nothing happens if it is off already. Durable on return.
   * A process may end between delivering and this, so whoever is told counts each `noticeId` once. Throws `invalid_option` for what one run
   * tells another: workers do that.
   */
  async settle(notice: OutboxEntry): Promise<void> {
    const { run, kind } = notice
    if (kind !== 'notice')
      throw engineError(
        'invalid_option',
        `What run ${run} tells another run is done by workers. Nothing was taken off.`,
      )
    const decide = (): Decision<undefined> => ({ drafts: [], result: undefined })
    const by = 'system:caller'
    await this.#store.decide({ run, delivery: undefined, by, seen: nothingSeen, settles: notice, decide })
  }

  /** Who works on the runs of this store, and which open runs nobody works on. For people: all of it may change at once. */
  async fleet(): Promise<Fleet> {
    const [rows, openRuns] = await Promise.all([this.#store.workers(), this.#store.openRuns()])
    return fleetOf(rows, openRuns)
  }

  /** Workers that announced themselves or hold runs, also those that are gone for a while; see {@link Runtime.fleet}. */
  async workers(): Promise<readonly FleetWorker[]> {
    return (await this.fleet()).workers
  }

  /**
   * Stops working for good, but neither starting runs nor looking: claims nothing more, lets attempts under way end within the
   * worker's `graceMs`, and gives everything back. Resolves with what was given back, once that is durable. Closing does the same.
   */
  async drain(): Promise<Drained> {
    return (await this.#worker?.stop()) ?? { givenBack: [], cutOff: [], notGivenBack: [] }
  }

  /** Computes everything but the journals anew from them. For an operator; no worker may be up. */
  rebuild(): Promise<{ readonly runCount: number; readonly eventCount: number }> {
    return this.#store.rebuild()
  }

  /** What the database has lost, as it is now: see `OpenOptions.mark`. Undefined where nothing is known to be missing. */
  loss(): Promise<Loss | undefined> {
    return this.#loss()
  }

  /**
   * Accepts the database as it is, after it lost its newest part: parks every open run as stuck with the code `rolled_back`, so that
   * nothing goes on before somebody looked, and lets workers work again. In one transaction.
   */
  async quarantine(): Promise<{ readonly parkedCount: number }> {
    this.#requireOpen()
    return this.#store.quarantine({ code: rolledBackCode, message: parkedBecause(await this.#loss()) })
  }

  /**
   * Deletes the journals of runs that have ended, for good; their ids stay taken. Skips runs that are open or still have
   * something to tell another run. Throws `invalid_id`.
   */
  async purge(ids: readonly string[], options: { readonly by?: string } = {}): Promise<readonly RunId[]> {
    const by = options.by === undefined ? 'system:api' : `principal:${checkId(options.by, 'principal id')}`
    return (await this.#store.purge({ runs: ids.map(parseRunId), by })).purged
  }

  /** Stops working, gives every run back, and lets go of the store. Runs go on elsewhere, or when it is opened again. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#worker?.stop()
    await this.#companion?.stop()
    this.#ends.close()
    this.#unwatch()
    await this.#store.close()
  }

  async #row(run: RunId): Promise<RunRow | undefined> {
    const row = await this.#store.run(run)
    return row && this.#explain(row)
  }

  async #requireSame(run: RunId, asked: { readonly flow: string; readonly data: string }): Promise<void> {
    const [started] = await this.#store.read(runStream(run), { limit: 1 })
    if (started !== undefined && bodyOf(started, 'FlowStarted').flow === asked.flow && started.data === asked.data)
      return
    const isErased = started?.dataCommit !== undefined && started.data === undefined
    const why = isErased
      ? 'and its input was erased, so nobody can tell whether this is the same'
      : 'with another flow or input'
    throw engineError(
      'run_exists',
      `Run ${run} was started before, ${why}. It was not touched and nothing was started; choose another id.`,
    )
  }

  #explain(row: RunRow): RunRow {
    if (this.#flows.find(row.flow, row.version) !== undefined) return row
    const nowMs = this.#parts.clock.now()
    // Its owner went silent, and no worker that has its code has looked at it since: it is nobody's.
    const isLeft = row.claim !== undefined && row.claim.leaseUntilMs <= nowMs
    const isDue = row.status === 'ready' || (row.wakeAtMs !== undefined && row.wakeAtMs <= nowMs)
    if (!isLeft && (!isDue || row.claim !== undefined)) return row
    const name = `a worker that has flow ${keyOf(row.flow, row.version)}`
    const left = isLeft ? ({ status: 'ready', claim: undefined } as const) : {}
    return { ...row, ...left, waitingFor: [{ kind: 'worker', op: '-', name }, ...row.waitingFor] }
  }

  #open<T>(part: T): T {
    this.#requireOpen()
    return part
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return
    throw engineError('runtime_closed', 'This runtime was closed. Nothing was done; open another.')
  }
}

const startsAtOnceMax = 1_024

// Ids with a tilde are those of children and of runs that take over.
function parseOwnId(id: string): RunId {
  const run = parseRunId(id)
  if (!run.includes('~')) return run
  throw engineError(
    'invalid_option',
    `Run id ${JSON.stringify(id)} holds a "~", which is kept for children and for runs that take over. Nothing was started; choose another.`,
  )
}

function purged(run: RunId): Error {
  return engineError(
    'run_purged',
    `There was a run ${run}; it has ended and its journal was purged. Nothing was started; choose another id.`,
  )
}
