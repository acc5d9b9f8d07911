import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packageFolder } from '../cli/project.js'

/** What a configuration of these tests is made of. */
export interface FleetConfig {
  readonly url: string
  readonly schema: string
  /** Where the effects go. */
  readonly ledger: string
  /** A file: what waits goes on once it is there. */
  readonly gate: string
  readonly versions: readonly number[]
  /** How long the store waits for a database that is away, in milliseconds. */
  readonly waitMs?: number
}

/**
 * A configuration for worker processes: `order` has three effects, the second of which lasts until the gate is open; `rounds` has one
 * effect after the other until then.
 */
export function fleetConfig({ url, schema, ledger, gate, versions, waitMs = 30_000 }: FleetConfig): string {
  return `
    import { existsSync } from 'node:fs'
    import { request } from 'node:http'
    import { setTimeout as pause } from 'node:timers/promises'
    import { defineConfig, flow } from 'constancia'
    import { postgres } from 'constancia/postgres'

    // A connection for each: one that is kept may be closed just when it is used.
    const send = ({ key, epoch }, body) => new Promise((resolve, reject) => {
      const headers = { 'idempotency-key': key, 'fencing-token': String(epoch), 'content-type': 'application/json' }
      const sent = request(${JSON.stringify(ledger)}, { method: 'POST', agent: false, headers }, (answer) => {
        answer.resume().once('end', () => answer.statusCode === 200 ? resolve() : reject(new Error('refused: ' + answer.statusCode)))
      })
      sent.once('error', reject).end(JSON.stringify(body))
    })
    const isOpen = () => existsSync(${JSON.stringify(gate)})
    const order = (version) => flow({ name: 'order', version, run: async (ctx) => {
      await ctx.step('one', (attempt) => send(attempt, 'one'))
      await ctx.step('two', async (attempt) => {
        await send(attempt, 'two')
        while (!isOpen()) await pause(20)
      })
      await ctx.step('three', (attempt) => send(attempt, 'three'))
      return version
    } })
    const rounds = flow({ name: 'rounds', version: 1, run: async (ctx) => {
      let count = 0
      do {
        await ctx.step('round', (attempt) => send(attempt, 'round'))
        await ctx.step('pause', () => pause(20))
        count += 1
      } while (!(await ctx.step('enough', isOpen)))
      return count
    } })
    export default defineConfig({
      store: postgres({ url: ${JSON.stringify(url)}, schema: ${JSON.stringify(schema)}, waitMsMax: ${waitMs} }),
      flows: [...${JSON.stringify(versions)}.map(order), rounds],
      worker: { pollMs: 100, leaseMs: 60_000, graceMs: 600_000, lostLeaseCountMax: 1_000_000 },
    })`
}

/** A folder with a copy of the package in which somebody has added a migration: a later version, as far as a store can tell. */
export function makeLater(folder: string, config: string): void {
  const modules = join(folder, 'node_modules')
  const copy = join(modules, 'constancia')
  mkdirSync(join(modules, '@constancia'), { recursive: true })
  const root = resolve(packageFolder, '../..')
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== 'constancia' && !name.startsWith('@constancia') && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  symlinkSync(join(root, 'packages/verify'), join(modules, '@constancia/verify'))
  for (const name of ['dist', 'bin', 'package.json'])
    cpSync(join(packageFolder, name), join(copy, name), { recursive: true })
  const list = join(copy, 'dist/store/postgres/migrations/index.js')
  const text = readFileSync(list, 'utf8')
  const more =
    "'CREATE TABLE {schema}.later (a integer); ALTER TABLE {schema}.runs ADD COLUMN later integer NOT NULL DEFAULT 7;'"
  const changed = text.replace(/(export const migrations = \[[^\]]*?),?\s*\]/, `$1, ${more}]`)
  if (changed === text || !existsSync(copy)) throw new Error(`There is no list of migrations in ${list}.`)
  writeFileSync(list, changed)
  writeFileSync(join(folder, 'constancia.config.mjs'), config)
}
