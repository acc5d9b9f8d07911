import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { flow } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { draftOf, nothingSeen, parseRunId } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { openSqlite } from '../store/stores.js'
import { Place, until } from './marked.js'

const places: Place[] = []
let place: Place

function newPlace(made = new Place()): Place {
  places.push(made)
  return made
}

beforeEach(() => {
  place = newPlace()
})

afterEach(async () => {
  for (const one of places.splice(0)) await one.dispose()
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve))

/** A run whose first step is in a copy, and whose second is only in the database. */
async function grown(at: Place): Promise<{ readonly copy: string }> {
  const runtime = await at.open()
  const run = await runtime.start(at.two, 'r1', { id: 'r1' })
  await until(runtime, 'r1', ({ status }) => status === 'waiting')
  const copy = at.backUp('old.db')
  await run.signal('go', undefined, { delivery: 'd1' })
  await until(runtime, 'r1', ({ status, head }) => status === 'waiting' && head.seq === 3)
  await runtime.start(at.two, 'r2', { id: 'r2' })
  await until(runtime, 'r2', ({ status }) => status === 'waiting')
  await runtime.close()
  expect(at.executed).toEqual(['r1 first', 'r1 second', 'r2 first'])
  return { copy }
}

describe('T8 an old copy of a database', { timeout: 120_000 }, () => {
  test('is noticed at start: no run is taken, nothing is written, and it is said once what is missing and what to do', async () => {
    const { copy } = await grown(place)
    place.restore(copy)
    const runtime = await place.open()
    expect(await runtime.loss()).toMatchObject({ kind: 'behind' })
    await pause(100)
    expect(place.alarms).toEqual([expect.stringContaining('Known to be missing: run r1 (event 3), run r2 (event 1).')])
    expect(place.alarms[0]).toContain('constancia quarantine')
    const refused = { code: 'store_rolled_back', message: expect.stringContaining('run r2') }
    await expect(runtime.start(place.two, 'r3', { id: 'r3' })).rejects.toMatchObject(refused)
    await expect(runtime.run('r1').signal('go', undefined, { delivery: 'd1' })).rejects.toMatchObject(refused)
    await expect(runtime.run('r1').cancel()).rejects.toMatchObject(refused)
    await expect(runtime.purge(['r1'])).rejects.toMatchObject(refused)
    // Whoever looks may look.
    expect((await runtime.runs()).items.map(({ id }) => id)).toEqual(['r1'])
    expect((await runtime.run('r1').events()).length).toBe(2)
    expect(place.executed).toEqual(['r1 first', 'r1 second', 'r2 first'])
  })

  test('is parked run by run by a quarantine; each goes on once it is retried, and not before', async () => {
    const { copy } = await grown(place)
    place.restore(copy)
    const worker = await place.open()
    const operator = await place.open({ worker: false })
    expect(await operator.quarantine()).toEqual({ parkedCount: 1 })
    const { stuck } = await until(operator, 'r1', ({ status }) => status === 'stuck')
    expect(stuck).toMatchObject({ code: 'rolled_back', message: expect.stringContaining('may have happened') })
    // The worker that is up takes up work by itself: nobody has to start it again.
    await until(worker, (await startedSoon(worker)).id, ({ status }) => status === 'waiting')
    await operator.run('r1').signal('go', undefined, { delivery: 'd1' })
    await pause(100)
    expect(place.executed).toEqual(['r1 first', 'r1 second', 'r2 first', 'r3 first'])
    await operator.run('r1').retry('looked')
    await until(operator, 'r1', ({ status, head }) => status === 'waiting' && head.seq > 3)
    expect(place.executed.at(-1)).toBe('r1 second')
    await operator.close()
    await worker.close()
    const again = await place.open()
    expect(await again.loss()).toBeUndefined()
  })

  test('that lacks only what came after the last pulse is noticed by the notes of the process that ended', async () => {
    const runtime = await place.open()
    await runtime.start(place.two, 'r1', { id: 'r1' })
    await until(runtime, 'r1', ({ status }) => status === 'waiting')
    const before = place.backUp('before.db')
    await runtime.run('r1').signal('go', undefined, { delivery: 'd1' })
    await until(runtime, 'r1', ({ status, head }) => status === 'waiting' && head.seq === 3)
    const after = place.backUp('after.db')
    expect(place.notes().length).toBe(1)
    // As if it had been killed now, before its first pulse: once with the whole database, once without the newest part.
    const [whole, cut] = [newPlace(place.left(after)), newPlace(place.left(before))]
    expect(await (await whole.open()).loss()).toBeUndefined()
    expect(whole.notes()).toEqual([])
    expect(await (await cut.open()).loss()).toMatchObject({ kind: 'missing', missing: [{ run: 'r1', seq: 3 }] })
    await pause(100)
    expect(cut.executed).toEqual([])
  })

  test('is refused by a process that knows nothing, once one that knows has looked', async () => {
    const { copy } = await grown(place)
    place.restore(copy)
    await place.open({ worker: false })
    const stranger = newPlace()
    const worker = await stranger.open({ store: sqlite({ file: place.file }), flows: place.flows })
    expect(await worker.loss()).toMatchObject({ kind: 'held', message: expect.stringContaining('run r1') })
    await expect(worker.start(place.two, 'r9')).rejects.toMatchObject({ code: 'store_rolled_back' })
  })

  test('is noticed although somebody who knew nothing has gone on with it for longer than was lost', async () => {
    const { copy } = await grown(place)
    place.restore(copy)
    const store = await openSqlite({ file: place.file })
    for (let count = 0; count < 50; count += 1) await store.pulse()
    await store.close()
    expect(await (await place.open()).loss()).toMatchObject({ kind: 'behind' })
  })

  test('does not begin the children of a run that was parked before that is retried', async () => {
    const child = flow({
      name: 'child',
      version: 1,
      run: (ctx) => ctx.step('work', () => place.executed.push('work')),
    })
    // A parent that has asked for its child; what became of that is lost.
    const store = await openSqlite({ file: place.file })
    const body = { flow: 'parent', version: 1, actor: null, contract: null, patches: [] }
    const asked = { op: '0' as never, flow: 'child', version: 1, child: parseRunId('p~0'), patches: [] }
    const drafts = [draftOf('FlowStarted', body, '1'), draftOf('ChildStarted', asked, '1')]
    await store.create({ run: parseRunId('p'), drafts, by: 'system:test', seen: nothingSeen })
    await store.quarantine({ code: 'rolled_back', message: 'It lost something.' })
    await store.close()
    const runtime = await place.open({ flows: [child] })
    await (await runtime.start(child, undefined, { id: 'other' })).result()
    await pause(100)
    expect(place.executed).toEqual(['work'])
    expect((await runtime.outbox()).items.length).toBe(1)
    await runtime.run('p').retry('looked')
    await until(runtime, 'p~0', ({ status }) => status === 'completed')
    expect(place.executed).toEqual(['work', 'work'])
  })
})

async function startedSoon(runtime: Awaited<ReturnType<Place['open']>>): Promise<{ readonly id: string }> {
  return runtime.start(place.two, 'r3', { id: 'r3' })
}

describe('T8 a database that is put away under a worker', { timeout: 120_000 }, () => {
  test('is noticed before it takes another run: it gives up what it has, says so once, and acts no more', async () => {
    const { copy } = await grown(place)
    const runtime = await place.open()
    let begun = (): void => undefined
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    let reason: unknown
    const long = flow({
      name: 'long',
      version: 1,
      run: (ctx) =>
        ctx.step('long', async ({ signal }) => {
          begun()
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          reason = signal.reason
        }),
    })
    await runtime.close()
    const worker = await place.open({ flows: [place.two, long] })
    await worker.start(long, undefined, { id: 'long' })
    await isBegun
    // What was compared just now is not compared again: what is seen is seen at the claim.
    place.clock.frozenMs = systemClock.monotonic()
    await worker.loss()
    place.restore(copy)
    // Its start goes into the file that has no name any more, or is refused; what matters is what becomes of the run.
    await worker.start(place.two, 'r4', { id: 'r4' }).catch(() => undefined)
    while (reason === undefined && place.executed.length === 3) await pause(10)
    expect(String(reason)).toContain('lost')
    await pause(100)
    expect(place.executed).toEqual(['r1 first', 'r1 second', 'r2 first'])
    expect(place.alarms).toEqual([expect.stringContaining('is not the file any more that this process opened')])
    await expect(worker.start(place.two, 'r5')).rejects.toMatchObject({ code: 'store_rolled_back' })
  })
})

describe('T8 no false alarm', { timeout: 120_000 }, () => {
  test('an idle worker writes no pulses, one that worked writes one, and none is needed to know that nothing is missing', async () => {
    const runtime = await place.open()
    const store = await openSqlite({ file: place.file })
    const pulse = async (): Promise<number> => (await store.mark()).terms.at(-1)?.pulse ?? -1
    expect(await pulse()).toBe(0)
    const polls = place.clock.waitingCount
    for (let count = 0; count < 5; count += 1) place.clock.pass()
    await pause(50)
    expect([await pulse(), place.clock.waitingCount]).toEqual([0, polls])
    await runtime.start(place.two, 'r1', { id: 'r1' })
    await until(runtime, 'r1', ({ status }) => status === 'waiting')
    expect(place.notes().length).toBe(1)
    place.clock.pass()
    while ((await pulse()) === 0) await pause(10)
    while (place.notes().length > 0) await pause(10)
    expect(JSON.parse(readFileSync(place.mark, 'utf8'))).toMatchObject({ pulse: 1, heads: [{ run: 'r1', seq: 1 }] })
    place.clock.pass()
    await pause(50)
    expect(await pulse()).toBe(1)
    expect(await runtime.loss()).toBeUndefined()
    await store.close()
  })

  test('runs that end and are purged within a second are not missing', async () => {
    const short = flow({ name: 'short', version: 1, run: (ctx) => ctx.step('work', () => 'done') })
    const runtime = await place.open({ flows: [short] })
    await (await runtime.start(short, undefined, { id: 'r1' })).result()
    const after = place.backUp('after.db')
    const left = newPlace(place.left(after))
    const cleaner = await openSqlite({ file: left.file })
    expect(await cleaner.purge({ runs: ['r1' as never], by: 'principal:bob' })).toEqual({ purged: ['r1'] })
    await cleaner.close()
    expect(left.notes().length).toBe(1)
    expect(await (await left.open()).loss()).toBeUndefined()
  })

  test('an answer that is older than what was learned meanwhile says nothing', async () => {
    const disk = memoryDisk()
    let hold: Promise<void> | undefined
    const slow = async (parts: Parameters<ReturnType<typeof memory>>[0]): Promise<Store> => {
      const store = await memory(disk)(parts)
      const mark = store.mark.bind(store)
      store.mark = async () => {
        const found = await mark()
        await hold
        return found
      }
      return store
    }
    const runtime = await place.open({ store: slow })
    let release = (): void => undefined
    hold = new Promise((resolve) => {
      release = resolve
    })
    const loss = runtime.loss()
    await pause(10)
    hold = undefined
    const started = await place.open({ store: slow })
    await started.start(place.two, 'r1', { id: 'r1' })
    await until(started, 'r1', ({ status }) => status === 'waiting')
    place.clock.pass()
    while (JSON.parse(readFileSync(place.mark, 'utf8')).pulse === 0) await pause(10)
    release()
    expect(await loss).toBeUndefined()
    expect(place.alarms).toEqual([])
  })
})

describe('T8 the mark', { timeout: 120_000 }, () => {
  test('of another database is refused, and that database is left alone', async () => {
    await grown(place)
    const other = newPlace()
    const runtime = await other.open()
    await runtime.close()
    writeFileSync(other.mark, readFileSync(place.mark))
    const wrong = await other.open()
    expect(await wrong.loss()).toMatchObject({ kind: 'another', message: expect.stringContaining('another project') })
    const store = await openSqlite({ file: other.file })
    expect((await store.mark()).held).toBeUndefined()
    await store.close()
  })

  test.each([
    ['is no mark', 'something else'],
    ['is cut off', '{"format":"constancia.mark/v1","database":"a"'],
    ['lacks a field', '{"format":"constancia.mark/v1","database":"a","term":"b","pulse":1,"heads":[]}'],
    [
      'has an odd head',
      '{"format":"constancia.mark/v1","database":"a","term":"b","pulse":1,"atMs":1,"heads":[{"run":1}]}',
    ],
  ])('that %s is refused at start, and says what to do', async (_, text) => {
    writeFileSync(place.mark, text)
    const refused = { code: 'store_mark_failed', message: expect.stringContaining(place.mark) }
    await expect(place.open()).rejects.toMatchObject(refused)
  })

  test('whose folder is missing is refused at start', async () => {
    const lost = Object.assign(newPlace(), { mark: `${place.folder}/nowhere/runs.mark` })
    await expect(lost.open()).rejects.toMatchObject({ code: 'store_mark_failed' })
    expect(existsSync(lost.mark)).toBe(false)
  })
})
