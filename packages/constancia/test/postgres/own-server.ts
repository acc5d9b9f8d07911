import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { rawConnection } from './database.js'
import { startServer } from './server.mjs'

type Running = Awaited<ReturnType<typeof startServer>>

const startMsMax = 180_000

// What a crash leaves is synced at the next start: with one call, where the system has it, instead of one for each file.
const quick = process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}

/** A PostgreSQL that one test has for itself, and may end as it likes. Its port and its data stay the same. */
export class OwnServer {
  readonly #settings: Readonly<Record<string, string>>
  readonly #home: string
  #folder: string
  #running: Running | undefined
  #raw: pg.Client | undefined
  readonly url: string
  readonly port: number

  private constructor(home: string, settings: Readonly<Record<string, string>>, running: Running) {
    this.#home = home
    this.#folder = join(home, 'data')
    this.#settings = settings
    this.#running = running
    this.url = running.url
    this.port = running.port
  }

  /** Makes and starts one. */
  static async open(given: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
    const home = mkdtempSync(join(tmpdir(), 'constancia-server-'))
    const settings = { ...quick, shared_buffers: '16MB', ...given }
    return new OwnServer(home, settings, await startServer(join(home, 'data'), settings))
  }

  /** Asks it something as a superuser, over a connection that is kept. */
  async ask(sql: string): Promise<Record<string, unknown>[]> {
    this.#raw ??= await rawConnection(this.url)
    return (await this.#raw.query(sql)).rows
  }

  /** Ends it, with all its processes, by SIGKILL. */
  async kill(): Promise<void> {
    await this.#running?.kill()
    await this.#forget()
  }

  /** Ends it in an orderly way, without waiting for clients. */
  async stop(): Promise<void> {
    await this.#running?.stop()
    await this.#forget()
  }

  /** Starts it again; `folder` is where its data are, if they are somewhere else by now. */
  async start(folder = this.#folder): Promise<void> {
    this.#folder = folder
    for (const untilMs = performance.now() + startMsMax; this.#running === undefined; ) {
      try {
        this.#running = await startServer(folder, this.#settings)
      } catch (error) {
        // What is left of processes that were killed may hold on to shared memory for a moment.
        if (performance.now() > untilMs) throw error
        await pause(100)
      }
    }
  }

  /** Where its data are, and a folder beside them. */
  folder(name = 'data'): string {
    return join(this.#home, name)
  }

  /** Sets something for all sessions, those that are open too; `null` takes it back. */
  async set(name: string, value: string | null): Promise<void> {
    await this.ask(value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} = ${value}`)
    await this.ask('SELECT pg_reload_conf()')
  }

  async close(): Promise<void> {
    await this.#raw?.end()
    this.#raw = undefined
    await this.#running?.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async #forget(): Promise<void> {
    this.#running = undefined
    await this.#raw?.end().catch(() => undefined)
    this.#raw = undefined
  }
}
