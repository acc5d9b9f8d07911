import {
  assert,
  chainDrafts,
  type Draft,
  deliveryOf,
  emptyHead,
  foldRun,
  type RunFold,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import type { Append, Appended, Created, CreateRun, Decide, Decision, Facts, RunRow } from '../index.js'
import type { MemoryDisk } from './disk.js'
import { atRest, type Handle, holds } from './handle.js'
import type { StoredRun } from './stored-run.js'

/** Starts a journal; see `Store.create`. */
export function create({ disk, parts }: Handle, { run, drafts, by, seen }: CreateRun): Created {
  const known = disk.find(run)
  if (known !== undefined) return { kind: 'exists', row: known.row }
  checkTexts(drafts)
  const nowMs = parts.clock.now()
  const stream = runStream(run)
  const events = chainDrafts(emptyHead(stream), drafts, {
    stream,
    nowMs,
    by,
    seen,
    salt: () => new Uint8Array(parts.randomBytes(16)),
  })
  const fold = events.reduce<RunFold | undefined>((before, event) => foldRun(run, before, event), undefined)
  assert(fold !== undefined, `run ${run} was to be created without events`)
  const isOpen = fold.outcome === 'open'
  const row: RunRow = {
    ...fold,
    ...atRest,
    status: isOpen ? 'ready' : fold.outcome,
    epoch: 0,
    readSignalCount: 0,
  } as RunRow
  const stored = disk.add(row, [...events], isOpen ? nowMs : undefined)
  addDeliveries(stored, events)
  disk.tell({ run, headSeq: fold.head.seq, due: isOpen })
  return { kind: 'created', events }
}

/** Adds what the owner of a claim did; see `Store.append`. */
export function append({ disk, parts }: Handle, request: Append): Appended {
  const { claim, head, drafts, seen, readSignalCount } = request
  const stored = disk.find(claim.run)
  if (stored === undefined) return { kind: 'claim_lost' }
  const { row } = stored
  if (row.outcome !== 'open') return { kind: 'run_ended' }
  if (!holds(claim, row)) return { kind: 'claim_lost' }
  if (row.head.seq !== head.seq || row.head.hash !== head.hash) return { kind: 'head_conflict', head: row.head }
  checkTexts(drafts)
  const provenance = {
    nowMs: parts.clock.now(),
    by: `claim:${claim.id}@${claim.epoch}`,
    seen,
    salt: () => new Uint8Array(parts.randomBytes(16)),
  }
  const events = chainDrafts(row.head, drafts, { stream: runStream(claim.run), ...provenance })
  addEvents(disk, { stored, events, row: { ...row, readSignalCount } })
  disk.tell({ run: claim.run, headSeq: stored.row.head.seq, due: false })
  return { kind: 'appended', events }
}

/** Lets the world outside add to a run; see `Store.decide`. */
export function decide<T>({ disk, parts }: Handle, request: Decide<T>): T {
  const { run, delivery } = request
  const stored = disk.find(run)
  const delivered = delivery !== undefined && stored?.inbox.has(delivery) === true
  const facts: Facts = { run: stored?.row, nowMs: parts.clock.now(), delivered }
  const decision = request.decide(facts)
  if (stored === undefined)
    assert(decision.drafts.length === 0, `events were decided for run ${run}, which does not exist`)
  else enact({ disk, parts }, { request, stored, facts, decision })
  return decision.result
}

interface Enactment {
  readonly request: Decide<unknown>
  readonly stored: StoredRun
  readonly facts: Facts
  readonly decision: Decision<unknown>
}

function enact({ disk, parts }: Handle, { request, stored, facts, decision }: Enactment): void {
  const { run, delivery, by, seen } = request
  const { row } = stored
  const { drafts } = decision
  assert(drafts.length === 0 || row.outcome === 'open', `events were decided for run ${run}, which has ended`)
  checkTexts(drafts)
  const chain = (some: readonly Draft[]): StoredEvent[] =>
    chainDrafts(row.head, some, {
      stream: runStream(run),
      nowMs: facts.nowMs,
      by,
      seen,
      salt: () => new Uint8Array(parts.randomBytes(16)),
    })
  let events = chain(drafts)
  if (delivery !== undefined && drafts.length > 0) {
    const carriesIt = events.map((event) => deliveryOf(event) === delivery)
    assert(carriesIt.includes(true), `no event decided for run ${run} carries delivery ${delivery}`)
    if (facts.delivered) events = chain(drafts.filter((_, index) => carriesIt[index] !== true))
  }
  const unsticks = decision.unstick === true && row.status === 'stuck'
  const wakes = unsticks || (events.length > 0 && (row.status === 'waiting' || row.status === 'paused'))
  if (events.length === 0 && !unsticks) return
  addEvents(disk, { stored, events, row: wakes ? { ...row, ...atRest, status: 'ready' } : row })
  if (wakes && stored.row.outcome === 'open') disk.setDue(stored, facts.nowMs)
  disk.tell({ run, headSeq: stored.row.head.seq, due: wakes })
}

interface Addition {
  readonly stored: StoredRun
  readonly events: readonly StoredEvent[]
  /** The row before the events. */
  readonly row: RunRow
}

// Whatever can throw comes first: all of it is stored, or nothing.
function addEvents(disk: MemoryDisk, { stored, events, row }: Addition): void {
  const fold = events.reduce<RunFold>((before, event) => foldRun(row.id, before, event), foldOf(row))
  for (const event of events) {
    const delivery = deliveryOf(event)
    assert(
      delivery === undefined || !stored.inbox.has(delivery),
      `delivery ${delivery} of run ${row.id} is stored already`,
    )
  }
  stored.events.push(...events)
  addDeliveries(stored, events)
  if (fold.outcome === 'open') {
    stored.row = { ...row, ...fold }
    return
  }
  stored.row = { ...row, ...fold, ...atRest, status: fold.outcome }
  disk.setDue(stored, undefined)
}

/** The part of a row that its journal tells. */
export function foldOf(row: RunRow): RunFold {
  const { id, flow, version, actor, outcome, head, startedAtMs, endedAtMs, signalCount } = row
  return { id, flow, version, actor, outcome, head, startedAtMs, endedAtMs, signalCount }
}

/** Puts the deliveries that events carry into the inbox. */
export function addDeliveries(stored: StoredRun, events: readonly StoredEvent[]): void {
  for (const event of events) {
    const delivery = deliveryOf(event)
    if (delivery !== undefined) stored.inbox.add(delivery)
  }
}

// Real databases do not keep such texts; JSON never has them, for it escapes them.
function checkTexts(drafts: readonly Draft[]): void {
  for (const { body, data } of drafts) {
    assert(
      isExact(body) && (data === undefined || isExact(data)),
      'a text of an event holds U+0000 or half a surrogate pair, which cannot be stored',
    )
  }
}

function isExact(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed() && !text.includes('\0')
}
