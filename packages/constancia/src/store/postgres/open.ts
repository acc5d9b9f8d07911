import { moveStateError } from '../index.js'
import { checkServer, stateOf } from './checks.js'
import { type ConnectionOptions, type Connections, openPool } from './driver.js'
import { migrate } from './migrate.js'
import { moveStateOf } from './move-state.js'
import { type Patience, patiently } from './patience.js'
import { placeOf } from './place.js'
import { schemaFiller } from './schema.js'

/** Where the database is and how it is used. */
export interface PostgresOptions extends ConnectionOptions {
  /** The schema that holds the tables; `constancia` unless set. Created where there is none. */
  readonly schema?: string
  /** So many connections at most, besides one that listens and one of each heartbeat; 6 unless set, 3 at least. */
  readonly connectionCountMax?: number
  /** How long, in milliseconds, a database that is away or locked is waited for before `store_unavailable` or `store_locked`; 30,000 unless set. */
  readonly waitMsMax?: number
  /** So long, in milliseconds, an answer of the server is waited for before its line is taken for dead; 25,000 unless set. */
  readonly answerMsMax?: number
  /**
   * Where to listen for changes of other processes: `false` for nowhere, or a URL that leads past a pooler that shares
   * connections between transactions. As everything else unless set. Without it polls find what others did.
   */
  readonly listen?: false | string
  /** Opens in spite of settings that lose acknowledged events when the server crashes. */
  readonly allowUnsafe?: boolean
}

/** A database that was checked, and what is said about it. */
export interface Opened {
  readonly connections: Connections
  readonly connection: ConnectionOptions
  readonly listening: ConnectionOptions | undefined
  readonly schema: string
  readonly description: string
}

/**
 * Connects, checks the server and brings the schema up to date; safe while other processes do the same. Waits for a database
 * that is away. Rejects with `store_unsafe`, `store_forbidden`, `store_damaged`, `store_too_new`, `store_unavailable`, `store_moved` or
 * `store_unfinished`, and then has changed nothing.
 */
export function open(options: PostgresOptions, patience: Patience): Promise<Opened> {
  return openSchema(options, patience, async (connections, schema) => {
    const state = await moveStateOf({ on: connections, sql: schemaFiller(schema) })
    if (state !== undefined) throw moveStateError(patience.place, state)
  })
}

/** The same for a move: also where {@link open} rejects with `store_moved` or `store_unfinished`. */
export function openToMove(options: PostgresOptions, patience: Patience): Promise<Opened> {
  return openSchema(options, patience, async () => undefined)
}

async function openSchema(
  options: PostgresOptions,
  patience: Patience,
  admit: (connections: Connections, schema: string) => Promise<void>,
): Promise<Opened> {
  const { schema = 'constancia', connectionCountMax = 6, listen, allowUnsafe = false } = options
  const connection = connectionOf(options)
  const { place, answerMsMax } = patience
  const connections = openPool(connection, { countMax: Math.max(connectionCountMax, 3), answerMsMax })
  try {
    const state = await patiently(patience, () => stateOf(connections))
    checkServer(state, place, allowUnsafe)
    await patiently(patience, () => admit(connections, schema))
    await patiently(patience, () => migrate({ connections, schema, place }))
    await patiently(patience, () => connections.query(`SELECT "${schema.replaceAll('"', '""')}".now_ms()`))
    const description = `PostgreSQL ${state.version}, synchronous_commit=${state.synchronousCommit}, ${place}`
    return { connections, connection, listening: listeningOf(connection, listen), schema, description }
  } catch (error) {
    await connections.close()
    throw error
  }
}

/** The part of the options that says where the server is. */
export function connectionOf({ url, host, port, user, password, database, ssl }: PostgresOptions): ConnectionOptions {
  const given = { url, host, port, user, password, database, ssl }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function listeningOf(connection: ConnectionOptions, listen: PostgresOptions['listen']): ConnectionOptions | undefined {
  if (listen === false) return undefined
  return typeof listen === 'string' ? { ...connection, url: listen } : connection
}

/** How people know the database; never with its password. */
export function placeOfOptions(options: PostgresOptions): string {
  return placeOf(connectionOf(options), options.schema ?? 'constancia')
}
