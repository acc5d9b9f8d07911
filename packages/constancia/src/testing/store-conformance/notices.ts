import { deepStrictEqual, strictEqual } from 'node:assert'
import { type Draft, draftOf, type OutboxEntry, type Tells } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import {
  type Cases,
  completed,
  continued,
  entryOf,
  headAfter,
  idOf,
  parentOf,
  started,
  startedAs,
  startedChild,
  stepped,
  successorOf,
  type World,
} from './world.js'

/** What `outbox` promises of notices for those who started runs. */
export const noticeCases: Cases = {
  'R-E13 events that say so are notices for the caller, who knows the line by its root; others are not': async (
    world,
  ) => {
    const claim = await world.owned('r')
    const silent = told('MessageSent', {})
    const others = [stepped('1'), told('ActionCompleted'), told('ApprovalVoted'), silent]
    const all = ['MessageSent', 'ApprovalRequested', 'ResumeDeferred', 'ResumeDenied', 'ApprovalResolved'].map((kind) =>
      told(kind),
    )
    const events = await world.appended(claim, [...others, ...all])
    await world.goOn(claim, successorOf('r', 'r~r1'), headAfter(events))
    await world.append(await world.claimOne(), [told('MessageSent'), told('FlowCompleted')])
    deepStrictEqual(await noticed(world), [
      ...[5, 6, 7, 8, 9].map((seq) => ['r', seq, 'r']),
      ['r~r1', 1, 'r'],
      ['r~r1', 2, 'r'],
    ])
    await world.expectOutbox([])
  },

  'R-E13 a start and a decision put their notices into the outbox; what is refused does not': async (world) => {
    await world.create('r', [started(), told('MessageSent')])
    await world.decide('r', () => ({ drafts: [told('ApprovalResolved')], result: 0 }))
    const claim = await world.claimOne()
    strictEqual((await world.append(claim, [told('MessageSent')], { head: claim.head })).kind, 'appended')
    strictEqual((await world.append(claim, [told('MessageSent')], { head: claim.head })).kind, 'head_conflict')
    deepStrictEqual(
      await noticed(world),
      [1, 2, 3].map((seq) => ['r', seq, 'r']),
    )
  },

  'R-E13 how a child ends is for its parent alone, and that a run goes on as another for nobody': async (world) => {
    await world.create('p~0', [startedAs({ parent: parentOf('p', '0') }), told('FlowFailed', { tells: true })])
    const claim = await world.owned('r')
    await world.goOn(claim, successorOf('r', 'r~r1'))
    strictEqual(continued('r~r1').kind, 'FlowContinued')
    deepStrictEqual(await noticed(world), [])
    await world.expectOutbox([['p~0', 1, 'end', 'p']])
  },

  'notices and what runs tell each other are listed apart, oldest first, in pages without gap or repetition': async (
    world,
  ) => {
    for (const run of ['a', 'b'])
      await world.create(run, [started(), told('MessageSent'), startedChild('0', `${run}~0`)])
    await world.decide('a', () => ({ drafts: [told('MessageSent'), startedChild('1', 'a~1')], result: 0 }))
    await world.expectOutbox([
      ['a', 2, 'start', 'a~0'],
      ['b', 2, 'start', 'b~0'],
      ['a', 4, 'start', 'a~1'],
    ])
    const first = await world.store.outbox({ to: 'caller', limit: 2 })
    deepStrictEqual(placesOf(first.items), [
      ['a', 1, 'a'],
      ['b', 1, 'b'],
    ])
    const { next } = first
    const second = await world.store.outbox({ to: 'caller', limit: 2, ...(next === undefined ? {} : { after: next }) })
    deepStrictEqual([placesOf(second.items), second.next], [[['a', 3, 'a']], undefined])
    strictEqual((await world.store.outbox({ to: 'runs', limit: 3 })).next, undefined)
  },

  'a notice that was delivered is taken off, once and for all, and nothing else with it': async (world) => {
    await world.create('r', [started(), told('MessageSent'), startedChild('0', 'r~0'), told('MessageSent')])
    for (let again = 0; again < 2; again++) await world.settle(entryOf('r', 1))
    deepStrictEqual(await noticed(world), [['r', 3, 'r']])
    await world.expectOutbox([['r', 2, 'start', 'r~0']])
    deepStrictEqual(await noticed(world, await world.given.reopen()), [['r', 3, 'r']])
  },

  'notices keep no run from being purged, and go with it': async (world) => {
    await world.create('r', [started(), told('MessageSent'), completed])
    await world.create('s', [started(), told('MessageSent'), startedChild('0', 's~0'), completed])
    const { purged } = await world.store.purge({ runs: [idOf('r'), idOf('s')], by: 'principal:bob' })
    deepStrictEqual(purged, ['r'])
    deepStrictEqual(await noticed(world), [['s', 1, 's']])
  },

  'R-A2 a rebuild leaves the notices that are there, and puts back none that was delivered': async (world) => {
    await world.create('p', [started(), told('MessageSent'), startedChild('0', 'p~0'), told('MessageSent')])
    await world.create('q', [started(), told('MessageSent'), startedChild('0', 'q~0')])
    await world.settle(entryOf('p', 1))
    await world.store.rebuild()
    const after = [
      ['p', 3, 'p'],
      ['q', 1, 'q'],
    ]
    deepStrictEqual(await noticed(world), after)
    await world.store.rebuild()
    deepStrictEqual(await noticed(world), after)
    await world.settle(entryOf('p', 3))
    deepStrictEqual(await noticed(world), after.slice(1))
  },
}

/** An event of a run whose caller is to be told. */
function told(kind: string, tells: Tells = { tells: true }): Draft {
  if (kind === 'FlowCompleted') return draftOf(kind, tells, '"done"')
  if (kind === 'FlowFailed') return draftOf(kind, { code: 'error', ...tells }, '"oops"')
  const asked = {
    action: null,
    shown: 'digest',
    policy: { roles: ['boss'], quorum: 1, withinMs: null, escalation: null },
  }
  const about = {
    op: '0',
    verb: 'say',
    name: 'hello',
    ...(kind === 'ApprovalRequested' ? asked : { outcome: 'approved' }),
  }
  return { kind, body: JSON.stringify({ ...about, ...tells }), data: undefined }
}

async function noticed(world: World, store: Store = world.store): Promise<unknown[]> {
  return placesOf((await store.outbox({ to: 'caller' })).items)
}

function placesOf(items: readonly OutboxEntry[]): unknown[] {
  return items.map(({ run, seq, target }) => [run, seq, target])
}
