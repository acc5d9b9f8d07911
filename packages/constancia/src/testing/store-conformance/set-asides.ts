import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { draftOf } from '../../journal/index.js'
import type { Claim, ClaimAnswer } from '../../store/index.js'
import { type Cases, leaseMs, stepped, type World } from './world.js'

/** What `claim` promises about runs that take their workers down with them. */
export const setAsideCases: Cases = {
  'R-B9 a run whose lease ran out too often in a row is set aside, and says why and what to do': async (world) => {
    await world.create('r1')
    let last: Claim | undefined
    for (const count of [0, 1, 2]) {
      last = await taken(world)
      strictEqual((await world.row('r1')).lostLeaseCount, count)
      await world.given.advance(leaseMs)
    }
    const answer = await claimOf(world)
    deepStrictEqual([answer.claims, answer.setAside, answer.nextDueAtMs], [[], ['r1'], undefined])
    const { status, stuck, claim, lostLeaseCount, outcome, epoch } = await world.row('r1')
    deepStrictEqual([status, claim, lostLeaseCount, outcome, epoch], ['stuck', undefined, 3, 'open', 3])
    strictEqual(stuck?.code, 'poison')
    for (const word of ['r1', '3 times', 'retry']) ok(stuck?.message.includes(word), `the message was to say ${word}`)
    ok(last !== undefined)
    strictEqual((await world.append(last, [stepped('0')])).kind, 'claim_lost')
    await world.expectKinds('r1', ['FlowStarted'])
    await world.given.advance(1_000_000)
    const later = await claimOf(world)
    deepStrictEqual([later.claims, later.setAside], [[], []])
  },

  'R-B9 a run that was never lost is not set aside, whatever the limit': async (world) => {
    await world.create('r1')
    const answer = await claimOf(world, 1)
    deepStrictEqual([answer.claims.length, answer.setAside], [1, []])
  },

  'R-B9 an event of an owner since it was last claimed begins the count anew, one from before does not': async (
    world,
  ) => {
    await world.create('r1')
    await lose(world, 2)
    const claim = await taken(world)
    strictEqual((await world.row('r1')).lostLeaseCount, 2)
    await world.appended(claim, [stepped('0')])
    await world.signal('r1', 'd1')
    await world.given.advance(leaseMs)
    await taken(world)
    strictEqual((await world.row('r1')).lostLeaseCount, 1)
    await world.given.advance(leaseMs)
    await taken(world)
    strictEqual((await world.row('r1')).lostLeaseCount, 2)
    await world.given.advance(leaseMs)
    deepStrictEqual((await claimOf(world)).setAside, ['r1'])
  },

  'R-B9 what comes from outside is no progress': async (world) => {
    await world.create('r1')
    for (let count = 0; count < 3; count++) {
      await taken(world)
      await world.signal('r1', `d${count}`)
      await world.given.advance(leaseMs)
    }
    deepStrictEqual((await claimOf(world)).setAside, ['r1'])
    const { head, signalCount } = await world.row('r1')
    deepStrictEqual([head.seq, signalCount], [3, 3])
  },

  'R-B9 an owner that gives a run back, or lays it to rest, begins the count anew': async (world) => {
    await world.create('r1')
    await lose(world, 2)
    await world.store.release(await taken(world))
    strictEqual((await world.row('r1')).lostLeaseCount, 0)
    await lose(world, 2)
    await world.suspend(await taken(world), world.given.nowMs())
    strictEqual((await world.row('r1')).lostLeaseCount, 0)
    await lose(world, 2)
    const claim = await taken(world)
    strictEqual((await world.row('r1')).lostLeaseCount, 2)
    const rest = { kind: 'stuck', code: 'c', message: 'm' } as const
    await world.store.suspend({ claim, head: claim.head, rest, readSignalCount: 0 })
    strictEqual((await world.row('r1')).lostLeaseCount, 0)
  },

  'R-B9 a run that is given back again and again is never set aside': async (world) => {
    await world.create('r1')
    for (let count = 0; count < 5; count++) await world.store.release(await taken(world))
    strictEqual((await taken(world)).epoch, 6)
  },

  'R-B9 a run that is freed after it was set aside begins the count anew': async (world) => {
    await world.create('r1')
    await lose(world, 3)
    deepStrictEqual((await claimOf(world)).setAside, ['r1'])
    await world.signal('r1', 'd1')
    strictEqual((await world.row('r1')).status, 'stuck')
    const drafts = [draftOf('RetryRequested', { note: 'repaired' })]
    await world.decide('r1', () => ({ drafts, unstick: true, result: 0 }))
    const { status, stuck, lostLeaseCount } = await world.row('r1')
    deepStrictEqual([status, stuck, lostLeaseCount], ['ready', undefined, 0])
    await lose(world, 2)
    strictEqual((await taken(world)).epoch, 6)
    strictEqual((await world.row('r1')).lostLeaseCount, 2)
  },

  'R-B9 a run that is set aside takes no place in a claim': async (world) => {
    await world.create('r1')
    await lose(world, 3)
    await world.given.advance(1)
    await world.create('r2')
    const { claims, setAside } = await claimOf(world)
    deepStrictEqual([claims.map(({ run }) => run), setAside], [['r2'], ['r1']])
  },

  'R-B9 a run that was set aside is tried once more after a rebuild, and set aside if that fails': async (world) => {
    await world.create('r1')
    await lose(world, 3)
    deepStrictEqual((await claimOf(world)).setAside, ['r1'])
    await world.store.rebuild()
    await lose(world, 1)
    deepStrictEqual((await claimOf(world)).setAside, ['r1'])
    strictEqual((await world.row('r1')).lostLeaseCount, 4)
  },

  'R-B9 suspects are taken one at a time, and hold up nobody else': async (world) => {
    for (const run of ['r1', 'r2', 'r3']) await world.create(run)
    for (let count = 0; count < 2; count++) {
      strictEqual((await claimOf(world, 5, 9)).claims.length, 3)
      await world.given.advance(leaseMs)
    }
    await world.create('r4')
    const flows = [{ flow: 'invoice', version: 1 }]
    const request = { worker: 'w1', flows, limit: 9, leaseMs, lostLeaseCountMax: 5 }
    const first = await world.store.claim({ ...request, suspectCountMax: 1 })
    deepStrictEqual(
      first.claims.map(({ run, lostLeaseCount }) => [run, lostLeaseCount]),
      [
        ['r1', 2],
        ['r4', 0],
      ],
    )
    strictEqual(first.nextDueAtMs, undefined)
    strictEqual((await world.row('r2')).lostLeaseCount, 1)
    const none = await world.store.claim({ ...request, suspectCountMax: 0 })
    deepStrictEqual([none.claims, none.setAside], [[], []])
    const next = await world.store.claim({ ...request, suspectCountMax: 1 })
    deepStrictEqual(
      next.claims.map(({ run }) => run),
      ['r2'],
    )
    strictEqual((await world.store.claim(request)).claims[0]?.run, 'r3')
  },

  'R-B9 a lease that was lost counts across handles and reopening': async (world) => {
    await world.create('r1')
    await lose(world, 2)
    const claim = await taken(world)
    await world.given.advance(leaseMs)
    const store = await world.given.reopen()
    strictEqual((await world.row('r1', store)).lostLeaseCount, 2)
    strictEqual((await world.append(claim, [stepped('0')], { store })).kind, 'appended')
    const flows = [{ flow: 'invoice', version: 1 }]
    const again = await store.claim({ worker: 'w2', flows, limit: 1, leaseMs, lostLeaseCountMax: 3 })
    deepStrictEqual([again.claims.length, again.setAside], [1, []])
    strictEqual((await world.row('r1', store)).lostLeaseCount, 1)
  },
}

function claimOf(world: World, lostLeaseCountMax = 3, limit = 1): Promise<ClaimAnswer> {
  const flows = [{ flow: 'invoice', version: 1 }]
  return world.store.claim({ worker: 'w1', flows, limit, leaseMs, lostLeaseCountMax })
}

async function taken(world: World): Promise<Claim> {
  const { claims } = await claimOf(world)
  strictEqual(claims[0]?.run, 'r1')
  return claims[0] ?? (undefined as never)
}

// Lets so many owners of the one run that is due die.
async function lose(world: World, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await taken(world)
    await world.given.advance(leaseMs)
  }
}
