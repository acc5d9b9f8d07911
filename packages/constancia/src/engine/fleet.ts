import type { RunId } from '../journal/index.js'
import type { FlowVersion, Holder, OpenRuns, WorkerRow } from '../store/index.js'
import { keyOf } from './registry.js'

/** Who works on the runs of a store, and what nobody works on. */
export interface Fleet {
  /** Those that announced themselves in their order, then those that only hold runs. */
  readonly workers: readonly FleetWorker[]
  /** Flows and versions of open runs that no living worker claims, by name and version. */
  readonly unserved: readonly UnservedFlow[]
}

/** A worker, and what it holds. */
export interface FleetWorker {
  readonly name: string
  /**
   * Draining: it claims nothing more. Silent: it announces nothing, or not any more, but its leases run: it is blocked, or of a version
   * before. Gone: neither; what it holds is taken by others when its leases have run out.
   */
  readonly state: 'working' | 'draining' | 'silent' | 'gone'
  /** What it said of itself; undefined where it only holds runs. */
  readonly announced: WorkerRow | undefined
  /** Runs that it holds, as their rows say. */
  readonly runCount: number
  /** The same by flow and version, the one that holds a run for the longest time first. */
  readonly held: readonly HeldRuns[]
}

/** Runs of one flow that a worker holds. */
export interface HeldRuns extends FlowVersion {
  readonly runCount: number
  /** The one that it has held for the longest time. */
  readonly oldestRun: RunId
  /** Since when, UTC milliseconds since 1970; undefined where a version before claimed it. */
  readonly sinceMs: number | undefined
}

/** One version of a flow that has open runs and no worker. */
export interface UnservedFlow extends FlowVersion {
  readonly runCount: number
  /** Names of workers that have it but drain. */
  readonly draining: readonly string[]
}

type Held = OpenRuns & { readonly holder: Holder }

/** Puts together who announced themselves and who holds what. */
export function fleetOf(rows: readonly WorkerRow[], open: readonly OpenRuns[]): Fleet {
  const heldBy = new Map<string, Held[]>()
  for (const runs of open) {
    const { holder } = runs
    if (holder === undefined) continue
    const key = holder.workerId ?? `?${holder.worker}`
    heldBy.set(key, [...(heldBy.get(key) ?? []), { ...runs, holder }])
  }
  const announced = rows.map((row) => {
    const held = heldBy.get(row.id) ?? []
    heldBy.delete(row.id)
    return workerOf(row, held)
  })
  const workers = [...announced, ...[...heldBy.values()].map((held) => workerOf(undefined, held))]
  return { workers, unserved: unservedOf(workers, open) }
}

function workerOf(row: WorkerRow | undefined, groups: readonly Held[]): FleetWorker {
  const held = groups.map(({ flow, version, runCount, holder: { oldestRun, sinceMs } }): HeldRuns => {
    return { flow, version, runCount, oldestRun, sinceMs }
  })
  const isHolding = groups.some(({ holder }) => holder.isAlive)
  const state = row === undefined || row.state === 'gone' ? (isHolding ? 'silent' : 'gone') : row.state
  return {
    name: row?.name ?? groups[0]?.holder.worker ?? '',
    state,
    announced: row,
    runCount: groups.reduce((sum, { runCount }) => sum + runCount, 0),
    held: held.sort((one, other) => (one.sinceMs ?? 0) - (other.sinceMs ?? 0)),
  }
}

function unservedOf(workers: readonly FleetWorker[], open: readonly OpenRuns[]): UnservedFlow[] {
  const served = new Set<string>()
  for (const { state, announced, held } of workers) {
    // A silent one has at least what it holds.
    const flows = state === 'working' ? (announced?.flows ?? []) : state === 'silent' ? held : []
    for (const { flow, version } of flows) served.add(keyOf(flow, version))
  }
  const unserved = new Map<string, UnservedFlow>()
  for (const { flow, version, runCount } of open) {
    const key = keyOf(flow, version)
    if (served.has(key)) continue
    const before = unserved.get(key)?.runCount ?? 0
    unserved.set(key, { flow, version, runCount: before + runCount, draining: drainingOf(workers, key) })
  }
  return [...unserved.values()].sort((one, other) =>
    one.flow < other.flow ? -1 : one.flow > other.flow ? 1 : one.version - other.version,
  )
}

function drainingOf(workers: readonly FleetWorker[], key: string): string[] {
  const has = ({ announced }: FleetWorker): boolean =>
    announced?.flows.some(({ flow, version }) => keyOf(flow, version) === key) === true
  return workers.filter((worker) => worker.state === 'draining' && has(worker)).map(({ name }) => name)
}
