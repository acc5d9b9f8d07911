import { storeError } from '../index.js'
import type { Connection } from './driver.js'

/** What a server says of itself. */
export interface ServerState {
  readonly version: string
  readonly versionNo: number
  readonly synchronousCommit: string
  readonly fsync: string
  readonly fullPageWrites: string
  readonly encoding: string
  readonly isRecovering: boolean
  readonly isReadOnly: boolean
}

const versionNoMin = 140_000

const select = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS version_no,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS is_recovering, current_setting('transaction_read_only') AS read_only`

/** Asks a server how it is set. */
export async function stateOf(on: Connection): Promise<ServerState> {
  const [row = {}] = await on.query(select)
  return {
    version: String(row['version']),
    versionNo: Number(row['version_no']),
    synchronousCommit: String(row['synchronous_commit']),
    fsync: String(row['fsync']),
    fullPageWrites: String(row['full_page_writes']),
    encoding: String(row['encoding']),
    isRecovering: row['is_recovering'] === true,
    isReadOnly: row['read_only'] === 'on',
  }
}

/**
 * Refuses, with `store_unsafe`, a server that would lose acknowledged events or answer with old ones. `allowUnsafe` accepts
 * settings that lose events when the server crashes; never a server that cannot be used at all.
 */
export function checkServer(state: ServerState, place: string, allowUnsafe: boolean): void {
  const problem = unusable(state) ?? (allowUnsafe ? undefined : unsafe(state))
  if (problem === undefined) return
  throw storeError('store_unsafe', `${place} ${problem[0]} No run was touched. ${problem[1]}`)
}

type Problem = readonly [what: string, remedy: string]

function unusable({ version, versionNo, encoding, isRecovering, isReadOnly }: ServerState): Problem | undefined {
  if (versionNo < versionNoMin) return [`is PostgreSQL ${version}, which is too old.`, 'Use version 14 or later.']
  if (isRecovering) {
    return [
      'is a standby or a read replica: it cannot be written to, and what it shows may be old.',
      'Connect to the primary server.',
    ]
  }
  if (isReadOnly) {
    return [
      'lets us read only (default_transaction_read_only=on).',
      'Set it to off for this role and database, or connect to the primary server.',
    ]
  }
  if (encoding !== 'UTF8') {
    return [`has the encoding ${encoding}, which cannot keep every text.`, 'Create a database with the encoding UTF8.']
  }
  return undefined
}

function unsafe({ synchronousCommit, fsync, fullPageWrites }: ServerState): Problem | undefined {
  const remedy = (what: string): string =>
    `Set it to on (ALTER ROLE … SET ${what} = on, or in postgresql.conf); allowUnsafe: true opens it all the same.`
  const loss = 'so acknowledged events could be lost when the server crashes.'
  if (synchronousCommit === 'off') return [`has synchronous_commit=off, ${loss}`, remedy('synchronous_commit')]
  if (fsync !== 'on') return [`has fsync=${fsync}, ${loss}`, remedy('fsync')]
  if (fullPageWrites !== 'on') return [`has full_page_writes=${fullPageWrites}, ${loss}`, remedy('full_page_writes')]
  return undefined
}
