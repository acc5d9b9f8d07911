import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { draftOf } from '../../journal/index.js'
import type { Facts } from '../../store/index.js'
import { type Cases, completed, headAfter, signalled, stepped, type World } from './world.js'

/** What `decide` promises. */
export const decisionCases: Cases = {
  "a decision is made from the run's row, the clock and the inbox, and its result comes back": async (world) => {
    await world.create('r1')
    const row = await world.row('r1')
    const facts = await world.decide('r1', (found) => ({ drafts: [], result: found }))
    deepStrictEqual(facts, {
      run: row,
      nowMs: world.given.nowMs(),
      delivered: false,
      basisHead: undefined,
      news: undefined,
    })
    deepStrictEqual(await world.read('r1').then((events) => events.length), 1)
  },

  'a decision is made from what was appended just before, in the same turn': async (world) => {
    const claim = await world.owned('r1')
    const appended = world.append(claim, [stepped('0'), stepped('1')])
    const facts = await world.decide('r1', (found) => ({ drafts: [], result: found }))
    strictEqual((await appended).kind, 'appended')
    strictEqual(facts.run?.head.seq, 2)
  },

  'a decision about a run that does not exist is told so, and may add nothing': async (world) => {
    const facts = await world.decide('r1', (found) => ({ drafts: [], result: found }))
    strictEqual(facts.run, undefined)
    await rejects(
      world.decide('r1', () => ({ drafts: [signalled('d1')], result: 0 }), { delivery: 'd1' }),
      { name: 'InvariantError' },
    )
    deepStrictEqual(await world.read('r1'), [])
  },

  'R-B7 events of a decision wake a run that waits, in the same transaction': async (world) => {
    await waiting(world, 'r1')
    await world.signal('r1', 'd1')
    const { status, signalCount, waitingFor, wakeAtMs } = await world.row('r1')
    deepStrictEqual(
      { status, signalCount, waitingFor, wakeAtMs },
      { status: 'ready', signalCount: 1, waitingFor: [], wakeAtMs: undefined },
    )
    const claim = await world.claimOne()
    strictEqual(claim.head.seq, 1)
    strictEqual((await world.read('r1'))[1]?.by, 'principal:bob')
  },

  'a decision without events wakes nobody': async (world) => {
    await waiting(world, 'r1')
    await world.decide('r1', () => ({ drafts: [], result: 0 }))
    strictEqual((await world.row('r1')).status, 'waiting')
    deepStrictEqual(await world.claim(), [])
  },

  'events of a decision leave a claim as it is, and its owner reads on from the new head': async (world) => {
    const claim = await world.owned('r1')
    await world.signal('r1', 'd1')
    const row = await world.row('r1')
    deepStrictEqual([row.status, row.claim?.id], ['running', claim.id])
    const outcome = await world.append(claim, [stepped('0')])
    deepStrictEqual(outcome, { kind: 'head_conflict', head: row.head })
    await world.appended(claim, [stepped('0')], row.head)
    await world.expectKinds('r1', ['FlowStarted', 'SignalReceived', 'StepCompleted'])
  },

  'events of a decision through another handle are a head_conflict for the owner': async (world) => {
    const claim = await world.owned('r1')
    const events = await world.appended(claim, [stepped('0')])
    await world.signal('r1', 'd1', await world.given.another())
    strictEqual((await world.append(claim, [stepped('1')], { head: headAfter(events) })).kind, 'head_conflict')
  },

  'a run that is ready keeps its place in the queue when something comes': async (world) => {
    await world.create('r1')
    await world.given.advance(5)
    await world.create('r2')
    await world.given.advance(5)
    await world.signal('r1', 'd1')
    strictEqual((await world.claimOne()).run, 'r1')
  },

  'a stuck run stays stuck when something comes, unless the decision frees it': async (world) => {
    const claim = await world.owned('r1')
    await world.store.suspend({
      claim,
      head: claim.head,
      rest: { kind: 'stuck', code: 'x', message: 'y' },
      readSignalCount: 0,
    })
    await world.signal('r1', 'd1')
    strictEqual((await world.row('r1')).status, 'stuck')
    const drafts = [draftOf('RetryRequested', { note: 'repaired' })]
    await world.decide('r1', () => ({ drafts, unstick: true, result: 0 }))
    const row = await world.row('r1')
    deepStrictEqual([row.status, row.stuck], ['ready', undefined])
    strictEqual((await world.claimOne()).epoch, 2)
  },

  'freeing a run that is not stuck changes nothing': async (world) => {
    await waiting(world, 'r1')
    await world.decide('r1', () => ({ drafts: [], unstick: true, result: 0 }))
    strictEqual((await world.row('r1')).status, 'waiting')
  },

  'a delivery counts once: the second time the decision is told, and its event is not added': async (world) => {
    await waiting(world, 'r1')
    strictEqual((await world.signal('r1', 'd1')).delivered, false)
    strictEqual((await world.signal('r1', 'd1')).delivered, true)
    strictEqual((await world.signal('r1', 'd2')).delivered, false)
    await world.expectKinds('r1', ['FlowStarted', 'SignalReceived', 'SignalReceived'])
    strictEqual((await world.row('r1')).signalCount, 2)
  },

  'a delivery that comes twice at once, and through two handles, counts once': async (world) => {
    await world.create('r1')
    const other = await world.given.another()
    const stores = [world.store, other, world.store, other]
    const facts = await Promise.all(stores.map((store) => world.signal('r1', 'd1', store)))
    strictEqual(facts.filter(({ delivered }) => !delivered).length, 1)
    await world.expectKinds('r1', ['FlowStarted', 'SignalReceived'])
  },

  'the same delivery to two runs counts for each': async (world) => {
    await world.create('r1')
    await world.create('r2')
    await world.signal('r1', 'd1')
    strictEqual((await world.signal('r2', 'd1')).delivered, false)
    strictEqual((await world.row('r2')).signalCount, 1)
  },

  'all events of a decision are stored, or none': async (world) => {
    await waiting(world, 'r1')
    const drafts = [signalled('d1'), completed, signalled('d1')]
    await rejects(
      world.decide('r1', () => ({ drafts, result: 0 }), { delivery: 'd1' }),
      { name: 'InvariantError' },
    )
    await world.expectKinds('r1', ['FlowStarted'])
    strictEqual((await world.row('r1')).status, 'waiting')
    strictEqual((await world.signal('r1', 'd1')).delivered, false)
  },

  'a decision that throws stores nothing, rejects with its error, and does no harm to others': async (world) => {
    await world.create('r1')
    await world.create('r2')
    const oops = new Error('oops')
    const failing = world.decide('r1', () => {
      throw oops
    })
    const sound = world.signal('r2', 'd1')
    await rejects(failing, oops)
    strictEqual((await sound).delivered, false)
    strictEqual((await world.row('r2')).signalCount, 1)
  },

  'a decision that ends a run takes it from its owner': async (world) => {
    const claim = await world.owned('r1')
    await world.decide('r1', () => ({ drafts: [completed], result: 0 }))
    const row = await world.row('r1')
    deepStrictEqual([row.status, row.claim], ['completed', undefined])
    strictEqual((await world.append(claim, [stepped('0')])).kind, 'run_ended')
    await world.given.advance(1_000_000)
    deepStrictEqual(await world.claim(), [])
  },

  'a decision that ends a run which is stuck ends it, and it is stuck no more': async (world) => {
    const claim = await world.owned('r1')
    const rest = { kind: 'stuck', code: 'x', message: 'y' } as const
    await world.store.suspend({ claim, head: claim.head, rest, readSignalCount: 0 })
    await world.decide('r1', () => ({ drafts: [draftOf('FlowCancelled', { forced: true })], result: 0 }))
    const { status, outcome, stuck } = await world.row('r1')
    deepStrictEqual([status, outcome, stuck], ['cancelled', 'cancelled', undefined])
    await world.given.advance(1_000_000)
    deepStrictEqual(await world.claim(), [])
  },

  'a run that was asked to end says so, and wakes if it waits': async (world) => {
    await waiting(world, 'r1')
    strictEqual((await world.row('r1')).isCancelRequested, false)
    await world.decide('r1', () => ({ drafts: [draftOf('CancelRequested', {})], result: 0 }))
    const { status, isCancelRequested } = await world.row('r1')
    deepStrictEqual([status, isCancelRequested], ['ready', true])
    strictEqual((await world.decide('r1', (facts) => ({ drafts: [], result: facts }))).run?.isCancelRequested, true)
  },

  'a decision may add nothing to a run that has ended, and is told that it has': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(claim, [completed])
    const facts = await world.decide('r1', (found: Facts) => ({ drafts: [], result: found }))
    strictEqual(facts.run?.outcome, 'completed')
    await rejects(world.signal('r1', 'd1'), { name: 'InvariantError' })
  },

  'decisions of many at once on one run are all made, each from what the one before left': async (world) => {
    await world.create('r1')
    const other = await world.given.another()
    const all = Array.from({ length: 20 }, (_, index) =>
      world.signal('r1', `d${index}`, index % 2 === 0 ? world.store : other),
    )
    const counts = (await Promise.all(all)).map(({ run }) => run?.signalCount ?? -1)
    deepStrictEqual(
      counts.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index),
    )
    ok((await world.row('r1')).head.seq === 20)
  },
}

async function waiting(world: World, run: string): Promise<void> {
  const claim = await world.owned(run)
  strictEqual(await world.suspend(claim, undefined), true)
}
