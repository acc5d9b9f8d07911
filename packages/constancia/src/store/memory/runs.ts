import { foldRun, journalError, type RunFold } from '../../journal/index.js'
import type { Page, RunQuery, RunRow } from '../index.js'
import type { MemoryDisk } from './disk.js'
import { addDeliveries } from './events.js'
import { atRest, type Handle } from './handle.js'

/** Runs, newest first; see `Store.runs`. */
export function runs(disk: MemoryDisk, query: RunQuery): Page<RunRow> {
  const limit = Math.min(Math.max(query.limit ?? 100, 1), 1000)
  const all = disk.all()
  const items: RunRow[] = []
  let no = Math.min(query.after === undefined ? all.length : cursorOf(query.after), all.length)
  while (no-- > 0) {
    const row = all[no]?.row
    if (row === undefined || !fits(row, query)) continue
    if (items.length === limit) return { items, next: String(no + 1) }
    items.push(row)
  }
  return { items, next: undefined }
}

function fits(row: RunRow, { flow, status }: RunQuery): boolean {
  return (flow === undefined || row.flow === flow) && (status === undefined || row.status === status)
}

function cursorOf(after: string): number {
  if (/^[0-9]{1,15}$/.test(after)) return Number(after)
  throw journalError(
    'invalid_id',
    `${JSON.stringify(after.slice(0, 40))} is not where a page of runs can begin. Nothing was read; pass on "next" of the page before.`,
  )
}

/** Computes rows and inboxes anew from the journals; see `Store.rebuild`. */
export function rebuild({ disk, parts }: Handle): { readonly runCount: number; readonly eventCount: number } {
  let eventCount = 0
  for (const stored of disk.all()) {
    const { id, epoch: lastEpoch, readSignalCount } = stored.row
    const fold = stored.events.reduce<RunFold | undefined>((before, event) => foldRun(id, before, event), undefined)
    if (fold === undefined) continue
    const epochs = stored.events.map(({ by }) => Number(/^claim:.*@(\d+)$/.exec(by)?.[1] ?? 0))
    // An epoch never goes back: a claim that was lost must not hold again.
    const epoch = epochs.reduce((highest, one) => Math.max(highest, one), lastEpoch)
    const isOpen = fold.outcome === 'open'
    disk.setDue(stored, isOpen ? parts.clock.now() : undefined)
    stored.row = {
      ...fold,
      ...atRest,
      status: fold.outcome === 'open' ? 'ready' : fold.outcome,
      epoch,
      readSignalCount,
    }
    stored.inbox.clear()
    addDeliveries(stored, stored.events)
    eventCount += stored.events.length
  }
  return { runCount: disk.all().length, eventCount }
}
