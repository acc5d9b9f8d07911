import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { epochLeap, type Mark, rolledBackCode, type Term } from '../../store/index.js'
import { type Cases, completed, headAfter, idOf, leaseMs, started, stepped, type World } from './world.js'

const parking = { code: rolledBackCode, message: 'It lost something.' } as const

/** What `mark`, `pulse`, `missing`, `hold` and `quarantine` promise. */
export const markCases: Cases = {
  'T8 each pulse counts one up, and whoever looks later finds it': async (world) => {
    const first = lastOf(await world.store.pulse())
    const second = lastOf(await world.store.pulse())
    deepStrictEqual([second.id, second.pulse], [first.id, first.pulse + 1])
    deepStrictEqual(lastOf(await world.store.mark()), second)
    const other = await world.given.another()
    deepStrictEqual(lastOf(await other.pulse()).pulse, first.pulse + 2)
    deepStrictEqual(lastOf(await world.store.mark()).pulse, first.pulse + 2)
  },

  'T8 pulses are there, and the database is the same, after the store is opened again': async (world) => {
    await world.store.pulse()
    const before = await world.store.pulse()
    const store = await world.given.reopen()
    const after = await store.mark()
    deepStrictEqual(after.terms, before.terms)
    strictEqual(lastOf(await store.pulse()).pulse, lastOf(before).pulse + 1)
  },

  'T8 looking at the mark changes nothing': async (world) => {
    const before = await world.store.mark()
    deepStrictEqual(await world.store.mark(), before)
  },

  'T8 events that are there are not missing, and those that are not are': async (world) => {
    const claim = await world.owned('r1')
    const [event] = await world.appended(claim, [stepped('0')])
    ok(event !== undefined)
    const known = { run: idOf('r1'), seq: 1, hash: event.hash }
    const unknown = [
      { run: idOf('r1'), seq: 2, hash: undefined },
      { run: idOf('r1'), seq: 1, hash: '0'.repeat(64) },
      { run: idOf('r2'), seq: 0, hash: undefined },
    ]
    const there = [known, { run: idOf('r1'), seq: 0, hash: undefined }]
    deepStrictEqual(await world.store.missing([...there, ...unknown]), unknown)
    deepStrictEqual(await world.store.missing([]), [])
  },

  'T8 what was purged is not missing': async (world) => {
    await world.create('r1', [started(), completed])
    await world.store.purge({ runs: [idOf('r1')], by: 'principal:bob' })
    deepStrictEqual(await world.store.missing([{ run: idOf('r1'), seq: 1, hash: undefined }]), [])
  },

  'T8 the first that is held is what everybody finds, until an operator accepts the database': async (world) => {
    const other = await world.given.another()
    await world.store.hold('r1 is missing')
    await other.hold('r2 is missing')
    for (const store of [world.store, other]) strictEqual((await store.mark()).held, 'r1 is missing')
    await other.quarantine(parking)
    strictEqual((await world.store.mark()).held, undefined)
  },

  'T8 a quarantine parks every open run, and begins a term that is accepted': async (world) => {
    for (const run of ['ended', 'waiting', 'running']) await world.create(run)
    const claims = new Map((await world.claim(3)).map((claim) => [claim.run as string, claim]))
    const of = (run: string) => claims.get(run) ?? (undefined as never)
    await world.appended(of('ended'), [completed])
    await world.suspend(of('waiting'), world.given.nowMs() + 100)
    await world.create('ready')
    const before = await world.store.pulse()
    deepStrictEqual(await world.store.quarantine(parking), { parkedCount: 3 })
    for (const run of ['waiting', 'running', 'ready']) {
      const { status, stuck, claim, wakeAtMs, waitingFor } = await world.row(run)
      deepStrictEqual({ status, stuck, claim, wakeAtMs, waitingFor }, parked(parking.message))
    }
    strictEqual((await world.row('ended')).status, 'completed')
    const { terms } = await world.store.mark()
    deepStrictEqual(terms.slice(0, -1), before.terms)
    deepStrictEqual(terms.map(({ isAccepted }) => isAccepted).slice(-2), [false, true])
    await world.given.advance(leaseMs + 100)
    deepStrictEqual(await world.claim(10), [])
  },

  'T8 R-C3 an owner from before a quarantine cannot write, and an operator lets the run go on': async (world) => {
    const claim = await world.owned('r1')
    await world.store.quarantine(parking)
    strictEqual((await world.append(claim, [stepped('0')])).kind, 'claim_lost')
    strictEqual(await world.suspend(claim, undefined), false)
    await world.signal('r1', 'd1')
    deepStrictEqual(await world.claim(1), [])
    await world.decide('r1', () => ({ drafts: [], unstick: true, result: 0 }))
    strictEqual((await world.claimOne()).epoch, claim.epoch + epochLeap + 1)
  },

  'T8 a run that was stuck before a quarantine says both, and what ends workers stays poison': async (world) => {
    await stick(world, 'r1', 'nondeterminism')
    await stick(world, 'r2', 'poison')
    await world.store.quarantine(parking)
    const texts = ['nondeterminism', 'poison'].map(
      (code) => `${parking.message} Before that it was stuck with ${code}: It stood still.`,
    )
    deepStrictEqual((await world.row('r1')).stuck, { code: rolledBackCode, message: texts[0] })
    deepStrictEqual((await world.row('r2')).stuck, { code: 'poison', message: texts[1] })
    const again = 'It lost something again.'
    await world.store.quarantine({ ...parking, message: again })
    deepStrictEqual((await world.row('r1')).stuck, { code: rolledBackCode, message: again })
  },

  'T8 a rebuild leaves parked what a quarantine parked': async (world) => {
    await world.create('r1')
    await world.store.quarantine(parking)
    await world.store.rebuild()
    deepStrictEqual((await world.row('r1')).stuck, parking)
    deepStrictEqual(await world.claim(1), [])
  },
}

function parked(message: string): Readonly<Record<string, unknown>> {
  const stuck = { code: rolledBackCode, message }
  return { status: 'stuck', stuck, claim: undefined, wakeAtMs: undefined, waitingFor: [] }
}

async function stick(world: World, run: string, code: string): Promise<void> {
  const claim = await world.owned(run)
  const head = headAfter(await world.appended(claim, [stepped('0')]))
  const rest = { kind: 'stuck', code, message: 'It stood still.' } as const
  strictEqual(await world.store.suspend({ claim, head, rest, readSignalCount: 0 }), true)
}

function lastOf({ terms }: Mark): Term {
  const last = terms.at(-1)
  ok(last !== undefined, 'a mark was to have a term')
  return last
}
