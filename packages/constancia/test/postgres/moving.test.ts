import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { open, type Runtime } from 'constancia'
import { postgres } from 'constancia/postgres'
import { sqlite } from 'constancia/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { type Draft, nothingSeen, parseRunId, runStream } from '../../dist/journal/index.js'
import { type MovableStoreFactory, moveStore, systemClock } from '../../dist/store/index.js'
import { Project, until } from '../cli/project.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'
import { movingProject } from './moving-flows.mjs'

const folders: string[] = []
const schemas: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  for (const schema of schemas.splice(0)) await dropSchema(schema)
})

async function schemaOfOwn(): Promise<{ readonly url: string; readonly schema: string }> {
  const schema = newSchema()
  schemas.push(schema)
  return { url: await databaseUrl(), schema }
}

describe('a project that is moved', { timeout: 180_000 }, () => {
  it('R-A2 R-A4 R-B12: goes on over PostgreSQL, no step twice, and every journal is the same to the byte, there and back', async () => {
    const project = new Project('')
    const { folder, database } = project
    const parts = movingProject(folder)
    project.write('constancia.config.mjs', configOf("sqlite({ file: 'app.db' })"))
    await populate(folder, sqlite({ file: database }))
    await killWorkerIn(folder)
    await addPendingOrder(sqlite({ file: database }))
    const before = await exportsOf(sqlite({ file: database }))
    expect(before.size).toBeGreaterThanOrEqual(12)

    const place = await schemaOfOwn()
    const words = ['--to', place.url, '--schema', place.schema, '--yes', '--json']
    const moved = await project.run(['migrate-store', ...words])
    expect([moved.code, moved.stderr]).toEqual([0, expect.stringContaining('About to move')])
    const events = [...before.values()].flat().length
    const counts = { runCount: before.size, eventCount: events, purgedCount: 1, entryCount: 1 }
    expect(JSON.parse(moved.stdout)).toEqual(expect.objectContaining(counts))
    expect(await exportsOf(postgres(place))).toEqual(before)
    await expect(open({ store: sqlite({ file: database }), flows: [] })).rejects.toMatchObject({ code: 'store_moved' })

    writeFileSync(join(folder, 'go'), '')
    writeFileSync(join(folder, 'mended'), '')
    await finish(parts, postgres(place))
    const counted = ledgerOf(folder)
    // The step during which its worker was killed was under way twice; every other one was executed once.
    expect(counted.get('stalled/1')).toBe(2)
    expect([...counted].filter(([key, count]) => key !== 'stalled/1' && count !== 1)).toEqual([])
    expect(counted.size).toBe(stepCount)

    const after = await exportsOf(postgres(place))
    for (const [run, lines] of before) expect(after.get(run)?.slice(0, lines.length)).toEqual(lines)
    const back = sqlite({ file: join(folder, 'back.db') })
    expect((await moveBetween(postgres(place), back)).kind).toBe('moved')
    expect(await exportsOf(back)).toEqual(after)
    await expect(open({ store: postgres(place), flows: [] })).rejects.toMatchObject({ code: 'store_moved' })
  })

  it('R-A2: is whole in one of its two places, whenever the process that moves it is killed, and the same command does the rest', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'constancia-moving-'))
    folders.push(folder)
    const file = join(folder, 'app.db')
    await populate(folder, sqlite({ file }))
    await addPendingOrder(sqlite({ file }))
    const place = await schemaOfOwn()
    let before = await exportsOf(sqlite({ file }))
    for (const killed of ['after expect', 'after put', 'before seal']) {
      expect(await runMover({ file, ...place, place: killed })).toBe('SIGKILL')
      expect(await exportsOf(sqlite({ file }))).toEqual(before)
      await expect(exportsOf(postgres(place))).rejects.toMatchObject({ code: 'store_unfinished' })
      // What was not moved goes on meanwhile.
      before = await addRun(file, killed.replace(' ', '-'))
    }
    expect(await runMover({ file, ...place, place: 'after seal' })).toBe('SIGKILL')
    await expect(exportsOf(sqlite({ file }))).rejects.toMatchObject({ code: 'store_moved' })
    await expect(exportsOf(postgres(place))).rejects.toMatchObject({ code: 'store_unfinished' })
    expect(await runMover({ file, ...place, place: 'after commit' })).toBe('SIGKILL')
    await expect(exportsOf(sqlite({ file }))).rejects.toMatchObject({ code: 'store_moved' })
    expect(await exportsOf(postgres(place))).toEqual(before)
  })
})

// It may not have begun yet.
async function becomes(runtime: Runtime, run: string, wanted: string): Promise<void> {
  const isSo = async (): Promise<boolean> => {
    const { items } = await runtime.runs({ idPrefix: parseRunId(run) })
    return items.some(({ id, status }) => id === run && status === wanted)
  }
  await until(isSo, `run ${run} is ${wanted}`)
}

type Parts = ReturnType<typeof movingProject>

function configOf(store: string): string {
  return `
    import { defineConfig } from 'constancia'
    import { sqlite } from 'constancia/sqlite'
    export default defineConfig({ store: ${store}, flows: [] })`
}

async function openOn(parts: Parts, store: MovableStoreFactory): Promise<Runtime> {
  const { daily, ...flows } = parts
  const worker = { pollMs: 20, graceMs: 0, leaseMs: 20_000 }
  return open({ store, flows: Object.values(flows), schedules: [daily], worker, log: () => undefined })
}

// Steps that are executed once all is finished: of waiting and both children of orders 2 each, of orders 1 each, of the relay 3,
// of the sleeper 1, of astray 2, of stalled 3.
const stepCount = 2 + 2 * 2 + 2 + 3 + 1 + 2 + 3

async function populate(folder: string, store: MovableStoreFactory): Promise<void> {
  const parts = movingProject(folder)
  const runtime = await openOn(parts, store)
  await runtime.start(parts.reader, undefined, { id: 'ended' })
  for (const name of ['late', 'early']) await runtime.run('ended').signal(name, name)
  await becomes(runtime, 'ended', 'completed')
  await runtime.start(parts.reader, undefined, { id: 'gone' })
  await runtime.run('gone').cancel()
  await becomes(runtime, 'gone', 'cancelled')
  expect(await runtime.purge(['gone'])).toEqual(['gone'])
  await runtime.start(parts.pay, 1, { id: 'waiting' })
  await runtime.start(parts.order, 2, { id: 'order' })
  await runtime.start(parts.relay, 0, { id: 'relay' })
  await runtime.start(parts.sleeper, undefined, { id: 'sleeper' })
  await runtime.start(parts.reader, undefined, { id: 'reader' })
  await runtime.run('reader').signal('early', 'unread', { delivery: 'once' })
  await runtime.start(parts.astray, undefined, { id: 'astray' })
  for (const run of ['waiting', 'order', 'order~0', 'relay~r2', 'sleeper', 'reader', 'schedule:daily'])
    await becomes(runtime, run, 'waiting')
  await becomes(runtime, 'astray', 'stuck')
  await runtime.close()
}

// A parent whose child nobody has started yet: its worker was gone between the two.
async function addPendingOrder(factory: MovableStoreFactory): Promise<void> {
  const store = await factory(partsOf(systemClock))
  const events = await store.read(runStream(parseRunId('order')), { limit: 2 })
  const drafts = events.map(({ kind, body, data }): Draft => {
    return { kind, body: body.replace('"order~0"', '"pending~0"'), data }
  })
  await store.create({ run: parseRunId('pending'), drafts, by: 'system:test', seen: nothingSeen })
  expect((await store.outbox({})).items.map(({ target }) => target)).toEqual(['pending~0'])
  await store.close()
}

// A real worker dies in the middle of a step.
async function killWorkerIn(folder: string): Promise<void> {
  const parts = movingProject(folder)
  const runtime = await open({ store: sqlite({ file: join(folder, 'app.db') }), flows: [parts.stalled], worker: false })
  await runtime.start(parts.stalled, undefined, { id: 'stalled' })
  await runtime.close()
  const script = fileURLToPath(new URL('moving-worker.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify({ folder })], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until(() => ledgerOf(folder).has('stalled/1'), 'the worker is in the middle of the step')
  child.kill('SIGKILL')
  await ended
}

async function finish(parts: Parts, store: MovableStoreFactory): Promise<void> {
  const runtime = await openOn(parts, store)
  expect((await runtime.run('reader').row()).signalCount).toBe(1)
  await runtime.run('reader').signal('early', 'not again', { delivery: 'once' })
  await runtime.run('reader').signal('late', 'now')
  await runtime.run('relay').signal('baton', 'here')
  await becomes(runtime, 'pending~0', 'waiting')
  for (const run of ['waiting', 'order~0', 'pending~0']) await runtime.run(run).signal('approved', 'bob')
  await runtime.run('astray').retry()
  for (const run of ['waiting', 'order', 'pending', 'relay~r2', 'reader', 'astray', 'stalled'])
    await becomes(runtime, run, 'completed')
  expect(await runtime.run('reader').result()).toEqual(['now', 'unread'])
  expect(await runtime.run('pending').result()).toEqual([2, 'bob'])
  for (const run of ['sleeper', 'schedule:daily']) await becomes(runtime, run, 'waiting')
  await expect(runtime.start(parts.reader, undefined, { id: 'gone' })).rejects.toMatchObject({ code: 'run_purged' })
  expect((await runtime.run('stalled').row()).epoch).toBe(2)
  await runtime.close()
}

/** Every journal as lines, by its run. */
async function exportsOf(store: MovableStoreFactory): Promise<Map<string, readonly string[]>> {
  const runtime = await open({ store, flows: [], worker: false, log: () => undefined })
  try {
    const { items } = await runtime.runs({ limit: 1000 })
    const all = items.map(async ({ id }) => [id, await runtime.run(id).export()] as const)
    return new Map(await Promise.all(all))
  } finally {
    await runtime.close()
  }
}

function ledgerOf(folder: string): Map<string, number> {
  const file = join(folder, 'ledger')
  const counts = new Map<string, number>()
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  for (const key of lines) if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

async function moveBetween(from: MovableStoreFactory, to: MovableStoreFactory) {
  const parts = partsOf(systemClock)
  const [source, target] = [await from.openToMove(parts), await to.openToMove(parts)]
  const outcome = await moveStore(source, target, { id: 'back', nowMs: systemClock.now() })
  await Promise.all([source.close(), target.close()])
  return outcome
}

async function addRun(file: string, id: string): Promise<Map<string, readonly string[]>> {
  const parts = movingProject('/nowhere')
  const runtime = await open({ store: sqlite({ file }), flows: [parts.reader], worker: false })
  await runtime.start(parts.reader, undefined, { id })
  await runtime.close()
  return exportsOf(sqlite({ file }))
}

/** Resolves with the signal that ended it. */
function runMover(given: Readonly<Record<string, unknown>>): Promise<string | null> {
  const script = fileURLToPath(new URL('mover.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(given)], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)))
}
