import type { RunId, StoredEvent } from '../../journal/index.js'
import type { Change, RunRow } from '../index.js'
import { DueList } from './due-list.js'
import type { StoredRun } from './stored-run.js'

/**
 * What a memory store keeps: it outlives the handles on it, as a disk outlives a crash. Several handles may use one at
 * once. Opaque; made by {@link memoryDisk}.
 */
export class MemoryDisk {
  readonly #runs = new Map<RunId, StoredRun>()
  readonly #inOrder: StoredRun[] = []
  readonly #due = new Map<string, DueList>()
  /** Of every handle. */
  readonly listeners = new Set<(change: Change) => void>()

  find(id: RunId): StoredRun | undefined {
    return this.#runs.get(id)
  }

  /** Every run, oldest first. */
  all(): readonly StoredRun[] {
    return this.#inOrder
  }

  add(row: RunRow, events: StoredEvent[], dueAtMs: number | undefined): StoredRun {
    const run: StoredRun = { no: this.#inOrder.length, events, inbox: new Set(), row, dueAtMs: undefined }
    this.#runs.set(row.id, run)
    this.#inOrder.push(run)
    this.setDue(run, dueAtMs)
    return run
  }

  setDue(run: StoredRun, dueAtMs: number | undefined): void {
    const list = this.due(run.row.flow, run.row.version)
    if (run.dueAtMs !== undefined) list.delete({ dueAtMs: run.dueAtMs, run })
    run.dueAtMs = dueAtMs
    if (dueAtMs !== undefined) list.add({ dueAtMs, run })
  }

  /** The runs of a flow that have a due time, in its order. */
  due(flow: string, version: number): DueList {
    const key = `${version} ${flow}`
    const list = this.#due.get(key) ?? new DueList()
    this.#due.set(key, list)
    return list
  }

  /** Tells every listener, one after the other. */
  tell(change: Change): void {
    for (const listener of [...this.listeners]) listener(change)
  }
}

/** An empty disk for {@link MemoryDisk | memory stores}. */
export function memoryDisk(): MemoryDisk {
  return new MemoryDisk()
}
