import type { ClaimedFlow } from '../index.js'
import type { Database } from './driver.js'

/** Who runs now: the runs that are claimed with a lease that has not run out, over all workers. */
export interface RunningTable {
  ofFlow(flow: string, nowMs: number): number
  ofKey(flow: string, key: string, nowMs: number): number
}

/** Prepares the statements that count who runs. All of them read one small index and nothing else. */
export function runningTable(database: Database): RunningTable {
  const running = `FROM runs WHERE flow = ? AND status = 'running' AND due_at > ?`
  const ofFlow = database.prepare(`SELECT count(*) AS count ${running}`)
  const ofKey = database.prepare(`SELECT count(*) AS count ${running} AND key = ?`)
  return {
    ofFlow: (flow, nowMs) => (ofFlow.get(flow, nowMs) as { count: number }).count,
    ofKey: (flow, key, nowMs) => (ofKey.get(flow, nowMs, key) as { count: number }).count,
  }
}

/**
 * How many runs may still be taken, by the limits of a request. What was counted once is remembered and counted on: runs that
 * are taken meanwhile count at once.
 */
export class Room {
  readonly #table: RunningTable
  readonly #nowMs: number
  readonly #counts = new Map<string, number>()

  constructor(table: RunningTable, nowMs: number) {
    this.#table = table
    this.#nowMs = nowMs
  }

  /** So many more runs of the flow, whatever their keys; infinity without a limit. */
  ofFlow({ flow, runningMax }: ClaimedFlow): number {
    if (runningMax === undefined) return Number.POSITIVE_INFINITY
    return runningMax - this.#count(nameOf(flow, null), () => this.#table.ofFlow(flow, this.#nowMs))
  }

  /** So many more runs with this key, whatever the limit of the flow itself; infinity without a limit or a key. */
  ofKey({ flow, runningPerKeyMax }: ClaimedFlow, key: string | null): number {
    if (runningPerKeyMax === undefined || key === null) return Number.POSITIVE_INFINITY
    return runningPerKeyMax - this.#count(nameOf(flow, key), () => this.#table.ofKey(flow, key, this.#nowMs))
  }

  /** Keys of the flow that are known to have no room. */
  fullKeys({ flow, runningPerKeyMax = Number.POSITIVE_INFINITY }: ClaimedFlow): string[] {
    const full: string[] = []
    for (const [name, count] of this.#counts) {
      const [of, key] = JSON.parse(name) as [string, string | null]
      if (of === flow && key !== null && count >= runningPerKeyMax) full.push(key)
    }
    return full
  }

  /** Counts a run of this flow that was taken. */
  take({ flow }: ClaimedFlow, key: string | null): void {
    for (const name of key === null ? [nameOf(flow, null)] : [nameOf(flow, null), nameOf(flow, key)]) {
      const count = this.#counts.get(name)
      if (count !== undefined) this.#counts.set(name, count + 1)
    }
  }

  #count(name: string, read: () => number): number {
    const count = this.#counts.get(name) ?? read()
    this.#counts.set(name, count)
    return count
  }
}

function nameOf(flow: string, key: string | null): string {
  return JSON.stringify([flow, key])
}
