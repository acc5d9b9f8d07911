import { deepStrictEqual, rejects, strictEqual } from 'node:assert'
import { draftOf, nothingSeen } from '../../journal/index.js'
import type { Change, Created, OutboxRef } from '../../store/index.js'
import { until } from './life.js'
import {
  type Cases,
  cancelledChild,
  completed,
  entryOf,
  headAfter,
  idOf,
  parentOf,
  rejectsWith,
  signalled,
  started,
  startedAs,
  startedChild,
  stepped,
  type World,
} from './world.js'

/** What `outbox` promises, and `settles` of `create` and `decide`. */
export const outboxCases: Cases = {
  'an append puts what its events have to tell others into the outbox': async (world) => {
    const claim = await world.owned('p')
    await world.appended(claim, [startedChild('0', 'p~0'), stepped('1'), cancelledChild('0', 'p~0')])
    await world.expectOutbox([
      ['p', 1, 'start', 'p~0'],
      ['p', 3, 'cancel', 'p~0'],
    ])
  },

  'a start and a decision put what their events have to tell others into the outbox': async (world) => {
    await world.create('p', [started(), startedChild('0', 'p~0')])
    await world.decide('p', () => ({ drafts: [cancelledChild('0', 'p~0')], result: 0 }))
    await world.expectOutbox([
      ['p', 1, 'start', 'p~0'],
      ['p', 2, 'cancel', 'p~0'],
    ])
  },

  'the end of a child is for its parent, whoever ends it; that of a run without parent is for nobody': async (
    world,
  ) => {
    const child = (op: string) => startedAs({ parent: parentOf('p', op) })
    await world.create('p~0', [child('0')])
    await world.appended(await world.claimOne(), [completed])
    await world.create('p~1', [child('1')])
    const forced = draftOf('FlowCancelled', { forced: true })
    await world.decide('p~1', () => ({ drafts: [forced], result: 0 }))
    await world.create('p~2', [child('2'), completed])
    await world.appended(await world.owned('r1'), [completed])
    await world.expectOutbox([
      ['p~0', 1, 'end', 'p'],
      ['p~1', 1, 'end', 'p'],
      ['p~2', 1, 'end', 'p'],
    ])
  },

  'an append that is refused puts nothing into the outbox': async (world) => {
    const claim = await world.owned('p')
    await world.signal('p', 'd1')
    strictEqual((await world.append(claim, [startedChild('0', 'p~0')])).kind, 'head_conflict')
    await rejects(
      world.decide('p', () => ({ drafts: [startedChild('0', 'p~0'), completed, stepped('1')], result: 0 })),
      { name: 'InvariantError' },
    )
    await world.expectOutbox([])
  },

  'the outbox is listed oldest first, in pages without gap or repetition': async (world) => {
    for (const run of ['b', 'a']) await world.create(run)
    const tell = (run: string, op: string) =>
      world.decide(run, () => ({ drafts: [startedChild(op, `${run}~${op}`)], result: 0 }))
    for (const op of ['0', '1']) for (const run of ['b', 'a']) await tell(run, op)
    const first = await world.store.outbox({ limit: 2 })
    deepStrictEqual(targetsOf(first.items), ['b~0', 'a~0'])
    await world.settle(entryOf('b', 1))
    await tell('a', '2')
    const second = await world.store.outbox({ limit: 2, ...after(first.next) })
    deepStrictEqual(targetsOf(second.items), ['b~1', 'a~1'])
    const third = await world.store.outbox({ limit: 2, ...after(second.next) })
    deepStrictEqual([targetsOf(third.items), third.next], [['a~2'], undefined])
    strictEqual((await world.store.outbox({ limit: 4 })).next, undefined)
  },

  'a page of the outbox holds 100 entries unless told otherwise, and one that begins nowhere is refused': async (
    world,
  ) => {
    const drafts = Array.from({ length: 101 }, (_, index) => startedChild(String(index), `p~${index}`))
    await world.appended(await world.owned('p'), drafts)
    const page = await world.store.outbox({})
    strictEqual(page.items.length, 100)
    deepStrictEqual(targetsOf((await world.store.outbox(after(page.next))).items), ['p~100'])
    await rejectsWith('invalid_id', world.store.outbox({ after: 'x; drop' }))
  },

  'a start takes its entry off the outbox, also where the run exists or was purged': async (world) => {
    await world.create('gone', [started(), completed])
    await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })
    const drafts = [startedChild('0', 'new'), startedChild('1', 'new'), startedChild('2', 'gone')]
    await world.create('p', [started(), ...drafts])
    strictEqual((await createSettling(world, 'new', entryOf('p', 1))).kind, 'created')
    deepStrictEqual(targetsOf(await world.outbox()), ['new', 'gone'])
    strictEqual((await createSettling(world, 'new', entryOf('p', 2))).kind, 'exists')
    deepStrictEqual(targetsOf(await world.outbox()), ['gone'])
    strictEqual((await createSettling(world, 'gone', entryOf('p', 3))).kind, 'purged')
    deepStrictEqual(await world.outbox(), [])
  },

  'C20 R-B8 a child that its parent has asked to end begins with that, and no other one does': async (world) => {
    const claim = await world.owned('p')
    const starts = ['0', '1', '2', '3'].map((op) => startedChild(op, `p~${op}`))
    const first = await world.appended(claim, [...starts, cancelledChild('0', 'p~0')])
    // Who asks it may be the owner, somebody outside, or have been told no more.
    await world.appended(claim, [cancelledChild('1', 'p~1'), cancelledChild('3', 'p~3')], headAfter(first))
    await world.settle(entryOf('p', 7))
    const begin = (op: number) => createChild(world, `p~${op}`, entryOf('p', op + 1))
    for (const op of [0, 1, 2, 3]) strictEqual((await begin(op)).kind, 'created')
    for (const op of [0, 1]) await world.expectKinds(`p~${op}`, ['FlowStarted', 'CancelRequested'])
    for (const op of [2, 3]) await world.expectKinds(`p~${op}`, ['FlowStarted'])
    deepStrictEqual((await world.row('p~0')).isCancelRequested, true)
    // What asks it is left for whoever tells it.
    await world.expectOutbox([
      ['p', 5, 'cancel', 'p~0'],
      ['p', 6, 'cancel', 'p~1'],
    ])
    strictEqual((await begin(0)).kind, 'exists')
    await world.expectKinds('p~0', ['FlowStarted', 'CancelRequested'])
  },

  'a decision takes its entry off the outbox, whatever is decided': async (world) => {
    await world.create('ended', [started(), completed])
    await world.create('open')
    const children = Array.from({ length: 5 }, (_, op) => startedChild(String(op), `p~${op}`))
    await world.create('p', [started(), ...children])
    const signal = (seq: number) => ({ delivery: 'd1', settles: entryOf('p', seq) })
    const adds = () => ({ drafts: [signalled('d1')], result: 0 })
    const nothing = () => ({ drafts: [], result: 0 })
    await world.decide('open', adds, signal(1))
    await world.decide('open', adds, signal(2)) // It was delivered already.
    await world.decide('open', nothing, { settles: entryOf('p', 3) })
    await world.decide('ended', nothing, signal(4))
    deepStrictEqual(targetsOf(await world.outbox()), ['p~4'])
    await world.decide('nobody', nothing, signal(5))
    deepStrictEqual(await world.outbox(), [])
    await world.expectKinds('open', ['FlowStarted', 'SignalReceived'])
  },

  'only the entry that is named is taken off, and to take it off twice does no harm': async (world) => {
    await world.create('p', [started(), startedChild('0', 'p~0'), startedChild('1', 'p~1')])
    await world.create('q', [started(), startedChild('0', 'q~0')])
    await world.settle(entryOf('p', 1))
    await world.settle(entryOf('p', 1))
    await world.settle(entryOf('p', 0))
    await world.settle(entryOf('nobody', 1))
    deepStrictEqual(targetsOf(await world.outbox()), ['p~1', 'q~0'])
  },

  'a start or a decision that fails takes nothing off the outbox': async (world) => {
    await world.create('p', [started(), startedChild('0', 'p~0')])
    const settles = entryOf('p', 1)
    const failing = () => {
      throw new Error('oops')
    }
    await rejects(world.decide('p', failing, { settles }), { message: 'oops' })
    await rejects(
      world.decide('p', () => ({ drafts: [completed, stepped('0')], result: 0 }), { settles }),
      { name: 'InvariantError' },
    )
    const broken = {
      run: idOf('p~0'),
      drafts: [started(), completed, completed],
      by: 'system:outbox',
      seen: nothingSeen,
    }
    await rejects(world.store.create({ ...broken, settles }), { name: 'InvariantError' })
    await world.expectOutbox([['p', 1, 'start', 'p~0']])
  },

  'watching tells that something may have been put into the outbox, by each way and each handle': async (world) => {
    const changes: Change[] = []
    const stop = world.store.watch((change) => changes.push(change))
    await world.create('p', [started(), startedChild('0', 'p~0')])
    await until(world, () => changes.some(({ run, outbox }) => run === 'p' && outbox))
    const claim = await world.claimOne()
    changes.length = 0
    const events = await world.appended(claim, [startedChild('1', 'p~1')])
    await until(world, () => changes.some(({ run, outbox }) => run === 'p' && outbox))
    await world.suspend(claim, undefined, headAfter(events))
    const other = await world.given.another()
    changes.length = 0
    const decide = () => ({ drafts: [startedChild('2', 'p~2')], result: 0 })
    await world.decide('p', decide, { store: other })
    await until(world, () => changes.some(({ run, outbox }) => (run === undefined || run === 'p') && outbox))
    stop()
  },
}

function createSettling(world: World, run: string, settles: OutboxRef): Promise<Created> {
  return world.store.create({ run: idOf(run), drafts: [started()], by: 'system:outbox', seen: nothingSeen, settles })
}

function createChild(world: World, run: string, settles: OutboxRef): Promise<Created> {
  const draftsIfToEnd = [draftOf('CancelRequested', {})]
  const request = { run: idOf(run), drafts: [started()], draftsIfToEnd, settles }
  return world.store.create({ ...request, by: 'system:outbox', seen: nothingSeen })
}

function after(next: string | undefined): { after?: string } {
  return next === undefined ? {} : { after: next }
}

function targetsOf(items: readonly { readonly target: string }[]): string[] {
  return items.map(({ target }) => target)
}
