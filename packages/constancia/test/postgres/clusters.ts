import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rawConnection } from './database.js'
import { startServer } from './server.mjs'

/** A server of PostgreSQL. */
export interface Cluster {
  readonly url: string
  readonly port: number
  readonly folder: string
  stop(): Promise<void>
  kill(): Promise<void>
}

const settings = { wal_keep_size: '256MB', max_connections: '100' }

let empty: string | undefined

/** Deletes the empty one. */
export function disposeEmpty(): void {
  if (empty !== undefined) rmSync(join(empty, '..'), { recursive: true, force: true })
  empty = undefined
}

/** Servers of one test, in folders of their own. */
export class Clusters {
  readonly #folder = mkdtempSync(join(tmpdir(), 'constancia-clusters-'))
  readonly #started: Cluster[] = []
  #lastNo = 0

  /** A new one. Making an empty database takes longer than copying one that was made before. */
  async startNew(): Promise<Cluster> {
    if (empty === undefined) {
      empty = join(mkdtempSync(join(tmpdir(), 'constancia-empty-')), 'data')
      const made: Cluster = await startServer(empty, settings)
      await made.stop()
    }
    const folder = this.#newFolder()
    copyFolder(empty, folder)
    write(join(folder, 'port'), String(await freePort()))
    return this.start(folder)
  }

  /** Starts what is in a folder. */
  async start(folder: string): Promise<Cluster> {
    for (let tries = 0; ; tries += 1) {
      try {
        const cluster: Cluster = await startServer(folder, settings)
        this.#started.push(cluster)
        return cluster
      } catch (error) {
        // What is left of processes that were killed may hold on to shared memory for a moment.
        if (tries === 50) throw error
        await pause(100)
      }
    }
  }

  /** A copy of a server that is up, as a backup makes it: started, it is what that one was now. Returns its folder. */
  async backUp(cluster: Cluster): Promise<string> {
    const copy = this.#newFolder()
    const client = await rawConnection(cluster.url)
    await client.query(`SELECT pg_backup_start('copy', true)`)
    copyFolder(cluster.folder, copy)
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    copyFolder(join(cluster.folder, 'pg_wal'), copy)
    await client.end()
    rmSync(join(copy, 'postmaster.pid'), { force: true })
    write(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
    return copy
  }

  /** A server that follows another one. */
  async standBy(primary: Cluster): Promise<Cluster> {
    const folder = await this.backUp(primary)
    write(join(folder, 'standby.signal'), '')
    write(join(folder, 'port'), String(await freePort()))
    appendFileSync(
      join(folder, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
    )
    const standby = await this.start(folder)
    await until(primary, `SELECT count(*) = 1 AS is_so FROM pg_stat_replication WHERE state = 'streaming'`)
    return standby
  }

  async dispose(): Promise<void> {
    for (const cluster of this.#started) await cluster.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #newFolder(): string {
    this.#lastNo += 1
    return join(this.#folder, `c${this.#lastNo}`)
  }
}

/** Says something to a server, as a person with a shell. */
export async function tell(cluster: Cluster, ...statements: readonly string[]): Promise<void> {
  const client = await rawConnection(cluster.url)
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** Waits until a query says that it is so. */
export async function until(cluster: Cluster, query: string): Promise<void> {
  const client = await rawConnection(cluster.url)
  for (let count = 0; (await client.query<{ is_so: boolean }>(query)).rows[0]?.is_so !== true; count += 1) {
    if (count > 1_200) throw new Error(`It did not become so: ${query}`)
    await pause(50)
  }
  await client.end()
}

// Files that go away meanwhile are no matter: what was written is in the write-ahead log, which is copied last.
function copyFolder(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: 'pipe' })
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error
  }
}

function write(path: string, text: string): void {
  writeFileSync(path, text)
  const { uid, gid } = statSync(join(path, '..'))
  chownSync(path, uid, gid)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
