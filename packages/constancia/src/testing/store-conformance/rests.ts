import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { Claim } from '../../store/index.js'
import { type Cases, completed, headAfter, leaseMs, started, stepped, type World } from './world.js'

/** What `suspend` promises. */
export const restCases: Cases = {
  "a run that waits for the outside is nobody's, never due, and says what it waits for": async (world) => {
    const claim = await world.owned('r1')
    strictEqual(await world.suspend(claim, undefined), true)
    const { status, claim: left, wakeAtMs, waitingFor, epoch } = await world.row('r1')
    deepStrictEqual(
      { status, left, wakeAtMs, waitingFor, epoch },
      {
        status: 'waiting',
        left: undefined,
        wakeAtMs: undefined,
        waitingFor: [{ kind: 'signal', op: '1', name: 'paid' }],
        epoch: 1,
      },
    )
    await world.given.advance(1_000_000_000)
    deepStrictEqual(await world.claim(), [])
  },

  'R-B3 a run that waits for a moment is due then and not before, however far away': async (world) => {
    const claim = await world.owned('r1')
    const farMs = 2 ** 31 * 3
    const wakeAtMs = world.given.nowMs() + farMs
    await world.suspend(claim, wakeAtMs)
    strictEqual((await world.row('r1')).wakeAtMs, wakeAtMs)
    await world.given.advance(farMs - 1)
    deepStrictEqual(await world.claim(), [])
    await world.given.advance(1)
    strictEqual((await world.claimOne()).epoch, 2)
    deepStrictEqual((await world.row('r1')).waitingFor, [])
    strictEqual((await world.row('r1')).wakeAtMs, undefined)
  },

  'suspending is refused once something came, and the claim goes on': async (world) => {
    const claim = await world.owned('r1')
    await world.signal('r1', 'd1')
    strictEqual(await world.suspend(claim, undefined), false)
    strictEqual((await world.row('r1')).claim?.id, claim.id)
    const [, event] = await world.read('r1')
    await world.appended(claim, [stepped('0')], event === undefined ? claim.head : headAfter([event]))
  },

  'suspending is refused at a head with another hash': async (world) => {
    const claim = await world.owned('r1')
    strictEqual(await world.suspend(claim, undefined, { ...claim.head, hash: 'f'.repeat(64) }), false)
    strictEqual((await world.row('r1')).status, 'running')
  },

  'R-C1 a late suspend leaves the claim of the successor alone': async (world) => {
    const late = await world.owned('r1')
    await world.given.advance(leaseMs)
    const claim = await world.claimOne()
    strictEqual(await world.suspend(late, undefined), false)
    strictEqual((await world.row('r1')).claim?.id, claim.id)
  },

  'a run that waits for a person is paused: lists and counts tell it, events wake it, and it is due at its time':
    async (world) => {
      await world.create('other')
      await world.claimOne()
      const wakeAtMs = world.given.nowMs() + 10 * leaseMs
      const claim = await pausedOnce(world, 'r1', wakeAtMs)
      const row = await world.row('r1')
      const waitingFor = [{ kind: 'approval', op: '0', name: 'pay', untilMs: wakeAtMs }]
      deepStrictEqual(
        [row.status, row.claim, row.wakeAtMs, row.waitingFor, row.epoch, row.lostLeaseCount],
        ['paused', undefined, wakeAtMs, waitingFor, claim.epoch, 0],
      )
      const { items } = await world.store.runs({ status: 'paused' })
      deepStrictEqual([items.map(({ id }) => id), (await world.store.runs({ status: 'waiting' })).items], [['r1'], []])
      const counts = (await world.store.openRuns()).filter(({ status }) => status === 'paused')
      deepStrictEqual(counts, [{ flow: 'pay', version: 1, status: 'paused', runCount: 1, holder: undefined }])
      await world.given.advance(10 * leaseMs)
      const [due] = await world.claim(1, world.store, 'pay')
      ok(due?.epoch === claim.epoch + 1)
      await world.appended(due, [completed])
      await pausedOnce(world, 'r2', undefined)
      await world.signal('r2', 'd1')
      deepStrictEqual([(await world.row('r2')).status, (await world.row('r2')).waitingFor], ['ready', []])
      await world.decide('r2', () => ({ drafts: [completed], result: 0 }))
      await pausedOnce(world, 'r3', undefined)
      await world.store.rebuild()
      strictEqual((await world.row('r3')).status, 'ready')
    },

  'a run that is stuck says why, and is never due': async (world) => {
    const claim = await world.owned('r1')
    const rest = { kind: 'stuck', code: 'nondeterminism', message: 'op 3 differs' } as const
    strictEqual(await world.store.suspend({ claim, head: claim.head, rest, readSignalCount: 2 }), true)
    const { status, stuck, claim: left, readSignalCount, outcome } = await world.row('r1')
    deepStrictEqual(
      { status, stuck, left, readSignalCount, outcome },
      {
        status: 'stuck',
        stuck: { code: 'nondeterminism', message: 'op 3 differs' },
        left: undefined,
        readSignalCount: 2,
        outcome: 'open',
      },
    )
    await world.given.advance(1_000_000_000)
    deepStrictEqual(await world.claim(), [])
  },
}

// It has lost a lease before.
async function pausedOnce(world: World, run: string, wakeAtMs: number | undefined): Promise<Claim> {
  await world.create(run, [started('pay')])
  const claims = await world.claim(1, world.store, 'pay')
  await world.given.advance(leaseMs)
  const [claim] = await world.claim(1, world.store, 'pay')
  ok(claim !== undefined && claim.run === claims[0]?.run)
  strictEqual(claim.lostLeaseCount, 1)
  const until = wakeAtMs === undefined ? {} : { untilMs: wakeAtMs }
  const waitingFor = [{ kind: 'approval', op: '0', name: 'pay', ...until }] as const
  const rest = { kind: 'paused', wakeAtMs, waitingFor } as const
  ok(await world.store.suspend({ claim, head: claim.head, rest, readSignalCount: 0 }))
  return claim
}
