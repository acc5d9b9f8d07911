import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { ClaimId } from '../../journal/index.js'
import type { Claim, Store } from '../../store/index.js'
import { type Cases, forged, headAfter, leaseMs, lostLeaseCountMax, started, stepped } from './world.js'

/** What `claim`, `renew` and `release` promise. */
export const claimCases: Cases = {
  'a claim tells what time it is by the clock of the database, whether it takes anything or not': async (world) => {
    const flows = [{ flow: 'invoice', version: 1 }]
    const claim = () => world.store.claim({ worker: 'w1', flows, limit: 1, leaseMs, lostLeaseCountMax })
    for (const count of [0, 1]) {
      const fromMs = world.given.nowMs()
      const { claims, nowMs } = await claim()
      strictEqual(claims.length, count)
      ok(nowMs >= fromMs && nowMs <= world.given.nowMs(), `it was ${nowMs}, and not from ${fromMs} on`)
      await world.create('r')
    }
  },

  'R-C1 a claim has an id of its own, the next epoch, a lease, and the head of the journal': async (world) => {
    const created = await world.create('r1')
    ok(created.kind === 'created')
    const claim = await world.claimOne()
    strictEqual(claim.run, 'r1')
    strictEqual(claim.epoch, 1)
    deepStrictEqual([claim.stream, claim.flow, claim.version], ['run/r1', 'invoice', 1])
    deepStrictEqual(claim.head, headAfter(created.events))
    const row = await world.row('r1')
    strictEqual(row.status, 'running')
    strictEqual(row.epoch, 1)
    const sinceMs = world.given.nowMs()
    const held = { worker: 'w1', workerId: undefined, sinceMs, leaseUntilMs: sinceMs + leaseMs }
    deepStrictEqual(row.claim, { id: claim.id, ...held })
  },

  'R-C1 a run that is claimed is not claimed again before its lease ends': async (world) => {
    await world.owned('r1')
    deepStrictEqual(await world.claim(), [])
    await world.given.advance(leaseMs - 1)
    deepStrictEqual(await world.claim(), [])
  },

  'R-C2 a run whose lease ran out is claimed anew, with a fresh id and the next epoch': async (world) => {
    const first = await world.owned('r1')
    await world.given.advance(leaseMs)
    const second = await world.claimOne()
    strictEqual(second.epoch, first.epoch + 1)
    ok(second.id !== first.id)
  },

  'R-C1 many workers that claim at once never get the same run': async (world) => {
    for (let index = 0; index < 30; index++) await world.create(`r${index}`)
    const others = await Promise.all([world.given.another(), world.given.another()])
    const stores = [world.store, ...others, world.store]
    const claims = (await Promise.all(stores.map((store) => world.claim(10, store)))).flat()
    strictEqual(claims.length, 30)
    strictEqual(new Set(claims.map(({ run }) => run)).size, 30)
    strictEqual(new Set(claims.map(({ id }) => id)).size, 30)
  },

  'R-C3 an append under an older epoch is refused, also at the right head': async (world) => {
    const late = await world.owned('r1')
    await world.given.advance(leaseMs)
    const claim = await world.claimOne()
    // One event is written in another way than several.
    for (const drafts of [[stepped('0')], [stepped('0'), stepped('1')]])
      deepStrictEqual(await world.append(late, drafts), { kind: 'claim_lost' })
    await world.expectKinds('r1', ['FlowStarted'])
    await world.appended(claim, [stepped('0')])
  },

  'R-C3 an append under an older epoch is refused when another handle took the run': async (world) => {
    const late = await world.owned('r1')
    const events = await world.appended(late, [stepped('0')])
    await world.given.advance(leaseMs)
    const other = await world.given.another()
    const claim = await world.claimOne(other)
    deepStrictEqual(await world.append(late, [stepped('1')], { head: headAfter(events) }), { kind: 'claim_lost' })
    strictEqual((await world.append(claim, [stepped('1')], { store: other })).kind, 'appended')
  },

  'R-C3 both the id and the epoch of a claim must fit': async (world) => {
    const claim = await world.owned('r1')
    const wrong = [
      forged(claim, { epoch: claim.epoch + 1 }),
      forged(claim, { epoch: claim.epoch - 1 }),
      forged(claim, { id: 'x' as ClaimId }),
    ]
    for (const one of wrong) {
      deepStrictEqual(await world.append({ ...claim, ...one }, [stepped('0')]), { kind: 'claim_lost' })
      strictEqual(await world.suspend({ ...claim, ...one }, undefined), false)
      strictEqual(await world.store.release(one), false)
      deepStrictEqual(await world.store.renew([one], leaseMs), [])
    }
    strictEqual((await world.row('r1')).status, 'running')
  },

  'R-C3 a claim whose lease ended but that nobody took goes on': async (world) => {
    const claim = await world.owned('r1')
    await world.given.advance(leaseMs * 10)
    await world.appended(claim, [stepped('0')])
  },

  'R-C2 a lease that is renewed lasts from the renewal on': async (world) => {
    const claim = await world.owned('r1')
    await world.given.advance(leaseMs - 1)
    deepStrictEqual(
      (await world.store.renew([claim], leaseMs)).map(({ run }) => run),
      ['r1'],
    )
    await world.given.advance(leaseMs - 1)
    deepStrictEqual(await world.claim(), [])
    await world.given.advance(1)
    strictEqual((await world.claimOne()).epoch, 2)
  },

  'renewing returns the claims that are still held, and only prolongs these': async (world) => {
    const lost = await world.owned('r1')
    await world.given.advance(leaseMs)
    const claim = await world.claimOne()
    const held = await world.owned('r2')
    const renewed = await world.store.renew([lost, held], leaseMs * 5)
    deepStrictEqual(
      renewed.map(({ id }) => id),
      [held.id],
    )
    strictEqual((await world.row('r1')).claim?.id, claim.id)
    strictEqual((await world.row('r1')).claim?.leaseUntilMs, world.given.nowMs() + leaseMs)
    strictEqual((await world.row('r2')).claim?.leaseUntilMs, world.given.nowMs() + leaseMs * 5)
  },

  'a run that is released is ready at once, and its claim is gone': async (world) => {
    const claim = await world.owned('r1')
    strictEqual(await world.store.release(claim), true)
    const row = await world.row('r1')
    deepStrictEqual([row.status, row.claim, row.epoch], ['ready', undefined, 1])
    deepStrictEqual(await world.append(claim, [stepped('0')]), { kind: 'claim_lost' })
    strictEqual((await world.claimOne()).epoch, 2)
  },

  'R-C1 a late release leaves the claim of the successor alone': async (world) => {
    const late = await world.owned('r1')
    await world.given.advance(leaseMs)
    const claim = await world.claimOne()
    strictEqual(await world.store.release(late), false)
    strictEqual((await world.row('r1')).claim?.id, claim.id)
  },

  'runs are claimed in the order in which they became due, and not more than asked for': async (world) => {
    for (const run of ['c', 'a', 'b']) {
      await world.create(run)
      await world.given.advance(1)
    }
    deepStrictEqual(runsOf(await world.claim(2)), ['c', 'a'])
    deepStrictEqual(runsOf(await world.claim(2)), ['b'])
    deepStrictEqual(runsOf(await world.claim(2)), [])
  },

  'only the flows and versions that are asked for are claimed': async (world) => {
    await world.create('r1', [started('invoice', 1)])
    await world.create('r2', [started('invoice', 2)])
    await world.create('r3', [started('refund', 1)])
    deepStrictEqual(runsOf(await claimFlows(world.store, ['refund'], 10)), ['r3'])
    deepStrictEqual(runsOf(await claimFlows(world.store, ['invoice'], 10)), ['r1'])
    deepStrictEqual(runsOf(await claimFlows(world.store, [], 10)), [])
  },

  'flows take turns, so that a flow with many runs does not hold up another': async (world) => {
    for (let index = 0; index < 6; index++) await world.create(`many${index}`, [started('many')])
    await world.given.advance(1)
    await world.create('few0', [started('few')])
    await world.create('few1', [started('few')])
    const claims = await claimFlows(world.store, ['many', 'few'], 4)
    deepStrictEqual(runsOf(claims).sort(), ['few0', 'few1', 'many0', 'many1'])
  },

  'flows take turns from claim to claim as well': async (world) => {
    for (let index = 0; index < 3; index++) await world.create(`many${index}`, [started('many')])
    await world.create('few0', [started('few')])
    const runs: string[] = []
    for (let index = 0; index < 2; index++) runs.push(...runsOf(await claimFlows(world.store, ['many', 'few'], 1)))
    deepStrictEqual(runs.sort(), ['few0', 'many0'])
  },

  'the answer tells when the next run is due that was not taken': async (world) => {
    const { store, given } = world
    const next = async (limit: number) =>
      (await store.claim({ worker: 'w', flows: [{ flow: 'invoice', version: 1 }], limit, leaseMs, lostLeaseCountMax }))
        .nextDueAtMs
    strictEqual(await next(1), undefined)
    const startMs = given.nowMs()
    await world.create('r1')
    strictEqual(await next(0), startMs)
    await world.create('r2')
    strictEqual(await next(1), startMs)
    const claim = await world.claimOne()
    strictEqual(await next(1), startMs + leaseMs)
    await world.suspend(claim, startMs + 50)
    strictEqual(await next(1), startMs + 50)
  },
}

async function claimFlows(store: Store, flows: readonly string[], limit: number): Promise<readonly Claim[]> {
  const wanted = flows.map((flow) => ({ flow, version: 1 }))
  return (await store.claim({ worker: 'w1', flows: wanted, limit, leaseMs, lostLeaseCountMax })).claims
}

function runsOf(claims: readonly Claim[]): string[] {
  return claims.map(({ run }) => run)
}
