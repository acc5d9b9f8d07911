import type { Socket } from 'node:net'
import pg from 'pg'
import { systemClock } from '../index.js'

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

/** What can be bound to a statement; arrays are bound as their literals. */
export type Value = null | string | number | boolean | readonly (string | number)[]

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
  const pool = new pg.Pool({ ...configOf(options, manner), max: countMax, idleTimeoutMillis: 30_000 })
  const open = new Set<pg.PoolClient>()
  // The connection is taken out of the pool, and whoever waits for an answer hears of it.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    open.add(client)
    heedNotices(client)
    // From the first moment: a server may end a connection with the same packet by which it opens it.
    client.on('error', () => undefined)
  })
  pool.on('remove', (client) => open.delete(client as pg.PoolClient))
  const lend = async (): Promise<Lent> => lentOf(await pool.connect())
  return {
    lend,
    query: async (sql, values) => {
      const lent = await lend()
      try {
        const rows = await lent.query(sql, values)
        lent.giveBack(false)
        return rows
      } catch (error) {
        lent.giveBack(isOfNoMoreUse(error))
        throw error
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

function lentOf(client: pg.PoolClient): Lent {
  return { query: (sql, values) => ask(client, sql, values), giveBack: (isBroken) => client.release(isBroken) }
}

/**
 * Whether a connection is of no more use after this error: the line is broken, or leads to a server that ends, or that does
 * not write any more while another one may at the same address.
 */
export function isOfNoMoreUse(error: unknown): boolean {
  return /^(?:08|25006|25P03|53|57)/.test(sqlStateOf(error) ?? '08')
}

/** Connects. Rejects with the driver's error. */
export async function connect(options: ConnectionOptions, manner: Manner): Promise<OwnConnection> {
  const client = new pg.Client(configOf(options, manner))
  client.on('error', () => undefined)
  heedNotices(client)
  await client.connect()
  return {
    query: (sql, values) => ask(client, sql, values),
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

async function ask(on: pg.ClientBase, sql: string, values?: readonly Value[]): Promise<Row[]> {
  const { rows } = await on.query<Row>(values === undefined ? { text: sql } : { text: sql, values: [...values] })
  if (unconfirmed.delete(on)) throw new UnconfirmedError()
  return rows
}

/** What the server called an error, and where it lies in the schema; undefined if it is none of the server's. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}
