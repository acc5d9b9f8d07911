import { createHash } from 'node:crypto'
import pg from 'pg'
import { Directness, type Greeted } from './directness.js'

/** The one file that knows the driver. */

/** Where the server is and who asks. Plain data: it is handed to a thread as well. */
export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  /** As `tls.connect` takes it. */
  readonly ssl?:
    | boolean
    | { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly rejectUnauthorized?: boolean }
}

/** A row: its columns by their names. */
export type Row = Readonly<Record<string, unknown>>

/** What can be bound to a statement; bytes as they are, arrays as their literals. */
export type Value = null | string | number | boolean | Uint8Array | readonly (string | number)[]

/** Something that answers statements. */
export interface Connection {
  /** Sends a statement at once, also while others are under way: they are answered in order. Rejects with the driver's error. */
  query(sql: string, values?: readonly Value[]): Promise<Row[]>
}

/** A connection that is ours until it is given back. */
export interface Lent extends Connection {
  /** Gives it back, or ends it where something is wrong with it. */
  giveBack(isBroken: boolean): void
}

/** Connections that are shared. */
export interface Connections extends Connection {
  /**
   * The same as `query` for the call of a function, which is sent again and again: the server parses it once, where no pooler
   * shares the connection between transactions.
   */
  call(sql: string, values: readonly Value[]): Promise<Row[]>
  lend(): Promise<Lent>
  close(): Promise<void>
}

/** A connection that is nobody else's. */
export interface OwnConnection extends Connection {
  /** Told what is sent to a channel. */
  onNotification(listener: (text: string) => void): void
  /** Told once that the connection is gone. */
  onEnd(listener: () => void): void
  close(): Promise<void>
}

// So long nothing may be heard of a statement: longer than any wait for a lock, short enough to notice a dead line.
const answerMsMax = 25_000
const connectMsMax = 5_000

// Numbers of 64 bits are counts and milliseconds here: all of them are exact as numbers.
const types = {
  getTypeParser: (oid: number, format?: string): unknown =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, (format ?? 'text') as 'text'),
} as unknown as pg.CustomTypesConfig

/** Opens connections as they are needed, so many at most. Nothing is connected yet. */
export function openPool(options: ConnectionOptions, countMax: number): Connections {
  const directness = new Directness()
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    const [row] = await ask(client, { text: 'SELECT pg_backend_pid() AS pid' })
    directness.note(client as Greeted, Number(row?.['pid']))
  }
  const pool = new pg.Pool({ ...configOf(options), max: countMax, idleTimeoutMillis: 30_000, onConnect })
  // The connection is taken out of the pool, and whoever waits for an answer hears of it.
  pool.on('error', () => undefined)
  return {
    query: (sql, values) => ask(pool, { text: sql, values }),
    call: async (sql, values) => {
      const client = await pool.connect()
      const ignore = (): void => undefined
      client.on('error', ignore)
      const name = directness.isDirect(client as Greeted) ? nameOf(sql) : undefined
      let isBroken = true
      try {
        const rows = await ask(client, { text: sql, values, name })
        isBroken = false
        return rows
      } catch (error) {
        directness.doubt(sqlStateOf(error))
        throw error
      } finally {
        client.off('error', ignore)
        client.release(isBroken)
      }
    },
    lend: () => lend(pool),
    close: () => pool.end(),
  }
}

async function lend(pool: pg.Pool): Promise<Lent> {
  const client = await pool.connect()
  const ignore = (): void => undefined
  client.on('error', ignore)
  return {
    query: (sql, values) => ask(client, { text: sql, values }),
    giveBack: (isBroken) => {
      client.off('error', ignore)
      client.release(isBroken)
    },
  }
}

const names = new Map<string, string>()

// Of its text: whatever else is prepared on the same server process, by other versions too, has another name.
function nameOf(sql: string): string {
  const known = names.get(sql) ?? `constancia/${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
  names.set(sql, known)
  return known
}

/** Connects. Rejects with the driver's error. */
export async function connect(options: ConnectionOptions): Promise<OwnConnection> {
  const client = new pg.Client(configOf(options))
  client.on('error', () => undefined)
  await client.connect()
  return {
    query: (sql, values) => ask(client, { text: sql, values }),
    onNotification: (listener) => void client.on('notification', ({ payload }) => listener(payload ?? '')),
    onEnd: (listener) => void client.once('end', listener),
    close: () => client.end(),
  }
}

function configOf({ url, ssl, ...options }: ConnectionOptions): pg.ClientConfig {
  return {
    ...(url === undefined ? options : { connectionString: url }),
    ...(ssl === undefined ? {} : { ssl: ssl as NonNullable<pg.ClientConfig['ssl']> }),
    types,
    // Statements are sent without waiting for the answer to the one before: a transaction takes fewer round trips.
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: answerMsMax,
    application_name: 'constancia',
  }
}

interface Question {
  readonly text: string
  readonly values?: readonly Value[] | undefined
  /** Prepared by this name. */
  readonly name?: string | undefined
}

async function ask(on: pg.Pool | pg.ClientBase, { text, values, name }: Question): Promise<Row[]> {
  const bound = values === undefined ? {} : { values: [...values] }
  const { rows } = await on.query<Row>(name === undefined ? { text, ...bound } : { text, name, ...bound })
  return rows
}

/** What the server called an error, and where it lies in the schema; undefined if it is none of the server's. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}
