import { assert, deliveryOf, runStream, type StoredEvent } from '../../journal/index.js'
import { type Decide, type Decision, type Facts, type News, newsCountMax } from '../index.js'
import { type Batch, batchOf, chained } from './batch.js'
import { fresh, keep } from './events.js'
import { atRest, type Handle } from './handle.js'
import type { StoredRun } from './stored-run.js'
import { streamHead } from './streams.js'

/** Lets the world outside add to a run; see `Store.decide`. */
export function decide<T>({ disk, parts }: Handle, request: Decide<T>): T {
  const { run, delivery, settles, basis } = request
  const stored = disk.find(run)
  const delivered = delivery !== undefined && stored !== undefined && disk.inboxOf(stored.row.root).has(delivery)
  const basisHead = basis && streamHead(disk, basis)
  const news = newsOf(disk, request)
  const facts: Facts = { run: stored?.row, nowMs: parts.clock.now(), delivered, basisHead, news }
  const decision = request.decide(facts)
  if (stored === undefined)
    assert(decision.drafts.length === 0, `events were decided for run ${run}, which does not exist`)
  else enact({ disk, parts }, { request, stored, facts, decision })
  disk.outbox.settle(settles)
  return decision.result
}

function newsOf(disk: Handle['disk'], { run, basis, known }: Decide<unknown>): News | undefined {
  if (known === undefined) return
  const since = (events: readonly StoredEvent[], seq: number): readonly StoredEvent[] =>
    events.slice(seq + 1, seq + 1 + newsCountMax)
  const ofRun = disk.find(run)?.events ?? []
  const ofBasis = basis === undefined ? [] : disk.stream(basis)
  return { run: since(ofRun, known.runSeq), basis: since(ofBasis, known.basisSeq) }
}

interface Enactment {
  readonly request: Decide<unknown>
  readonly stored: StoredRun
  readonly facts: Facts
  readonly decision: Decision<unknown>
}

function enact({ disk, parts }: Handle, enactment: Enactment): void {
  const { stored, facts, decision } = enactment
  const { row } = stored
  const batch = decided({ disk, parts }, enactment)
  const unsticks = decision.unstick === true && row.status === 'stuck'
  const wakes = unsticks || (batch.events.length > 0 && (row.status === 'waiting' || row.status === 'paused'))
  if (batch.events.length === 0 && !unsticks) return
  const lostLeaseCount = unsticks ? 0 : row.lostLeaseCount
  const before = wakes ? ({ ...row, ...atRest, status: 'ready', lostLeaseCount } as const) : row
  keep(disk, { stored, batch, row: before })
  if (wakes && batch.fold.outcome === 'open') disk.setDue(stored, facts.nowMs)
  disk.tell({ run: row.id, headSeq: stored.row.head.seq, due: wakes, outbox: batch.entries.length > 0 })
}

function decided({ disk, parts }: Handle, { request, stored, facts, decision }: Enactment): Batch {
  const { run, delivery, by } = request
  const { seen = request.seen } = decision
  const { row } = stored
  const { drafts } = decision
  assert(drafts.length === 0 || row.outcome === 'open', `events were decided for run ${run}, which has ended`)
  const rest = { stream: runStream(run), head: row.head, by, seen }
  let events = chained(parts, { ...rest, drafts })
  if (delivery !== undefined && drafts.length > 0) {
    const carriesIt = events.map((event) => deliveryOf(event) === delivery)
    assert(carriesIt.includes(true), `no event decided for run ${run} carries delivery ${delivery}`)
    const others = drafts.filter((_, index) => carriesIt[index] !== true)
    if (facts.delivered) events = chained(parts, { ...rest, drafts: others })
  }
  return fresh(disk, batchOf(run, row, events))
}
