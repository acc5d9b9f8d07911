import type { RunId } from '../../journal/index.js'
import type { Purge } from '../index.js'
import type { MemoryDisk } from './disk.js'
import type { Handle } from './handle.js'
import type { StoredRun } from './stored-run.js'

/** Deletes journals of runs that have ended; see `Store.purge`. */
export function purge({ disk, parts }: Handle, { runs, by }: Purge): { readonly purged: readonly RunId[] } {
  const purged: RunId[] = []
  for (const id of runs) {
    const stored = disk.find(id)
    if (stored === undefined || !isOver(disk, stored)) continue
    const { root, head, outcome, endedAtMs = head.at } = stored.row
    disk.outbox.forget(id)
    disk.purge(stored, { id, root, head, outcome, endedAtMs, purgedAtMs: parts.clock.now(), by })
    disk.tell({ run: id, headSeq: undefined, due: false, outbox: false })
    purged.push(id)
  }
  return { purged }
}

/** Whether a run, and the line that it is of, has ended and has nothing to tell another. */
export function isOver(disk: MemoryDisk, { row }: StoredRun): boolean {
  return row.outcome !== 'open' && hasLineEnded(disk, row.root) && !disk.outbox.holds(row.id)
}

// The others of a line ended when they were taken over from. What was purged had ended.
function hasLineEnded(disk: MemoryDisk, root: RunId): boolean {
  const first = disk.find(root)
  if (first === undefined) return true
  const latest = disk.find(first.row.latest ?? root)
  return latest === undefined || latest.row.outcome !== 'open'
}
