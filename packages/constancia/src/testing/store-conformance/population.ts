import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { draftOf, endDelivery, headOf, type StoredEvent, type StreamId } from '../../journal/index.js'
import type { Claim, Store } from '../../store/index.js'
import { requested, voted } from './approvals.js'
import { sealAll } from './logs.js'
import { granted, law, recorded } from './recording.js'
import {
  cancelledChild,
  completed,
  endedChild,
  entryOf,
  headAfter,
  idOf,
  leaseMs,
  parentOf,
  signalled,
  started,
  startedAs,
  startedChild,
  stepped,
  successorOf,
  type World,
} from './world.js'

/** The event that asks a run to end. */
export const cancelRequested = draftOf('CancelRequested', {})

/** A run that went on as another one, which got these events since. */
export async function lineOf(world: World, run: string, drafts: Parameters<World['create']>[1]): Promise<void> {
  await world.create(run, [startedAs({ flow: run })])
  const [claim] = await world.claim(1, world.store, run)
  if (claim === undefined) throw new Error(`run ${run} was to be due`)
  await world.goOn(claim, successorOf(run, `${run}~r1`, drafts))
}

/** Tells a run the end of the child of an op, and takes that off the outbox. */
export function tellEnd(world: World, run: string, op: string): Promise<unknown> {
  const how = { delivery: endDelivery(parentOf(run, op)), settles: entryOf(`${run}~${op}`, 1) }
  return world.decide(run, () => ({ drafts: [endedChild(op)], result: 0 }), how)
}

/**
 * A parent with a child never started, one that runs, one asked to end, one whose end it knows, one whose end it does not
 * know, and one that was purged; a line of three; a run whose lease was lost; keys. Returns the runs that are left.
 */
export async function population(world: World): Promise<readonly string[]> {
  const lost = await world.owned('lost')
  await world.given.advance(leaseMs)
  await world.claimOne()
  const children = ['0', '1', '2', '3', '4', '5'].map((op) => startedChild(op, `p~${op}`))
  await world.create('p', [startedAs({ flow: 'parent', key: 'k1' }), ...children, cancelledChild('2', 'p~2')])
  for (const op of ['1', '2', '3', '4', '5'])
    await world.create(`p~${op}`, [startedAs({ flow: 'child', parent: parentOf('p', op), key: 'k2' })])
  for (const seq of [2, 3, 4, 5, 6, 7]) await world.settle(entryOf('p', seq))
  await world.decide('p~2', () => ({ drafts: [cancelRequested], result: 0 }))
  for (const op of ['3', '4', '5']) await world.decide(`p~${op}`, () => ({ drafts: [completed], result: 0 }))
  for (const op of ['3', '5']) await tellEnd(world, 'p', op)
  await world.store.purge({ runs: [idOf('p~5')], by: 'principal:bob' })
  await lineOf(world, 'l', [signalled('d1')])
  const claim = await world.claimOne()
  await world.append(claim, [stepped('0')], { readSignalCount: 1 })
  await world.goOn(claim, successorOf('l~r1', 'l~r2'), (await world.row('l~r1')).head)
  return [lost.run, 'p', 'p~1', 'p~2', 'p~3', 'p~4', 'l', 'l~r1', 'l~r2']
}

/** Asserts what no row shows of a population: the inbox that a line shares, and ids that must not be used again. */
export async function expectRemembered(world: World, store: Store): Promise<void> {
  strictEqual((await world.signal('l~r2', 'd1', store)).delivered, true)
  const how = { delivery: endDelivery(parentOf('p', '3')), store }
  strictEqual(await world.decide('p', ({ delivered }) => ({ drafts: [], result: delivered }), how), true)
  deepStrictEqual(await world.create('p~5', [started()], store), { kind: 'purged' })
}

/** Runs of every kind, every lease of which has run out, and streams that belong to none. Returns the runs that are left. */
export async function everything(world: World): Promise<readonly string[]> {
  const runs = await population(world)
  const waiting = await ownedAlone(world, 'timer')
  await world.suspend(waiting, world.given.nowMs() + 60_000)
  const parked = await ownedAlone(world, 'parked')
  await world.signal('parked', 'unread')
  const rest = { kind: 'stuck', code: 'nondeterminism', message: 'step "a" became "b"' } as const
  await world.store.suspend({ claim: parked, head: (await world.row('parked')).head, readSignalCount: 0, rest })
  const signalledRun = await ownedAlone(world, 'signal')
  const events = await world.appended(signalledRun, [stepped('0')])
  await world.suspend(signalledRun, undefined, headAfter(events))
  const gone = await ownedAlone(world, 'gone')
  const carried = await world.append(gone, [signalled('in-gone'), completed])
  ok(carried.kind === 'appended' && headOf(carried.events[1] as StoredEvent).seq === 2)
  deepStrictEqual((await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })).purged, ['gone'])
  await world.create('large', [started(), ...Array.from({ length: 70 }, (_, index) => stepped(String(index)))])
  await world.create('odd', [
    startedAs({ key: 'k-1', priority: 7 }),
    stepped('0', JSON.stringify('\u0001"\\ 🜁 {"a":[1,"2"]}')),
  ])
  await world.create('mother', [startedAs({ key: 'k-2' }), startedChild('0', 'mother~0')])
  const paused = await ownedAlone(world, 'paused')
  const person = {
    kind: 'paused',
    wakeAtMs: undefined,
    waitingFor: [{ kind: 'approval', op: '1', name: 'pay' }],
  } as const
  const asked = await world.appended(paused, [requested('1', { withinMs: 77 }), requested('2'), voted('1', 'v1')])
  await world.store.suspend({ claim: paused, head: headAfter(asked), readSignalCount: 0, rest: person })
  for (const stream of ['refusals', law, 'zebra'] as StreamId[])
    for (let count = 0; count < 3; count++)
      await recorded(world, [granted(`p${count}`), { ...granted('q'), data: `"${stream}"` }], { stream })
  await world.create('erased', [started(), stepped('0'), completed])
  const texts = [{ stream: 'run/erased', from: 0, to: 1 }]
  await recorded(world, [{ kind: 'Erased', body: JSON.stringify({ texts, principal: null }), data: undefined }])
  await sealAll(world.store)
  await recorded(world, [granted('late')], { stream: 'zebra' as StreamId })
  await sealAll(world.store)
  const { size } = await world.store.log.state()
  for (const by of ['one', 'other']) await world.store.log.attest({ size, kind: 'cosignature', by, text: `by ${by}` })
  await world.given.advance(leaseMs)
  return [...runs, 'timer', 'parked', 'signal', 'large', 'odd', 'mother', 'paused', 'erased']
}

// With a flow of its own, so that no other run is due.
async function ownedAlone(world: World, run: string): Promise<Claim> {
  await world.create(run, [startedAs({ flow: run })])
  const [claim] = await world.claim(1, world.store, run)
  ok(claim !== undefined)
  return claim
}
