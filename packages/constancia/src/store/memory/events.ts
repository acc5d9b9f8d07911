import { assert, bodyOf, emptyHead, type RunId, runStream, type StoredEvent } from '../../journal/index.js'
import type { Append, Appended, Created, CreateRun, RunRow } from '../index.js'
import { keepApprovals } from './approvals.js'
import { type Batch, batchOf, chained } from './batch.js'
import type { MemoryDisk } from './disk.js'
import { atRest, type Handle, holds } from './handle.js'
import type { StoredRun } from './stored-run.js'
import { hasMoved } from './streams.js'

/** Starts a journal; see `Store.create`. */
export function create(handle: Handle, request: CreateRun): Created {
  const { disk } = handle
  const known = disk.find(request.run)
  const isPurged = disk.findPurged(request.run) !== undefined
  const batch = known === undefined && !isPurged ? beginning(handle, request) : undefined
  disk.outbox.settle(request.settles)
  if (known !== undefined) return { kind: 'exists', row: known.row }
  if (batch === undefined) return { kind: 'purged' }
  begin(handle, batch)
  return { kind: 'created', events: batch.events }
}

function beginning({ disk, parts }: Handle, { run, drafts: first, draftsIfToEnd = [], by, seen }: CreateRun): Batch {
  const stream = runStream(run)
  const drafts = disk.outbox.asksToEnd(run) ? [...first, ...draftsIfToEnd] : first
  const events = chained(parts, { stream, drafts, head: emptyHead(stream), by, seen })
  const batch = batchOf(run, undefined, events)
  const { root } = batch.fold
  const hasRoot = root === run || disk.find(root) !== undefined || disk.findPurged(root) !== undefined
  assert(hasRoot, `run ${run} was to take over from run ${root}, which never was`)
  return batch
}

function begin({ disk, parts }: Handle, { events, fold, deliveries, entries }: Batch): void {
  const isOpen = fold.outcome === 'open'
  const row: RunRow = {
    ...fold,
    ...atRest,
    status: fold.outcome === 'open' ? 'ready' : fold.outcome,
    epoch: 0,
    readSignalCount: 0,
    lostLeaseCount: 0,
    latest: undefined,
  }
  keepApprovals(disk.add(row, [...events], isOpen ? parts.clock.now() : undefined), events)
  // Signals that a run takes over from the one before it are there already.
  for (const delivery of deliveries) disk.inboxOf(fold.root).add(delivery)
  disk.outbox.add(entries)
  disk.tell({ run: fold.id, headSeq: fold.head.seq, due: isOpen, outbox: entries.length > 0 })
}

/** Adds what the owner of a claim did; see `Store.append`. */
export function append(handle: Handle, request: Append): Appended {
  const { disk, parts } = handle
  const { claim, head, drafts, seen, readSignalCount } = request
  assert(request.within === undefined, `run ${claim.run} has an effect in a database, and there is none in memory`)
  const stored = disk.find(claim.run)
  if (stored === undefined) return { kind: 'claim_lost' }
  const { row } = stored
  if (row.outcome !== 'open') return { kind: 'run_ended' }
  if (!holds(claim, row)) return { kind: 'claim_lost' }
  if (row.head.seq !== head.seq || row.head.hash !== head.hash) return { kind: 'head_conflict', head: row.head }
  if (hasMoved(handle, request.basis)) return { kind: 'basis_moved' }
  const by = `claim:${claim.id}@${claim.epoch}`
  const atMs = request.basis?.atMs
  const events = chained(parts, { stream: runStream(claim.run), drafts, head: row.head, by, seen, atMs })
  const batch = fresh(disk, batchOf(claim.run, row, events))
  const successor = request.successor && takeover(handle, { row, events, successor: request.successor })
  keep(disk, { stored, batch, row: { ...row, readSignalCount } })
  disk.tell({ run: claim.run, headSeq: batch.fold.head.seq, due: false, outbox: batch.entries.length > 0 })
  if (successor !== undefined) {
    disk.outbox.settle(request.successor?.settles)
    begin(handle, successor)
    setLatest(disk, row.root, successor.fold.id)
  }
  return { kind: 'appended', events }
}

interface Takeover {
  readonly row: RunRow
  readonly events: readonly StoredEvent[]
  readonly successor: CreateRun
}

// Made, and checked, before anything is stored.
function takeover(handle: Handle, { row, events, successor }: Takeover): Batch {
  const { run } = successor
  const last = events.at(-1)
  assert(last?.kind === 'FlowContinued', `run ${run} was to take over from ${row.id}, which does not end by that`)
  assert(bodyOf(last, 'FlowContinued').next === run, `run ${run} was to take over from ${row.id}, which names another`)
  const isKnown = handle.disk.find(run) !== undefined || handle.disk.findPurged(run) !== undefined
  assert(!isKnown, `run ${run} was to take over from ${row.id}, but exists`)
  const batch = beginning(handle, successor)
  assert(batch.fold.root === row.root, `run ${run} was to take over from ${row.id}, but has another root`)
  return batch
}

/** Names the last run of a line in the row of its root. */
export function setLatest(disk: MemoryDisk, root: RunId, latest: RunId): void {
  const stored = disk.find(root)
  if (stored !== undefined) disk.setRow(stored, { ...stored.row, latest })
}

/** Refuses deliveries that the inbox has already. */
export function fresh(disk: MemoryDisk, batch: Batch): Batch {
  const { id, root } = batch.fold
  const inbox = disk.inboxOf(root)
  const isNew = batch.deliveries.every(
    (delivery, index, all) => !inbox.has(delivery) && all.indexOf(delivery) === index,
  )
  assert(isNew, `a delivery of ${batch.deliveries.join(', ')} of run ${id} is stored already`)
  return batch
}

/** Events of a run that exists. */
export interface Kept {
  readonly stored: StoredRun
  readonly batch: Batch
  /** The row before the events. */
  readonly row: RunRow
}

/** Stores events of a run. Nothing in here can fail: all of it is stored, or nothing. */
export function keep(disk: MemoryDisk, { stored, batch, row }: Kept): void {
  const { events, fold, deliveries, entries } = batch
  stored.events.push(...events)
  keepApprovals(stored, events)
  for (const delivery of deliveries) disk.inboxOf(fold.root).add(delivery)
  disk.outbox.add(entries)
  if (events.length === 0 || fold.outcome === 'open') {
    disk.setRow(stored, events.length === 0 ? row : { ...row, ...fold })
    return
  }
  disk.setRow(stored, { ...row, ...fold, ...atRest, status: fold.outcome })
  disk.setDue(stored, undefined)
}
