import {
  type Bodies,
  bodyOf,
  type Draft,
  draftOf,
  encodeError,
  endDelivery,
  nothingSeen,
  type OpId,
  type OutboxEntry,
  type Restricts,
  type RunId,
  runStream,
  type StoredEvent,
  type Tells,
} from '../journal/index.js'
import { type CreateRun, type Decision, type Facts, type RunRow, rolledBackCode, type Store } from '../store/index.js'
import { type Delivered, decideCancel } from './deliver.js'
import { engineError, isLoss } from './errors.js'
import { latestOf } from './line.js'
import type { Parts } from './parts.js'
import { priorityFact } from './priority.js'
import { type FlowRegistry, keyOf } from './registry.js'
import { tellsOf } from './telling.js'

/** What a dispatcher works with. */
export interface DispatcherInput {
  readonly store: Store
  readonly flows: FlowRegistry
  readonly parts: Parts
}

type Started = Bodies['FlowStarted']

const by = 'system:outbox'
const pageSize = 256

/**
 * Does what runs have to tell each other: starts children, asks them to end, tells parents of their ends. Several workers
 * may do the same at once: each thing happens once, for the run that it concerns remembers it.
 */
export class Dispatcher {
  readonly #input: DispatcherInput
  readonly #missing = new Set<string>()
  // Entries that could not be delivered at the last look.
  #failing: ReadonlySet<string> = new Set()
  #isDown = false
  #looking: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(input: DispatcherInput) {
    this.#input = input
  }

  /** Looks now for what is to be done. */
  look(): void {
    this.#again = true
    if (this.#stopped) return
    this.#looking ??= this.#dispatchAll().finally(() => {
      this.#looking = undefined
      if (this.#again) this.look()
    })
  }

  /** Begins nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#looking
  }

  // Never rejects: what could not be done stays in the outbox and is found by the next look.
  async #dispatchAll(): Promise<void> {
    this.#again = false
    try {
      let after: string | undefined
      const seen: Seen = { toStart: new Set(), failing: new Set() }
      do {
        const page = await this.#input.store.outbox(
          after === undefined ? { limit: pageSize } : { limit: pageSize, after },
        )
        // What concerns one run is done in order: it is started before it is asked to end.
        for (const { kind, target } of page.items) if (kind === 'start') seen.toStart.add(target)
        await Promise.all(byTarget(page.items).map((entries) => this.#dispatchInOrder(entries, seen)))
        after = page.next
      } while (after !== undefined && !this.#stopped)
      this.#failing = seen.failing
      this.#isDown = false
    } catch (error) {
      if (!this.#isDown && !isLoss(error))
        this.#report('The outbox could not be read; it is looked at again.', { error: String(error) })
      this.#isDown = true
    }
  }

  async #dispatchInOrder(entries: readonly OutboxEntry[], seen: Seen): Promise<void> {
    for (const entry of entries) {
      if (this.#stopped) return
      try {
        await this.#dispatch(entry, seen)
      } catch (error) {
        if (isLoss(error)) return
        seen.failing.add(keyOfEntry(entry))
        return this.#reportFailing(entry, error)
      }
    }
  }

  async #dispatch(entry: OutboxEntry, { toStart }: Seen): Promise<void> {
    switch (entry.kind) {
      case 'start':
        return this.#start(entry)
      case 'cancel':
        return this.#cancel(entry, toStart.has(entry.target))
      case 'end':
        return this.#tellParent(entry)
      case 'notice':
      // It goes to whoever started the run, and nobody here knows who that is.
    }
  }

  async #start(entry: OutboxEntry): Promise<void> {
    const { store } = this.#input
    const asked = await this.#eventOf(entry)
    const parent = await store.run(entry.run)
    if (asked === undefined || parent === undefined) return this.#settle(entry)
    // The child may have run, and its journal be lost: it begins anew once somebody lets its parent go on.
    if (parent.stuck?.code === rolledBackCode) return
    const started = await this.#startOf(parent.id)
    const contract = await this.#contractOf(asked, parent, started)
    const child = childOf(asked, { ...parent, contract, tells: tellsOf(started ?? {}) }, entry)
    this.#noteMissingFlow(asked)
    const created = await store.create(child)
    const isOurs = created.kind === 'created' || (created.kind === 'exists' && created.row.parent?.run === entry.run)
    if (isOurs || created.kind === 'purged') return
    const { op } = bodyOf(asked, 'ChildStarted')
    await this.#deliverEnd(entry, op, draftOf('ChildEnded', { op, outcome: 'failed' }, this.#idIsTaken(child.run)))
  }

  // That of its parent; where its parent has none, what every run of its flow is bound to that starts now. Rejects while that may not start.
  async #contractOf(asked: StoredEvent, { actor }: RunRow, started: Started | undefined): Promise<string | null> {
    const { flows, parts } = this.#input
    // Whoever acts as nobody is governed by nothing, and what is governed does nothing for it.
    if (actor === undefined) return null
    const own = started?.contract ?? null
    const { flow: name, version } = bodyOf(asked, 'ChildStarted')
    const flow = flows.find(name, version)
    if (own !== null || flow === undefined || parts.governing === undefined) return own
    return parts.governing.bind(flow, actor)
  }

  async #startOf(run: RunId): Promise<Started | undefined> {
    const [first] = await this.#input.store.read(runStream(run), { limit: 1 })
    return first && bodyOf(first, 'FlowStarted')
  }

  #idIsTaken(run: RunId): string {
    const message = `The child could not be started: there is a run ${run} already, which is not of this parent. It was not touched.`
    return encodeError(engineError('run_exists', message), {
      limits: this.#input.parts.limits,
      what: 'error of a child',
    })
  }

  // A child that is still to be started, which may have failed just now, is asked again later.
  async #cancel(entry: OutboxEntry, isToStart: boolean): Promise<void> {
    const { store } = this.#input
    for (;;) {
      const run = (await latestOf(store, entry.target)) ?? entry.target
      const decide = (facts: Facts): Decision<Delivered | { readonly kind: 'unknown' }> =>
        facts.run === undefined ? unknown : decideCancel({ run, reason: undefined }, facts)
      const answer = await store.decide({ run, delivery: undefined, by, seen: nothingSeen, decide })
      if (answer.kind === 'moved') continue
      if (isToStart && answer.kind === 'unknown') return
      return this.#settle(entry)
    }
  }

  async #tellParent(entry: OutboxEntry): Promise<void> {
    const ended = await this.#eventOf(entry)
    const parent = (await this.#input.store.run(entry.run))?.parent
    if (ended === undefined || parent === undefined) return this.#settle(entry)
    await this.#deliverEnd(entry, parent.op, endOfChild(ended, parent.op))
  }

  #deliverEnd(entry: OutboxEntry, op: OpId, draft: Draft): Promise<void> {
    const run = entry.kind === 'end' ? entry.target : entry.run
    const decide = ({ run: row, delivered }: Facts): { drafts: Draft[]; result: undefined } => {
      const isOpen = row?.outcome === 'open'
      return { drafts: isOpen && !delivered ? [draft] : [], result: undefined }
    }
    return this.#input.store.decide({
      run,
      delivery: endDelivery({ run, op }),
      by,
      seen: nothingSeen,
      settles: entry,
      decide,
    })
  }

  #settle(entry: OutboxEntry): Promise<void> {
    const decide = (): { drafts: Draft[]; result: undefined } => ({ drafts: [], result: undefined })
    const { target: run } = entry
    return this.#input.store.decide({ run, delivery: undefined, by, seen: nothingSeen, settles: entry, decide })
  }

  async #eventOf({ run, seq }: OutboxEntry): Promise<StoredEvent | undefined> {
    const [event] = await this.#input.store.read(runStream(run), { fromSeq: seq, limit: 1 })
    return event
  }

  // A child that no worker takes is a mistake that shows nowhere else.
  #noteMissingFlow(asked: StoredEvent): void {
    const { flow, version, child } = bodyOf(asked, 'ChildStarted')
    const key = keyOf(flow, version)
    if (this.#input.flows.find(flow, version) !== undefined || this.#missing.has(key)) return
    this.#missing.add(key)
    const message = 'A child was started whose flow this process does not have; it waits for a worker that has it.'
    this.#input.parts.log('warn', message, { flow: key, run: child })
  }

  // Once, however often it is tried again.
  #reportFailing(entry: OutboxEntry, error: unknown): void {
    if (this.#failing.has(keyOfEntry(entry))) return
    const { run, kind, target } = entry
    const message = 'Something that a run has to tell another could not be delivered; it is tried again.'
    this.#report(message, { run, kind, target, error: String(error) })
  }

  #report(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#input.parts.log('error', message, fields)
  }
}

/** What one look through the outbox comes upon. */
interface Seen {
  /** Children that are still to be started. */
  readonly toStart: Set<RunId>
  readonly failing: Set<string>
}

const unknown: Decision<{ readonly kind: 'unknown' }> = { drafts: [], result: { kind: 'unknown' } }

function keyOfEntry({ run, seq }: OutboxEntry): string {
  return `${run}/${seq}`
}

function byTarget(entries: readonly OutboxEntry[]): OutboxEntry[][] {
  const groups = new Map<RunId, OutboxEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.target)
    if (group === undefined) groups.set(entry.target, [entry])
    else group.push(entry)
  }
  return [...groups.values()]
}

function childOf(
  asked: StoredEvent,
  { actor, priority, contract, tells }: RunRow & { readonly contract: string | null; readonly tells: Tells },
  entry: OutboxEntry,
): CreateRun {
  const { op, flow, version, child, patches, key } = bodyOf(asked, 'ChildStarted')
  const parent: { readonly run: RunId; readonly op: OpId } = { run: entry.run, op }
  const shared = key === undefined ? {} : { key }
  const body = {
    flow,
    version,
    actor: actor ?? null,
    contract,
    patches,
    ...shared,
    ...priorityFact(priority),
    parent,
    ...tells,
  }
  const drafts = [draftOf('FlowStarted', body, asked.data)]
  // Were it asked after its start, a worker could be faster and execute some of it.
  const draftsIfToEnd = [draftOf('CancelRequested', {})]
  return { run: child, drafts, draftsIfToEnd, by, seen: nothingSeen, settles: entry }
}

function endOfChild(ended: StoredEvent, op: OpId): Draft {
  const { restricts } = JSON.parse(ended.body) as Restricts
  const restriction: Restricts = restricts === true ? { restricts } : {}
  switch (ended.kind) {
    case 'FlowCompleted':
      return draftOf('ChildEnded', { op, outcome: 'completed', ...restriction }, ended.data)
    case 'FlowFailed':
      return draftOf('ChildEnded', { op, outcome: 'failed', ...restriction }, ended.data)
    default:
      return draftOf('ChildEnded', { op, outcome: 'cancelled', ...restriction })
  }
}
