import { deepStrictEqual, strictEqual } from 'node:assert'
import { draftOf } from '../../journal/index.js'
import type { Facts } from '../../store/index.js'
import {
  type Cases,
  completed,
  entryOf,
  idOf,
  parentOf,
  started,
  startedAs,
  startedChild,
  stepped,
  successorOf,
  type World,
} from './world.js'

/** What `purge` promises. */
export const purgeCases: Cases = {
  'the journal of a run that has ended is deleted, and its id is never started again': async (world) => {
    const claim = await world.owned('r1')
    await world.signal('r1', 'd1')
    await world.appended(claim, [stepped('0'), completed], (await world.row('r1')).head)
    deepStrictEqual(await purge(world, ['r1']), ['r1'])
    await expectGone(world, 'r1')
    deepStrictEqual(await purge(world, ['r1']), [])
    deepStrictEqual(await world.append(claim, [stepped('1')]), { kind: 'claim_lost' })
    await world.given.advance(1_000_000)
    deepStrictEqual(await world.claim(), [])
  },

  'however a run ended, it can be purged; several at once, each once': async (world) => {
    await world.create('r1', [started(), completed])
    await world.create('r2', [started(), draftOf('FlowFailed', { code: 'x' })])
    await world.create('r3', [started(), draftOf('FlowCancelled', { forced: true })])
    deepStrictEqual((await purge(world, ['r3', 'r1', 'r3', 'r2'])).toSorted(), ['r1', 'r2', 'r3'])
    for (const run of ['r1', 'r2', 'r3']) await expectGone(world, run)
  },

  'runs that are open or unknown are not purged': async (world) => {
    for (const run of ['running', 'waiting', 'stuck']) await world.create(run)
    const [, waiting, stuck] = await world.claim(3)
    if (waiting === undefined || stuck === undefined) throw new Error('three runs were to be due')
    await world.suspend(waiting, undefined)
    const rest = { kind: 'stuck', code: 'c', message: 'm' } as const
    await world.store.suspend({ claim: stuck, head: stuck.head, rest, readSignalCount: 0 })
    await world.create('ready')
    const runs = ['running', 'waiting', 'stuck', 'ready']
    const rows = await Promise.all(runs.map((run) => world.row(run)))
    deepStrictEqual(await purge(world, [...runs, 'nobody']), [])
    deepStrictEqual(await Promise.all(runs.map((run) => world.row(run))), rows)
    strictEqual((await world.create('nobody')).kind, 'created')
  },

  'a run that still has something to tell another is not purged, until that is done': async (world) => {
    await world.create('p~0', [startedAs({ parent: parentOf('p', '0') }), completed])
    await world.create('q', [started(), startedChild('0', 'q~0'), completed])
    deepStrictEqual(await purge(world, ['p~0', 'q']), [])
    await world.expectKinds('p~0', ['FlowStarted', 'FlowCompleted'])
    await world.settle(entryOf('p~0', 1))
    deepStrictEqual(await purge(world, ['p~0', 'q']), ['p~0'])
    await world.settle(entryOf('q', 1))
    deepStrictEqual(await purge(world, ['p~0', 'q']), ['q'])
  },

  'a run that others have something to tell can be purged': async (world) => {
    await world.create('p', [started(), completed])
    await world.create('p~0', [startedAs({ parent: parentOf('p', '0') }), completed])
    deepStrictEqual(await purge(world, ['p']), ['p'])
    await world.expectOutbox([['p~0', 1, 'end', 'p']])
  },

  'no run of a line is purged before the last of them has ended': async (world) => {
    await line(world)
    deepStrictEqual(await purge(world, ['r', 'r~r1', 'r~r2']), [])
    strictEqual((await world.signal('r~r2', 'd1')).delivered, true)
    await world.decide('r~r2', () => ({ drafts: [completed], result: 0 }))
    deepStrictEqual((await purge(world, ['r', 'r~r1', 'r~r2'])).toSorted(), ['r', 'r~r1', 'r~r2'])
    for (const run of ['r', 'r~r1', 'r~r2']) await expectGone(world, run)
  },

  'the runs of a line that has ended are purged one by one, and the inbox stays as long as the root': async (world) => {
    await line(world)
    await world.decide('r~r2', () => ({ drafts: [completed], result: 0 }))
    const delivered = (run: string) =>
      world.decide(run, (facts: Facts) => ({ drafts: [], result: facts.delivered }), { delivery: 'd1' })
    deepStrictEqual(await purge(world, ['r~r2']), ['r~r2'])
    strictEqual(await delivered('r'), true)
    deepStrictEqual(await purge(world, ['r']), ['r'])
    await expectGone(world, 'r')
    await world.expectKinds('r~r1', ['FlowStarted', 'SignalReceived', 'FlowContinued'])
    strictEqual(await delivered('r~r1'), false)
    await world.store.rebuild()
    strictEqual(await delivered('r~r1'), false)
    deepStrictEqual(await purge(world, ['r~r1']), ['r~r1'])
  },

  'runs that are not named stay as they are, and are listed without gap': async (world) => {
    for (let index = 0; index < 6; index++) await world.create(`r${index}`, [started(), completed])
    await world.create('open')
    const kept = ['open', 'r5', 'r3', 'r1']
    const rows = await Promise.all(kept.map((run) => world.row(run)))
    const journals = await Promise.all(kept.map((run) => world.read(run)))
    await purge(world, ['r0', 'r2', 'r4'])
    const first = await world.store.runs({ limit: 2 })
    const rest = await world.store.runs({ limit: 2, ...(first.next === undefined ? {} : { after: first.next }) })
    deepStrictEqual([...first.items, ...rest.items], rows)
    deepStrictEqual(await Promise.all(kept.map((run) => world.read(run))), journals)
  },

  'a run that was purged through another handle, or before the store was opened again, is gone': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(claim, [completed])
    await world.create('r2', [started(), completed])
    const other = await world.given.another()
    deepStrictEqual((await other.purge({ runs: [idOf('r1')], by: 'principal:bob' })).purged, ['r1'])
    await expectGone(world, 'r1')
    deepStrictEqual(await purge(world, ['r2']), ['r2'])
    const store = await world.given.reopen()
    for (const run of ['r1', 'r2']) {
      deepStrictEqual([await world.read(run, store), await store.run(idOf(run))], [[], undefined])
      deepStrictEqual(await world.create(run, [started()], store), { kind: 'purged' })
    }
  },
}

async function purge(world: World, runs: readonly string[]): Promise<readonly string[]> {
  return (await world.store.purge({ runs: runs.map(idOf), by: 'principal:bob' })).purged
}

async function expectGone(world: World, run: string): Promise<void> {
  deepStrictEqual([await world.read(run), await world.store.run(idOf(run))], [[], undefined])
  strictEqual(
    (await world.store.runs({ limit: 1000 })).items.some(({ id }) => id === run),
    false,
  )
  deepStrictEqual(await world.create(run), { kind: 'purged' })
  deepStrictEqual([await world.read(run), await world.store.run(idOf(run))], [[], undefined])
  const facts = await world.decide(run, (found) => ({ drafts: [], result: found }), { delivery: 'd1' })
  deepStrictEqual([facts.run, facts.delivered], [undefined, false])
}

// Three runs, of which the second got a signal and the last is open.
async function line(world: World): Promise<void> {
  await world.goOn(await world.owned('r'), successorOf('r', 'r~r1'))
  await world.signal('r~r1', 'd1')
  await world.goOn(await world.claimOne(), successorOf('r~r1', 'r~r2'))
}
