import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert'
import { nothingSeen } from '../../journal/index.js'
import { type Change, rolledBackCode } from '../../store/index.js'
import { type Cases, completed, headAfter, idOf, leaseMs, rejectsWith, started, stepped, type World } from './world.js'

/** What `watch`, `rebuild`, `close` and opening again promise. */
export const lifeCases: Cases = {
  'R-A2 what was acknowledged is there after the store is opened again': async (world) => {
    const before = await population(world)
    const store = await world.given.reopen()
    deepStrictEqual(await Promise.all(before.runs.map((run) => world.row(run, store))), before.rows)
    deepStrictEqual(await Promise.all(before.runs.map((run) => world.read(run, store))), before.journals)
  },

  'R-C1 a claim holds across a reopening, and epochs go on from where they were': async (world) => {
    const claim = await world.owned('r1')
    const store = await world.given.reopen()
    strictEqual((await world.append(claim, [stepped('0')], { store })).kind, 'appended')
    await world.given.advance(leaseMs)
    strictEqual((await world.claimOne(store)).epoch, 2)
  },

  'R-A2 rebuilding computes what was there, and counts it': async (world) => {
    const before = await population(world)
    const counts = await world.store.rebuild()
    deepStrictEqual(counts, { runCount: before.runs.length, eventCount: before.journals.flat().length })
    deepStrictEqual(await Promise.all(before.runs.map((run) => world.read(run))), before.journals)
    for (const [index, run] of before.runs.entries()) {
      const was = before.rows[index]
      ok(was !== undefined)
      const rest = { status: 'ready', claim: undefined, wakeAtMs: undefined, waitingFor: [], stuck: undefined } as const
      deepStrictEqual(await world.row(run), was.outcome === 'open' ? { ...was, ...rest } : was)
    }
  },

  'R-C3 a claim from before a rebuild is lost, and the next epoch is higher': async (world) => {
    const claim = await world.owned('r1')
    await world.store.rebuild()
    strictEqual((await world.append(claim, [stepped('0')])).kind, 'claim_lost')
    strictEqual((await world.claimOne()).epoch, 2)
  },

  'a delivery still counts once after a rebuild': async (world) => {
    await world.create('r1')
    await world.signal('r1', 'd1')
    await world.store.rebuild()
    strictEqual((await world.signal('r1', 'd1')).delivered, true)
  },

  'watching tells of each change of a run, and whether it may be due': async (world) => {
    const changes: Change[] = []
    const stop = world.store.watch((change) => changes.push(change))
    await world.create('r1')
    await until(world, () => changes.some(({ run, due, headSeq }) => run === 'r1' && due && headSeq === 0))
    const claim = await world.claimOne()
    const events = await world.appended(claim, [stepped('0')])
    await until(world, () => changes.some(({ run, headSeq }) => run === 'r1' && headSeq === 1))
    await world.suspend(claim, undefined, headAfter(events))
    changes.length = 0
    await world.signal('r1', 'd1')
    await until(world, () => changes.some(({ run, headSeq, due }) => run === 'r1' && headSeq === 2 && due))
    stop()
  },

  'watching ends when it is stopped': async (world) => {
    let count = 0
    const stop = world.store.watch(() => count++)
    stop()
    await world.create('r1')
    await world.given.advance(1000)
    await world.given.pause(10)
    strictEqual(count, 0)
  },

  'watching tells of what another handle changed': async (world) => {
    const changes: Change[] = []
    const stop = world.store.watch((change) => changes.push(change))
    const other = await world.given.another()
    await world.create('r1', [started()], other)
    await until(world, () => changes.some(({ run, due }) => (run === undefined || run === 'r1') && due))
    stop()
  },

  'a store says what it is in one line': async (world) => {
    ok(/^[^\n]{5,500}$/.test(world.store.describe()))
  },

  'closing waits for what is under way': async (world) => {
    const created = world.create('r1')
    await world.store.close()
    strictEqual((await created).kind, 'created')
    ok((await world.row('r1', await world.given.reopen())) !== undefined)
  },

  'whatever is called after closing fails with store_closed': async (world) => {
    const { store } = world
    const claim = await world.owned('r1')
    await store.close()
    await store.close()
    const calls = [
      () => world.create('r2'),
      () => world.append(claim, [stepped('0')]),
      () => world.signal('r1', 'd1'),
      () => world.suspend(claim, undefined),
      () => world.read('r1'),
      () => world.claim(),
      () => store.renew([claim], leaseMs),
      () => store.release(claim),
      () => store.run(idOf('r1')),
      () => store.runs({}),
      () => store.outbox({}),
      () => store.purge({ runs: [idOf('r1')], by: 'principal:bob' }),
      () => store.rebuild(),
      () => store.mark(),
      () => store.pulse(),
      () => store.missing([]),
      () => store.hold('nothing'),
      () => store.quarantine({ code: rolledBackCode, message: 'nothing' }),
    ]
    for (const call of calls) await rejectsWith('store_closed', call())
    throws(() => store.watch(() => undefined), { code: 'store_closed' })
    throws(() => store.heartbeat({ leaseMs, stallMs: 1000, onLost: () => undefined }), { code: 'store_closed' })
  },
}

// Runs of every kind: ready, running, waiting, stuck, ended, with a signal.
async function population(world: World) {
  const runs = ['ready', 'signalled', 'ended', 'waiting', 'stuck', 'running']
  for (const run of ['ended', 'waiting', 'stuck', 'running']) await world.create(run)
  const claims = new Map((await world.claim(4)).map((claim) => [claim.run as string, claim]))
  const of = (run: string) => claims.get(run) ?? (undefined as never)
  await world.appended(of('ended'), [stepped('0'), completed])
  await world.append(of('running'), [stepped('0')], { readSignalCount: 1 })
  await world.suspend(of('waiting'), world.given.nowMs() + 5000)
  const stuck = {
    claim: of('stuck'),
    head: of('stuck').head,
    rest: { kind: 'stuck', code: 'c', message: 'm' },
    readSignalCount: 0,
  } as const
  await world.store.suspend(stuck)
  for (const run of ['ready', 'signalled']) await world.create(run)
  await world.store.decide({
    run: idOf('signalled'),
    delivery: 'd1',
    by: 'principal:bob',
    seen: nothingSeen,
    decide: () => ({
      drafts: [{ kind: 'SignalReceived', body: '{"name":"paid","delivery":"d1"}', data: '1' }],
      result: 0,
    }),
  })
  const rows = await Promise.all(runs.map((run) => world.row(run)))
  return { runs, rows, journals: await Promise.all(runs.map((run) => world.read(run))) }
}

/** Lets real and scripted time pass until something holds; fails after ten seconds. */
export async function until(world: World, holds: () => boolean, stepMs = 25): Promise<void> {
  for (let count = 0; count < 1000 && !holds(); count++) {
    await world.given.advance(stepMs)
    await world.given.pause(10)
  }
  ok(holds(), 'what was waited for did not come within ten seconds')
}
