import type { Page, RunQuery, RunRow } from '../index.js'
import type { MemoryDisk } from './disk.js'
import { cursorOf, limitOf } from './page.js'

/** Runs, newest first; see `Store.runs`. */
export function runs(disk: MemoryDisk, query: RunQuery): Page<RunRow> {
  const limit = limitOf(query.limit)
  const items: RunRow[] = []
  let no = Math.min(query.after === undefined ? disk.count : cursorOf(query.after), disk.count)
  while (no-- > 0) {
    const row = disk.at(no)?.row
    if (row === undefined || !fits(row, query)) continue
    if (items.length === limit) return { items, next: String(no + 1) }
    items.push(row)
  }
  return { items, next: undefined }
}

function fits(row: RunRow, { flow, status, parent, idPrefix, endedBeforeMs }: RunQuery): boolean {
  if (flow !== undefined && row.flow !== flow) return false
  if (status !== undefined && row.status !== status) return false
  if (parent !== undefined && row.parent?.run !== parent) return false
  if (idPrefix !== undefined && !row.id.startsWith(idPrefix)) return false
  return endedBeforeMs === undefined || (row.endedAtMs !== undefined && row.endedAtMs < endedBeforeMs)
}
