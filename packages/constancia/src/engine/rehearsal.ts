import { parseRunId, runStream } from '../journal/index.js'
import type { RunRow, Store } from '../store/index.js'
import { Execution } from './execution.js'
import type { Parts } from './parts.js'
import type { FlowRegistry } from './registry.js'

/** What became of the replay of a run against the code at hand. */
export type Rehearsal =
  /** The code says what the journal has; the run would go on. */
  | { readonly kind: 'replays' }
  /** The run has ended: no code matters to it any more. */
  | { readonly kind: 'ended' }
  /** The code says something else, or the journal cannot be read: the run would be stuck. */
  | { readonly kind: 'diverges'; readonly code: string; readonly message: string }
  /** This process does not have the flow in the version of the run. */
  | { readonly kind: 'no_code'; readonly flow: string; readonly version: number }

/** What a rehearsal works with. */
export interface RehearsalInput {
  readonly store: Store
  readonly flows: FlowRegistry
  readonly parts: Parts
}

/** Replays a run against the code at hand. Nothing is executed, written or claimed. Rejects with faults of the store. */
export async function rehearse({ store, flows, parts }: RehearsalInput, row: RunRow): Promise<Rehearsal> {
  if (row.outcome !== 'open') return { kind: 'ended' }
  const flow = flows.find(row.flow, row.version)
  if (flow === undefined) return { kind: 'no_code', flow: row.flow, version: row.version }
  const claim = {
    run: row.id,
    id: parseRunId('rehearsal') as never,
    epoch: row.epoch,
    stream: runStream(row.id),
    flow: row.flow,
    version: row.version,
    head: row.head,
    lostLeaseCount: row.lostLeaseCount,
  }
  const silent = { ...parts, log: () => undefined }
  const nothing = { graceMs: 0, isRehearsal: true }
  const end = await new Execution({ store, claim, flow, parts: silent, ...nothing }).execute()
  switch (end.kind) {
    case 'stuck':
      return { kind: 'diverges', code: end.code, message: end.message }
    case 'fault':
      throw end.error
    case 'ended':
      return { kind: 'ended' }
    default:
      return { kind: 'replays' }
  }
}
