import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import type { Config } from '../governance/index.js'
import { defaultLimits } from '../journal/index.js'
import {
  isMovable,
  type MovableStoreFactory,
  type Moving,
  type StoreFactory,
  type StoreParts,
  systemClock,
} from '../store/index.js'
import type { PostgresOptions } from '../store/postgres/index.js'
import { sqlite, sqlitePlace } from '../store/sqlite/index.js'
import type { Call } from './command.js'
import { HandOver } from './config.js'
import { cliError, messageOf } from './errors.js'
import { printableLines } from './text.js'

/** A store of a move: how to open it again, and it. */
export interface Side {
  readonly factory: MovableStoreFactory
  readonly moving: Moving
  /** What a store of the call is given when it is opened. */
  readonly parts: StoreParts
}

/**
 * Opens the store of the project for a move. Throws `store_missing` where there is no database, `usage` for a store that cannot
 * be moved, and faults of the store.
 */
export async function openSource(call: Call): Promise<Side> {
  const { config, file } = await call.config()
  const place = sqlitePlace(config.store)
  if (place !== undefined && !existsSync(place.file)) {
    throw cliError('store_missing', `There is no database ${place.file}, which ${file} names. Nothing was moved.`)
  }
  return openSide(call, config.store, config)
}

/** Opens where a move goes, and makes it where there is none. Throws `usage` for what names no store. */
export async function openTarget(call: Call, to: string): Promise<Side> {
  const { limits = {} } = (await call.config()).config
  return openSide(call, await factoryOf(call, to), { limits })
}

async function openSide(call: Call, factory: StoreFactory, { limits }: Pick<Config, 'limits'>): Promise<Side> {
  if (!isMovable(factory)) {
    throw cliError('usage', 'Only stores of sqlite(…) and postgres(…) can be moved. Nothing was done.')
  }
  const parts: StoreParts = {
    clock: systemClock,
    randomBytes: (count) => randomBytes(count),
    limits: { ...defaultLimits, ...limits },
    warn: (message) => call.terminal.say(printableLines(message)),
  }
  return { factory, parts, moving: await factory.openToMove(parts) }
}

async function factoryOf(call: Call, to: string): Promise<StoreFactory> {
  const schema = call.options.text('schema')
  if (/^postgres(ql)?:\/\//.test(to))
    return postgresAt({ url: to, waitMsMax, ...(schema === undefined ? {} : { schema }) })
  if (schema !== undefined)
    throw cliError('usage', '--schema is for a target that is a URL of PostgreSQL. Nothing was done.')
  if (to.startsWith('sqlite:')) return sqliteAt(resolve(call.folder, to.slice('sqlite:'.length)))
  if (/^\.[mc]?[jt]s$/.test(extname(to))) return ofConfig(call, to)
  throw cliError(
    'usage',
    'A target is the URL of a PostgreSQL (postgres://…), a file of SQLite (sqlite:app.db) or another configuration ' +
      `(other.config.ts), but it was ${JSON.stringify(withoutPassword(to))}. Nothing was done.`,
  )
}

function withoutPassword(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//')
}

// Whoever waits for a command wants to know soon that a server is not there.
const waitMsMax = 5_000

async function postgresAt(options: PostgresOptions): Promise<StoreFactory> {
  try {
    // Only who needs its driver has it.
    const { postgres } = await import('../store/postgres/index.js')
    return postgres(options)
  } catch (cause) {
    const message = `PostgreSQL needs the package pg (${messageOf(cause)}). Nothing was done; npm install pg, then give the command again.`
    throw cliError('config_invalid', message, { cause })
  }
}

function sqliteAt(file: string): StoreFactory {
  if (existsSync(dirname(file))) return sqlite({ file })
  throw cliError('usage', `There is no folder ${dirname(file)}, so nothing can be moved to ${file}. Nothing was done.`)
}

async function ofConfig(call: Call, to: string): Promise<StoreFactory> {
  try {
    return (await call.otherConfig(resolve(call.folder, to))).config.store
  } catch (error) {
    if (!(error instanceof HandOver)) throw error
    const message = `${to} belongs to a project with another copy of Constancia. Nothing was done; put it beside this project's own configuration.`
    throw cliError('config_invalid', message, { cause: error })
  }
}
