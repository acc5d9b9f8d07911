import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert'
import type { ClaimRef } from '../../store/index.js'
import { until } from './life.js'
import { type Cases, leaseMs, type World } from './world.js'

// Whoever cannot prolong a lease in time gives up a claim that is not lost: a busy machine is given time.
const patientMs = leaseMs * 10

/** What `heartbeat` promises, as far as a clock that stands still can show it. */
export const heartbeatCases: Cases = {
  'R-C2 a claim that is held is renewed again and again': async (world) => {
    const claim = await world.owned('r1')
    const heart = world.store.heartbeat({ leaseMs: patientMs, stallMs: 60_000, onLost: () => undefined })
    heart.hold(claim)
    for (let count = 0; count < 2; count++) {
      const before = await leaseOf(world, 'r1')
      for (let tries = 0; tries < 500 && (await leaseOf(world, 'r1')) === before; tries++) {
        await world.given.advance(25)
        await world.given.pause(10)
      }
      notStrictEqual(await leaseOf(world, 'r1'), before)
    }
    strictEqual((await world.row('r1')).claim?.id, claim.id)
    await heart.stop()
  },

  'R-C2 a claim that is lost is reported once, and only that one': async (world) => {
    const lost: ClaimRef[] = []
    const claim = await world.owned('r1')
    const kept = await world.owned('r2')
    const heart = world.store.heartbeat({ leaseMs: patientMs, stallMs: 60_000, onLost: (one) => lost.push(one) })
    heart.hold(kept)
    heart.hold(claim)
    await world.store.release(claim)
    await until(world, () => lost.length > 0)
    await world.given.advance(patientMs / 2)
    await world.given.pause(patientMs / 2)
    deepStrictEqual(
      lost.map(({ id, epoch }) => ({ id, epoch })),
      [{ id: claim.id, epoch: claim.epoch }],
    )
    await heart.stop()
  },

  'a claim that was dropped is neither renewed nor reported': async (world) => {
    const lost: ClaimRef[] = []
    const claim = await world.owned('r1')
    const heart = world.store.heartbeat({ leaseMs, stallMs: 60_000, onLost: (one) => lost.push(one) })
    heart.hold(claim)
    heart.drop(claim)
    await world.store.release(claim)
    await world.given.advance(leaseMs)
    await world.given.pause(leaseMs)
    deepStrictEqual(lost, [])
    strictEqual((await world.row('r1')).status, 'ready')
    await heart.stop()
  },
}

async function leaseOf(world: World, run: string): Promise<number | undefined> {
  return (await world.row(run)).claim?.leaseUntilMs
}
