import { deepStrictEqual, strictEqual } from 'node:assert'
import { draftOf, endDelivery } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import {
  cancelledChild,
  completed,
  endedChild,
  entryOf,
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
