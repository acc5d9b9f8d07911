import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { systemClock } from '../index.js'
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

/** What a statement came to. */
export interface Answer {
  readonly rows: Row[]
  readonly rowCount: number
}

/** A connection that is ours until it is given back. */
export interface Lent extends Connection {
  /** Sends a statement of somebody else: one, whatever its text, and anything that the driver takes for its values. */
  ask(sql: string, values: readonly unknown[]): Promise<Answer>
  /** Gives it back, or ends it where something is wrong with it. */
  giveBack(isBroken: boolean): void
}

/** Connections that are shared. */
export interface Connections extends Connection {
  /** How many there are at most. */
  readonly countMax: number
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

/** How long, in milliseconds, an answer is waited for unless it is said: longer than any lock, short enough to notice a dead line. */
export const usualAnswerMsMax = 25_000
const connectMsMax = 5_000
// A server that says goodbye does so at once; a line that is dead never will.
const goodbyeMsMax = 1_000

/** How connections are used. */
export interface Manner {
  /** So long nothing may be heard of a statement; then its line is taken for dead, and is ended. */
  readonly answerMsMax: number
}

// Numbers of 64 bits are counts and milliseconds here: all of them are exact as numbers.
const types = {
  getTypeParser: (oid: number, format?: string): unknown =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, (format ?? 'text') as 'text'),
} as unknown as pg.CustomTypesConfig

/** Opens connections as they are needed, so many at most. Nothing is connected yet. */
export function openPool(
  options: ConnectionOptions,
  { countMax, ...manner }: Manner & { readonly countMax: number },
): Connections {
  const directness = new Directness()
  const onConnect = async (client: pg.ClientBase): Promise<void> => {
    const [row] = await ask(client, { text: 'SELECT pg_backend_pid() AS pid' })
    directness.note(client as Greeted, Number(row?.['pid']))
  }
  const pool = new pg.Pool({ ...configOf(options, manner), max: countMax, idleTimeoutMillis: 30_000, onConnect })
  const open = keepTrackOf(pool)
  const once = async (named: boolean, sql: string, values?: readonly Value[]): Promise<Row[]> => {
    const client = await pool.connect()
    const name = named && directness.isDirect(client as Greeted) ? nameOf(sql) : undefined
    try {
      const rows = await ask(client, { text: sql, values, name })
      client.release()
      return rows
    } catch (error) {
      if (named) directness.doubt(sqlStateOf(error))
      client.release(named || isOfNoMoreUse(error))
      throw error
    }
  }
  return {
    countMax,
    query: (sql, values) => once(false, sql, values),
    call: (sql, values) => once(true, sql, values),
    lend: async () => {
      const client = await pool.connect()
      return {
        query: (sql, values) => ask(client, { text: sql, values }),
        ask: (sql, values) => askOne(client, sql, values),
        giveBack: (isBroken) => client.release(isBroken),
      }
    },
    close: async () => {
      const disarm = systemClock.after(goodbyeMsMax, () => {
        for (const client of open) streamOf(client).destroy()
      })
      await pool.end()
      while (open.size > 0) await new Promise((resolve) => pool.once('remove', resolve))
      disarm()
    },
  }
}

// The connections of a pool that are open. An error takes one out of it, and whoever waits for an answer hears of it; it is
// listened for from the first moment, for a server may end a connection with the same packet by which it opens it.
function keepTrackOf(pool: pg.Pool): ReadonlySet<pg.PoolClient> {
  const open = new Set<pg.PoolClient>()
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    open.add(client)
    heedNotices(client)
    client.on('error', () => undefined)
  })
  pool.on('remove', (client) => open.delete(client as pg.PoolClient))
  return open
}

/**
 * Whether a connection is of no more use after this error: the line is broken, or leads to a server that ends, or that does
 * not write any more while another one may at the same address.
 */
export function isOfNoMoreUse(error: unknown): boolean {
  return /^(?:08|25006|25P03|53|57)/.test(sqlStateOf(error) ?? '08')
}

const names = new Map<string, string>()

// Of its text: whatever else is prepared on the same server process, by other versions too, has another name.
function nameOf(sql: string): string {
  const known = names.get(sql) ?? `constancia/${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
  names.set(sql, known)
  return known
}

/** Connects. Rejects with the driver's error. */
export async function connect(options: ConnectionOptions, manner: Manner): Promise<OwnConnection> {
  const client = new pg.Client(configOf(options, manner))
  client.on('error', () => undefined)
  heedNotices(client)
  await client.connect()
  return {
    query: (sql, values) => ask(client, { text: sql, values }),
    onNotification: (listener) => void client.on('notification', ({ payload }) => listener(payload ?? '')),
    onEnd: (listener) => void client.once('end', listener),
    close: async () => {
      const disarm = systemClock.after(goodbyeMsMax, () => streamOf(client).destroy())
      await client.end()
      disarm()
    },
  }
}

// What the driver does not show: the end of a line that is dead has to be made.
function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream
}

/** A commit is there, but the wait for a standby that should have it too was cancelled: nobody knows whether it has. */
export class UnconfirmedError extends Error {
  constructor() {
    super('the wait for a synchronous standby was cancelled, so what was committed may be lost with this server')
  }
}

const unconfirmed = new WeakSet<pg.ClientBase>()

// It comes as a warning, in the language of the server, beside an answer that all is well.
function heedNotices(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unconfirmed.add(client)
  })
}

function configOf({ url, ssl, ...options }: ConnectionOptions, { answerMsMax }: Manner): pg.ClientConfig {
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

async function ask(on: pg.ClientBase, { text, values, name }: Question): Promise<Row[]> {
  const bound = values === undefined ? {} : { values: [...values] }
  const { rows } = await on.query<Row>(name === undefined ? { text, ...bound } : { text, name, ...bound })
  if (unconfirmed.delete(on)) throw new UnconfirmedError()
  return rows
}

// The extended protocol refuses a text of several statements, which the simple one would execute.
async function askOne(on: pg.ClientBase, text: string, values: readonly unknown[]): Promise<Answer> {
  const question = { text, values: [...values], queryMode: 'extended' }
  const { rows, rowCount } = await on.query<Row>(question)
  return { rows, rowCount: rowCount ?? 0 }
}

/** What the server called an error, and where it lies in the schema; undefined if it is none of the server's. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}
