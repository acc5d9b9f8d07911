import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { namedServer } from './choice.mjs'

let found: Promise<string> | undefined

/**
 * Where a PostgreSQL for tests is: `DATABASE_URL` where that is set, else one that the first who asks starts, for all files of
 * this run of the tests. It ends with the process that runs them.
 */
export function databaseUrl(): Promise<string> {
  const named = namedServer(process.env)
  found ??= named === undefined ? started() : Promise.resolve(named)
  return found
}

async function started(): Promise<string> {
  const folder = join(tmpdir(), `constancia-postgres-${process.ppid}`)
  const ready = join(folder, 'ready.json')
  if (isStale(ready)) rmSync(folder, { recursive: true, force: true })
  if (makes(folder)) {
    const keeper = fileURLToPath(new URL('keeper.mjs', import.meta.url))
    spawn(process.execPath, [keeper, folder, String(process.ppid)], { detached: true, stdio: 'ignore' }).unref()
  }
  for (let count = 0; !existsSync(ready); count += 1) {
    if (count > 2000) throw new Error(`No PostgreSQL came up in ${folder}.`)
    await pause(20)
  }
  const { url, error } = JSON.parse(readFileSync(ready, 'utf8')) as { url?: string; error?: string }
  if (url === undefined) throw new Error(`PostgreSQL could not be started: ${error}`)
  return url
}

// Left behind by somebody who had the same number, and was killed together with its keeper.
function isStale(ready: string): boolean {
  if (!existsSync(ready)) return false
  const { pid } = JSON.parse(readFileSync(ready, 'utf8')) as { pid?: number }
  try {
    return pid !== undefined && !process.kill(pid, 0)
  } catch {
    return true
  }
}

// Of several who try at once, one makes it.
function makes(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** A connection of somebody who does not use the store: a person with a shell. */
export async function rawConnection(url?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url ?? (await databaseUrl()) })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

let lastNo = 0

/** The name of a schema that nobody else has. */
export function newSchema(): string {
  lastNo += 1
  return `test_${process.pid}_${Date.now().toString(36)}_${lastNo}`
}

/** Deletes a schema and all that is in it. */
export async function dropSchema(schema: string, url?: string): Promise<void> {
  const client = await rawConnection(url)
  await client.query('SET client_min_messages = warning')
  await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await client.end()
}
