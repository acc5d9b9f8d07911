import { deepStrictEqual, strictEqual } from 'node:assert'
import type { OutboxEntry } from '../../journal/index.js'
import type { RunRow, Store } from '../../store/index.js'
import { cancelRequested, expectRemembered, lineOf, population, tellEnd } from './population.js'
import {
  type Cases,
  cancelledChild,
  completed,
  entryOf,
  idOf,
  leaseMs,
  parentOf,
  started,
  startedAs,
  startedChild,
  successorOf,
} from './world.js'

/** What `rebuild` promises about lines of runs and the outbox, and what opening again promises about them. */
export const rebuildCases: Cases = {
  'R-A2 rebuilding puts children that were never started back into the outbox, and takes off those that were': async (
    world,
  ) => {
    await world.create('gone', [started(), completed])
    await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })
    const children = [startedChild('0', 'p~0'), startedChild('1', 'p~1'), startedChild('2', 'gone')]
    await world.create('p', [started(), ...children])
    await world.create('p~0')
    for (const seq of [1, 2]) await world.settle(entryOf('p', seq))
    await world.store.rebuild()
    await world.expectOutbox([['p', 2, 'start', 'p~1']])
    await world.settle(entryOf('p', 2))
    await world.expectOutbox([])
  },

  'R-A2 rebuilding puts back into the outbox what asks children to end that were not asked, and no more': async (
    world,
  ) => {
    await world.create('open')
    await world.create('asked')
    await world.decide('asked', () => ({ drafts: [cancelRequested], result: 0 }))
    await world.create('ended', [started(), completed])
    await world.create('gone', [started(), completed])
    await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })
    const targets = ['open', 'unknown', 'asked', 'ended', 'gone', 'on', 'onAsked', 'onEnded', 'onGone']
    await lineOf(world, 'on', [])
    await lineOf(world, 'onAsked', [cancelRequested])
    await lineOf(world, 'onEnded', [completed])
    await lineOf(world, 'onGone', [completed])
    await world.store.purge({ runs: [idOf('onGone~r1')], by: 'principal:bob' })
    await world.create('p', [started(), ...targets.map((target, index) => cancelledChild(String(index), target))])
    for (const seq of [1, 2, 6]) await world.settle(entryOf('p', seq))
    await world.store.rebuild()
    await world.expectOutbox([
      ['p', 1, 'cancel', 'open'],
      ['p', 2, 'cancel', 'unknown'],
      ['p', 6, 'cancel', 'on'],
    ])
  },

  'R-A2 rebuilding puts back into the outbox what parents were not told of the ends of children, and no more': async (
    world,
  ) => {
    await lineOf(world, 'p', [])
    await world.create('ended', [started(), completed])
    const endOf = (run: string, op: string) =>
      world.create(`${run}~${op}`, [startedAs({ parent: parentOf(run, op) }), completed])
    for (const op of ['0', '1', '2']) await endOf('p~r1', op)
    await endOf('ended', '0')
    await endOf('unknown', '0')
    await tellEnd(world, 'p~r1', '1')
    await world.settle(entryOf('p~r1~0', 1))
    await world.store.rebuild()
    await world.expectOutbox([
      ['p~r1~0', 1, 'end', 'p~r1'],
      ['p~r1~2', 1, 'end', 'p~r1'],
    ])
  },

  'R-A2 rebuilding still finds the last of a line, also where runs of it were purged': async (world) => {
    await lineOf(world, 'l', [])
    await world.goOn(await world.claimOne(), successorOf('l~r1', 'l~r2', [completed]))
    const latest = async () => (await world.row('l')).latest
    for (const run of ['l~r2', 'l~r1']) {
      await world.store.purge({ runs: [idOf(run)], by: 'principal:bob' })
      await world.store.rebuild()
      strictEqual(await latest(), 'l~r2')
    }
  },

  'R-A2 rebuilding keeps the outbox in the order of events, and what is put in later comes after': async (world) => {
    await world.create('a')
    await world.create('b')
    const tell = async (run: string, op: string) => {
      await world.given.advance(1)
      await world.decide(run, () => ({ drafts: [startedChild(op, `${run}~${op}`)], result: 0 }))
    }
    await tell('b', '0')
    await tell('a', '0')
    await tell('b', '1')
    await world.store.rebuild()
    await tell('a', '1')
    deepStrictEqual(
      (await world.outbox()).map(({ target }) => target),
      ['b~0', 'a~0', 'b~1', 'a~1'],
    )
  },

  'R-A2 rebuilding computes rows and the outbox as they were, of every kind of run': async (world) => {
    const runs = await population(world)
    const before = await stateOf(world.store, runs)
    await world.store.rebuild()
    const after = await stateOf(world.store, runs)
    deepStrictEqual(after.outbox, before.outbox)
    deepStrictEqual(after.rows, before.rows.map(rebuilt))
    await expectRemembered(world, world.store)
  },

  'R-A2 rows, the outbox and what was purged are there after the store is opened again': async (world) => {
    const runs = await population(world)
    const before = await stateOf(world.store, runs)
    const store = await world.given.reopen()
    deepStrictEqual(await stateOf(store, runs), before)
    await expectRemembered(world, store)
  },

  'R-B9 how often a lease was lost is kept by a rebuild, and goes on from there': async (world) => {
    const lose = async () => {
      await world.claimOne()
      await world.given.advance(leaseMs)
    }
    await world.create('r1')
    await lose()
    await lose()
    await world.claimOne()
    await world.store.rebuild()
    strictEqual((await world.row('r1')).lostLeaseCount, 2)
    await lose()
    strictEqual((await world.claimOne()).epoch, 5)
    strictEqual((await world.row('r1')).lostLeaseCount, 3)
  },
}

async function stateOf(store: Store, runs: readonly string[]) {
  const rows = await Promise.all(runs.map((run) => store.run(idOf(run))))
  const { items } = await store.outbox({})
  return { rows, outbox: items.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)) }
}

function nameOf({ run, seq }: OutboxEntry): string {
  return `${run} ${seq}`
}

function rebuilt(row: RunRow | undefined): RunRow | undefined {
  if (row?.outcome !== 'open') return row
  return { ...row, status: 'ready', claim: undefined, wakeAtMs: undefined, waitingFor: [], stuck: undefined }
}
