import type { ClaimedFlow } from '../index.js'
import type { MemoryDisk } from './disk.js'
import type { StoredRun } from './stored-run.js'

/** How many runs are claimed with a lease that has not run out, of each flow and of each key of a flow. */
export class Tally {
  readonly #ofFlow = new Map<string, number>()
  readonly #ofKey = new Map<string, number>()

  constructor(disk: MemoryDisk, nowMs: number) {
    for (const run of disk.claimed()) {
      const { claim } = run.row
      if (claim !== undefined && claim.leaseUntilMs > nowMs) this.add(run)
    }
  }

  add({ row: { flow, key } }: StoredRun): void {
    this.#ofFlow.set(flow, (this.#ofFlow.get(flow) ?? 0) + 1)
    if (key !== undefined) this.#ofKey.set(nameOf(flow, key), (this.#ofKey.get(nameOf(flow, key)) ?? 0) + 1)
  }

  /** Whether one more would be too many. */
  holdsBack({ row: { flow, key } }: StoredRun, { runningMax, runningPerKeyMax }: ClaimedFlow): boolean {
    if (runningMax !== undefined && (this.#ofFlow.get(flow) ?? 0) >= runningMax) return true
    if (runningPerKeyMax === undefined || key === undefined) return false
    return (this.#ofKey.get(nameOf(flow, key)) ?? 0) >= runningPerKeyMax
  }
}

function nameOf(flow: string, key: string): string {
  return JSON.stringify([flow, key])
}
