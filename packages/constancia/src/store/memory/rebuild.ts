import { endDelivery, isDispatched, type OutboxEntry, type RunId } from '../../journal/index.js'
import { rolledBackCode } from '../index.js'
import { keepApprovals } from './approvals.js'
import { batchOf } from './batch.js'
import type { MemoryDisk } from './disk.js'
import { setLatest } from './events.js'
import { atRest, type Handle } from './handle.js'
import type { StoredRun } from './stored-run.js'

/** Computes rows, inboxes and the outbox anew from the journals; see `Store.rebuild`. */
export function rebuild({ disk, parts }: Handle): { readonly runCount: number; readonly eventCount: number } {
  const all = disk.all()
  const said: Said[] = []
  for (const { row } of all) disk.inboxOf(row.root).clear()
  for (const stored of all) said.push(...rebuildRun(disk, stored, parts.clock.now()))
  for (const { id, root } of disk.allPurged()) raiseLatest(disk, root, id)
  // Only once every run is known can be told what is done.
  const left = said.filter(({ entry }) => !isDone(disk, entry)).sort((one, other) => one.atMs - other.atMs)
  disk.outbox.clear()
  disk.outbox.add(left.map(({ entry }) => entry))
  return { runCount: all.length, eventCount: all.reduce((count, { events }) => count + events.length, 0) }
}

/** What an event put into the outbox, and when. */
interface Said {
  readonly entry: OutboxEntry
  readonly atMs: number
}

function rebuildRun(disk: MemoryDisk, stored: StoredRun, nowMs: number): Said[] {
  const { events } = stored
  delete stored.approvals
  keepApprovals(stored, events)
  const { id, epoch: lastEpoch, readSignalCount, lostLeaseCount } = stored.row
  const { fold, deliveries, entries } = batchOf(id, undefined, events)
  const epochs = events.map(({ by }) => Number(/^claim:.*@(\d+)$/.exec(by)?.[1] ?? 0))
  // An epoch never goes back: a claim that was lost must not hold again.
  const epoch = epochs.reduce((highest, one) => Math.max(highest, one), lastEpoch)
  const parked = stored.row.stuck?.code === rolledBackCode ? stored.row.stuck : undefined
  const status = fold.outcome !== 'open' ? fold.outcome : parked === undefined ? 'ready' : 'stuck'
  const rest = { ...atRest, status, stuck: status === 'stuck' ? parked : undefined } as const
  disk.setRow(stored, { ...fold, ...rest, epoch, readSignalCount, lostLeaseCount, latest: undefined })
  disk.setDue(stored, status === 'ready' ? nowMs : undefined)
  // A line whose root was purged has no inbox.
  if (disk.findPurged(fold.root) === undefined) for (const delivery of deliveries) disk.inboxOf(fold.root).add(delivery)
  raiseLatest(disk, fold.root, id)
  return entries.map((entry) => ({ entry, atMs: events[entry.seq]?.at ?? 0 }))
}

// Runs of a line come in the order in which they took over, and a root before all of them; purged ones come last.
function raiseLatest(disk: MemoryDisk, root: RunId, id: RunId): void {
  const latest = disk.find(root)?.row.latest
  if (id !== root && (latest === undefined || placeInLine(root, id) > placeInLine(root, latest)))
    setLatest(disk, root, id)
}

function placeInLine(root: RunId, id: RunId): number {
  return Number(id.slice(root.length + '~r'.length))
}

/** Whether what a run had to tell was told, as far as journals show it. */
function isDone(disk: MemoryDisk, { run, kind, target }: OutboxEntry): boolean {
  const fold = disk.find(target)?.row
  const parent = disk.find(run)?.row.parent
  const isKnown = fold !== undefined || disk.findPurged(target) !== undefined
  const latest = fold && disk.find(disk.find(fold.root)?.row.latest ?? fold.id)?.row
  const knowsEnd = parent === undefined || (fold !== undefined && disk.inboxOf(fold.root).has(endDelivery(parent)))
  return isDispatched(kind, { isKnown, fold, latest, knowsEnd })
}
