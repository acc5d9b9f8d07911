import { deepStrictEqual, strictEqual } from 'node:assert'
import type { ClaimAnswer, ClaimedFlow } from '../../store/index.js'
import {
  type Cases,
  completed,
  idOf,
  leaseMs,
  lostLeaseCountMax,
  started,
  startedAs,
  successorOf,
  type World,
} from './world.js'

/** What `claim` promises of priorities. */
export const priorityCases: Cases = {
  'of the runs of a flow that are due, those of the highest priority are claimed first, then those due longest': async (
    world,
  ) => {
    for (const run of ['low', 'none', 'high', 'none2', 'high2', 'lowest']) {
      await world.create(run, [ranked(ranks[run] ?? 0)])
      await world.given.advance(1)
    }
    deepStrictEqual(await taken(world, { limit: 3 }), ['high', 'high2', 'none'])
    deepStrictEqual(await taken(world, {}), ['none2', 'low', 'lowest'])
  },

  'a run of a high priority whose time has not come holds up none of a lower one, and is before them once it has':
    async (world) => {
      await world.create('high', [ranked(9)])
      await world.suspend(await world.claimOne(), world.given.nowMs() + 50)
      for (const run of ['low', 'none', 'none2']) await world.create(run, [ranked(ranks[run] ?? 0)])
      deepStrictEqual(await taken(world, { limit: 1 }), ['none'])
      await world.given.advance(50)
      deepStrictEqual(await taken(world, {}), ['high', 'none2', 'low'])
    },

  'the answer tells when the next run is due that was not taken, whatever its priority': async (world) => {
    const { nowMs } = world.given
    const next = async (limit: number): Promise<number | undefined> => (await claimOf(world, { limit })).nextDueAtMs
    await world.create('high', [ranked(9)])
    const high = await world.claimOne()
    await world.suspend(high, nowMs() + 50)
    strictEqual(await next(1), nowMs() + 50)
    await world.create('low', [ranked(-9)])
    strictEqual(await next(0), nowMs())
    await world.suspend(await world.claimOne(), nowMs() + 20)
    strictEqual(await next(1), nowMs() + 20)
    await world.create('low2', [ranked(-10)])
    await world.create('none')
    strictEqual(await next(1), nowMs())
    strictEqual(await next(1), nowMs() + 20)
  },

  'flows take turns whatever the priorities of their runs': async (world) => {
    for (let index = 0; index < 4; index++)
      await world.create(`many${index}`, [startedAs({ flow: 'many', priority: 100 })])
    for (let index = 0; index < 2; index++)
      await world.create(`few${index}`, [startedAs({ flow: 'few', priority: -100 })])
    const flows = ['many', 'few'].map((flow) => ({ flow, version: 1 }))
    deepStrictEqual((await taken(world, { flows, limit: 4 })).sort(), ['few0', 'few1', 'many0', 'many1'])
  },

  'a priority goes past no limit: places that come free are for those of the highest priority that their keys let in':
    async (world) => {
      for (let index = 0; index < 80; index++) await world.create(`a${index}`, [ranked(9, 'a')])
      await world.create('b', [ranked(0, 'b')])
      await world.create('c', [ranked(5, 'c')])
      await world.create('d', [ranked(-5)])
      const flow = { flow: 'invoice', version: 1, runningMax: 3, runningPerKeyMax: 1 }
      const first = await claimOf(world, { flows: [flow] })
      deepStrictEqual(runsOf(first), ['a0', 'c', 'b'])
      deepStrictEqual([first.nextDueAtMs, await taken(world, { flows: [flow] })], [undefined, []])
      const [a] = first.claims
      if (a !== undefined) await world.appended(a, [completed])
      deepStrictEqual(await taken(world, { flows: [flow] }), ['a1'])
      deepStrictEqual(await taken(world, { flows: [{ ...flow, runningMax: 4 }] }), ['d'])
    },

  'a run that lost its worker, or was given back, keeps its priority': async (world) => {
    await world.create('high', [ranked(9)])
    await world.claimOne()
    await world.create('none')
    await world.given.advance(leaseMs)
    const again = await world.claimOne()
    strictEqual(again.run, 'high')
    await world.store.release(again)
    deepStrictEqual(await taken(world, {}), ['high', 'none'])
  },

  'R-B9 suspects that are held back hold up none of a lower priority': async (world) => {
    for (const run of ['bad', 'bad2']) await world.create(run, [ranked(9)])
    for (let index = 0; index < 2; index++) {
      await world.claim(2)
      await world.given.advance(leaseMs)
    }
    await world.create('low', [ranked(-9)])
    deepStrictEqual(runsOf(await claimOf(world, { suspectCountMax: 1 })), ['bad', 'low'])
  },

  'the row of a run tells its priority: 0 where its journal names none': async (world) => {
    await world.create('none')
    await world.create('high', [ranked(100)])
    await world.create('low', [ranked(-100)])
    const priorities = async (): Promise<number[]> => {
      const { items } = await world.store.runs({})
      return items.map(({ priority }) => priority)
    }
    deepStrictEqual(await priorities(), [-100, 100, 0])
    strictEqual((await world.row('low')).priority, -100)
    const claim = await world.claimOne()
    await world.appended(claim, [completed])
    deepStrictEqual([claim.run, (await world.row('high')).priority], ['high', 100])
    await world.store.rebuild()
    deepStrictEqual(await priorities(), [-100, 100, 0])
    deepStrictEqual(await taken(world, {}), ['none', 'low'])
  },

  'a run that takes over has the priority that its first event names': async (world) => {
    await world.create('r', [ranked(7)])
    const claim = await world.claimOne()
    const drafts = [startedAs({ priority: 7, continues: idOf('r') })]
    await world.goOn(claim, { ...successorOf('r', 'r~r1'), drafts })
    await world.create('other', [ranked(6)])
    strictEqual((await world.row('r~r1')).priority, 7)
    deepStrictEqual(await taken(world, {}), ['r~r1', 'other'])
  },
}

const ranks: Readonly<Record<string, number>> = { high: 5, high2: 5, low: -5, lowest: -6 }

function ranked(priority: number, key?: string) {
  if (priority === 0 && key === undefined) return started()
  return startedAs({ ...(key === undefined ? {} : { key }), ...(priority === 0 ? {} : { priority }) })
}

interface How {
  readonly flows?: readonly ClaimedFlow[]
  readonly limit?: number
  readonly suspectCountMax?: number
}

function claimOf({ store }: World, { flows = [{ flow: 'invoice', version: 1 }], limit = 10, ...how }: How) {
  return store.claim({ worker: 'w1', flows, limit, leaseMs, lostLeaseCountMax, ...how })
}

async function taken(world: World, how: How): Promise<string[]> {
  return runsOf(await claimOf(world, how))
}

function runsOf({ claims }: ClaimAnswer): string[] {
  return claims.map(({ run }) => run)
}
