import { draftOf, nothingSeen, parseRunId, type RunId } from '../../dist/journal/index.js'
import { type Claim, type Store, systemClock } from '../../dist/store/index.js'
import type { Database } from '../../dist/store/sqlite/driver.js'
import { absolutePath, open, type SqliteOptions } from '../../dist/store/sqlite/open.js'
import { storeOver } from '../../dist/store/sqlite/store.js'
import { partsOf } from './stores.js'

/** A store over a connection that a test meddles with. */
export interface MeddledStore {
  readonly store: Store
  /** The connection as it is. */
  readonly database: Database
}

/** Opens a database and puts what the function makes of its connection under a store. */
export async function meddledStore(
  options: SqliteOptions,
  meddle: (real: Database) => Database,
): Promise<MeddledStore> {
  const parts = partsOf(systemClock)
  const patience = {
    file: absolutePath(options.file),
    busyMsMax: options.busyMsMax ?? 30_000,
    randomBytes: parts.randomBytes,
  }
  const opened = await open(options, patience)
  const store = storeOver({ opened: { ...opened, database: meddle(opened.database) }, options, parts, patience })
  return { store, database: opened.database }
}

/** The event that starts a run. */
export const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '1')

/** The event of a step, with so much data. */
export function stepped(bytes = 10): { kind: string; body: string; data: string } {
  return { kind: 'StepCompleted', body: '{"op":"0"}', data: `"${'x'.repeat(bytes)}"` }
}

/** Creates a run. */
export function create(store: Store, run: string): Promise<unknown> {
  return store.create({ run: parseRunId(run), drafts: [started], by: 'system:test', seen: nothingSeen })
}

/** Claims what is due. */
export async function claim(store: Store, limit = 1, leaseMs = 60_000): Promise<readonly Claim[]> {
  const flows = [{ flow: 'f', version: 1 }]
  return (await store.claim({ worker: 'w', flows, limit, leaseMs, lostLeaseCountMax: 5 })).claims
}

/** An append of a claim's owner. */
export function append(store: Store, owner: Claim, bytes = 10): ReturnType<Store['append']> {
  return store.append({
    claim: owner,
    head: owner.head,
    drafts: [stepped(bytes)],
    seen: nothingSeen,
    readSignalCount: 0,
  })
}

/** Reads an id of a test. */
export function idOf(run: string): RunId {
  return parseRunId(run)
}
