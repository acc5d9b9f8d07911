import { deepStrictEqual, strictEqual } from 'node:assert'
import type { ClaimAnswer, ClaimedFlow, Store } from '../../store/index.js'
import { type Cases, completed, leaseMs, lostLeaseCountMax, started, startedAs, type World } from './world.js'

/** What the limits of `claim` promise. */
export const limitCases: Cases = {
  'no more runs of a flow are claimed than may run, over all claims and handles': async (world) => {
    for (let index = 0; index < 5; index++) await world.create(`r${index}`)
    const other = await world.given.another()
    const first = await claimOf(world, { runningMax: 2 })
    deepStrictEqual(runsOf(first), ['r0', 'r1'])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 2 })), [])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 2 }, { store: other })), [])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 3 }, { store: other })), ['r2'])
    const [claim] = first.claims
    if (claim !== undefined) await world.appended(claim, [completed])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 3 })), ['r3'])
    deepStrictEqual(runsOf(await claimOf(world, {})), ['r4'])
  },

  'many workers that claim at once do not exceed a limit together': async (world) => {
    for (let index = 0; index < 10; index++) await world.create(`r${index}`)
    const stores = [world.store, await world.given.another(), world.store, await world.given.another()]
    const answers = await Promise.all(stores.map((store) => claimOf(world, { runningMax: 3 }, { store, limit: 2 })))
    strictEqual(answers.flatMap(runsOf).length, 3)
  },

  'runs of other versions of a flow count for its limit, those of other flows do not': async (world) => {
    await world.create('old', [started('invoice', 1)])
    await world.create('new', [started('invoice', 2)])
    await world.create('other', [started('refund', 1)])
    await claimOf(world, { flow: 'refund' })
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), ['old'])
    deepStrictEqual(runsOf(await claimOf(world, { version: 2, runningMax: 1 })), [])
    deepStrictEqual(runsOf(await claimOf(world, { version: 2, runningMax: 2 })), ['new'])
  },

  'two versions of a flow in one claim share its limit': async (world) => {
    await world.create('old', [started('invoice', 1)])
    await world.create('new', [started('invoice', 2)])
    const flows = [1, 2].map((version) => ({ flow: 'invoice', version, runningMax: 1 }))
    strictEqual(runsOf(await claimFlows(world, flows)).length, 1)
    deepStrictEqual(runsOf(await claimFlows(world, flows)), [])
  },

  'only runs that are claimed count for a limit: none that waits, is stuck, was given back or ended': async (world) => {
    for (const run of ['waits', 'stuck', 'ends', 'back']) await world.create(run)
    const [waits, stuck, ends, back] = await world.claim(4)
    if (waits === undefined || stuck === undefined || ends === undefined || back === undefined) throw new Error('four')
    await world.suspend(waits, undefined)
    const rest = { kind: 'stuck', code: 'c', message: 'm' } as const
    await world.store.suspend({ claim: stuck, head: stuck.head, rest, readSignalCount: 0 })
    await world.appended(ends, [completed])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), [])
    await world.store.release(back)
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), ['back'])
  },

  'no more runs with one key are claimed than may run; those of other keys and without key are not held back': async (
    world,
  ) => {
    for (const run of ['a1', 'a2', 'b1', 'a3']) await world.create(run, [keyed(run.slice(0, 1))])
    for (const run of ['n1', 'n2']) await world.create(run)
    const first = await claimOf(world, { runningPerKeyMax: 1 })
    deepStrictEqual(runsOf(first), ['a1', 'b1', 'n1', 'n2'])
    deepStrictEqual(runsOf(await claimOf(world, { runningPerKeyMax: 1 })), [])
    const other = await world.given.another()
    deepStrictEqual(runsOf(await claimOf(world, { runningPerKeyMax: 2 }, { store: other })), ['a2'])
    const [claim] = first.claims
    if (claim !== undefined) await world.suspend(claim, undefined)
    deepStrictEqual(runsOf(await claimOf(world, { runningPerKeyMax: 2 })), ['a3'])
  },

  'the same key in another flow is another key, and in another version the same': async (world) => {
    await world.create('r1', [keyed('a')])
    await world.create('r2', [startedAs({ flow: 'refund', key: 'a' })])
    await world.create('r3', [startedAs({ version: 2, key: 'a' })])
    deepStrictEqual(runsOf(await claimOf(world, { runningPerKeyMax: 1 })), ['r1'])
    deepStrictEqual(runsOf(await claimOf(world, { flow: 'refund', runningPerKeyMax: 1 })), ['r2'])
    deepStrictEqual(runsOf(await claimOf(world, { version: 2, runningPerKeyMax: 1 })), [])
  },

  'both limits of a flow hold at once': async (world) => {
    for (const run of ['a1', 'a2', 'b1', 'c1']) await world.create(run, [keyed(run.slice(0, 1))])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 2, runningPerKeyMax: 1 })), ['a1', 'b1'])
  },

  'runs that a limit holds back hold up neither other flows nor runs behind them, however many they are': async (
    world,
  ) => {
    for (let index = 0; index < 250; index++) await world.create(`a${index}`, [keyed('a')])
    await world.given.advance(1)
    await world.create('b', [keyed('b')])
    await world.create('other', [started('refund')])
    const flows = [
      { flow: 'invoice', version: 1, runningPerKeyMax: 1 },
      { flow: 'refund', version: 1 },
    ]
    deepStrictEqual(runsOf(await claimFlows(world, flows.slice(0, 1), 1)), ['a0'])
    deepStrictEqual(runsOf(await claimFlows(world, flows, 2)).sort(), ['b', 'other'])
    await world.create('other2', [started('refund')])
    const full = [{ flow: 'invoice', version: 1, runningMax: 1 }, ...flows.slice(1)]
    deepStrictEqual(runsOf(await claimFlows(world, full, 1)), ['other2'])
  },

  'runs that a limit holds back do not count for when the next one is due': async (world) => {
    const { nowMs } = world.given
    await world.create('old', [startedAs({ version: 2, key: 'a' })])
    await world.create('r1', [keyed('a')])
    await world.create('r2', [keyed('a')])
    strictEqual((await claimOf(world, { version: 2, runningMax: 1 })).claims.length, 1)
    strictEqual((await claimOf(world, { runningMax: 1 })).nextDueAtMs, undefined)
    strictEqual((await claimOf(world, { runningPerKeyMax: 1 })).nextDueAtMs, undefined)
    strictEqual((await claimOf(world, { runningMax: 1 }, { limit: 0 })).nextDueAtMs, undefined)
    const taken = await claimOf(world, { runningPerKeyMax: 2 })
    deepStrictEqual([runsOf(taken), taken.nextDueAtMs], [['r1'], undefined])
    await world.create('free')
    strictEqual((await claimOf(world, { runningPerKeyMax: 2 }, { limit: 0 })).nextDueAtMs, nowMs())
    const [free] = (await claimOf(world, { runningPerKeyMax: 2 })).claims
    if (free !== undefined) await world.suspend(free, nowMs() + 50)
    strictEqual((await claimOf(world, { runningPerKeyMax: 2 })).nextDueAtMs, nowMs() + 50)
  },

  'a lease that ran out does not count for a limit, and its run is claimed again': async (world) => {
    await world.create('r1')
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), ['r1'])
    await world.given.advance(leaseMs)
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), ['r1'])
    await world.create('r2')
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), [])
    await world.given.advance(leaseMs)
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), ['r2'])
    deepStrictEqual(runsOf(await claimOf(world, { runningMax: 1 })), [])
  },
}

function keyed(key: string) {
  return startedAs({ key })
}

interface How {
  readonly store?: Store
  readonly limit?: number
}

function claimOf(world: World, flow: Partial<ClaimedFlow>, { store = world.store, limit = 10 }: How = {}) {
  const flows = [{ flow: 'invoice', version: 1, ...flow }]
  return store.claim({ worker: 'w1', flows, limit, leaseMs, lostLeaseCountMax })
}

function claimFlows(world: World, flows: readonly ClaimedFlow[], limit = 10): Promise<ClaimAnswer> {
  return world.store.claim({ worker: 'w1', flows, limit, leaseMs, lostLeaseCountMax })
}

function runsOf({ claims }: ClaimAnswer): string[] {
  return claims.map(({ run }) => run)
}
