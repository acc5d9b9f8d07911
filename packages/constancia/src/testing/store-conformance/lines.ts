import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { endDelivery } from '../../journal/index.js'
import type { Change, CreateRun } from '../../store/index.js'
import { until } from './life.js'
import {
  type Cases,
  completed,
  continued,
  endedChild,
  headAfter,
  idOf,
  parentOf,
  signalled,
  started,
  startedAs,
  startedChild,
  stepped,
  successorOf,
  type World,
} from './world.js'

/** What `append` with a successor promises, and what runs that took over from each other share. */
export const lineCases: Cases = {
  'a run that goes on as another one ends, and its successor is ready, in one append': async (world) => {
    const claim = await world.owned('r')
    const successor = successorOf('r', 'r~r1')
    const outcome = await world.append(claim, [stepped('0'), continued('r~r1')], { successor })
    ok(outcome.kind === 'appended')
    await world.expectKinds('r', ['FlowStarted', 'StepCompleted', 'FlowContinued'])
    const before = await world.row('r')
    deepStrictEqual(
      [before.status, before.outcome, before.claim, before.continuedAs, before.latest, before.root],
      ['completed', 'completed', undefined, 'r~r1', 'r~r1', 'r'],
    )
    const row = await world.row('r~r1')
    deepStrictEqual(
      [row.status, row.epoch, row.claim, row.root, row.latest, row.continuedAs],
      ['ready', 0, undefined, 'r', undefined, undefined],
    )
    const [first] = await world.read('r~r1')
    deepStrictEqual([first?.kind, first?.by, first?.seq], ['FlowStarted', 'system:continue', 0])
    strictEqual((await world.claimOne()).run, 'r~r1')
    deepStrictEqual(await world.claim(), [])
  },

  'a root names the last of the runs that took over from it, and the others name none': async (world) => {
    await line(world)
    const rows = await Promise.all(['r', 'r~r1', 'r~r2'].map((run) => world.row(run)))
    deepStrictEqual(
      rows.map(({ root, continuedAs, latest }) => [root, continuedAs, latest]),
      [
        ['r', 'r~r1', 'r~r2'],
        ['r', 'r~r2', undefined],
        ['r', undefined, undefined],
      ],
    )
  },

  'a root stays as it is when something comes to it after its successor has started': async (world) => {
    await line(world)
    const row = await world.row('r')
    const facts = await world.decide('r', (found) => ({ drafts: [], result: found }))
    deepStrictEqual(facts.run, row)
  },

  'every handle learns what took over from a run, also one that knew the run before': async (world) => {
    const claim = await world.owned('r')
    const other = await world.given.another()
    const latest = () => world.decide('r', ({ run }) => ({ drafts: [], result: run?.latest }), { store: other })
    await world.signal('r', 'd1', other)
    strictEqual(await latest(), undefined)
    await world.goOn(claim, successorOf('r', 'r~r1'), (await world.row('r')).head)
    strictEqual(await latest(), 'r~r1')
    strictEqual((await world.signal('r~r1', 'd1', other)).delivered, true)
    strictEqual((await world.signal('r~r1', 'd2', other)).run?.root, 'r')
    await world.goOn(await world.claimOne(other), successorOf('r~r1', 'r~r2'), (await world.row('r~r1')).head)
    strictEqual(await latest(), 'r~r2')
  },

  'a successor has the signals that it takes over, and their deliveries still count once': async (world) => {
    const claim = await world.owned('r')
    await world.signal('r', 'read')
    await world.signal('r', 'unread')
    await world.goOn(claim, successorOf('r', 'r~r1', [signalled('unread')]), (await world.row('r')).head)
    await world.expectKinds('r~r1', ['FlowStarted', 'SignalReceived'])
    strictEqual((await world.row('r~r1')).signalCount, 1)
    const delivered = async (delivery: string) => (await world.signal('r~r1', delivery)).delivered
    deepStrictEqual([await delivered('read'), await delivered('unread'), await delivered('new')], [true, true, false])
    await world.expectKinds('r~r1', ['FlowStarted', 'SignalReceived', 'SignalReceived'])
  },

  'a delivery to a successor counts once for those that take over from it, and for its root': async (world) => {
    await world.goOn(await world.owned('r'), successorOf('r', 'r~r1'))
    await world.signal('r~r1', 'd1')
    await world.goOn(await world.claimOne(), successorOf('r~r1', 'r~r2'))
    strictEqual((await world.signal('r~r2', 'd1')).delivered, true)
    const facts = await world.decide('r', (found) => ({ drafts: [], result: found }), { delivery: 'd1' })
    strictEqual(facts.delivered, true)
    await world.expectKinds('r~r2', ['FlowStarted'])
  },

  'the end of a child counts once for each run of a line, whatever op the runs before it used': async (world) => {
    const end = (run: string) =>
      world.decide(run, ({ delivered }) => ({ drafts: [endedChild('0')], result: delivered }), {
        delivery: endDelivery(parentOf(run, '0')),
      })
    const claim = await world.owned('r')
    await world.appended(claim, [startedChild('0', 'r~0')])
    deepStrictEqual([await end('r'), await end('r')], [false, true])
    await world.goOn(claim, successorOf('r', 'r~r1', [startedChild('0', 'r~r1~0')]), (await world.row('r')).head)
    deepStrictEqual([await end('r~r1'), await end('r~r1')], [false, true])
    await world.expectKinds('r~r1', ['FlowStarted', 'ChildStarted', 'ChildEnded'])
  },

  'a successor that exists, or existed, is refused: nothing is stored, and others beside it succeed': async (world) => {
    await world.create('r~r1', [started('other')])
    await world.create('s~r1', [started('other'), completed])
    await world.store.purge({ runs: [idOf('s~r1')], by: 'principal:bob' })
    for (const run of ['r', 's']) {
      const claim = await world.owned(run)
      const beside = await world.owned(`${run}-beside`)
      const refused = world.append(claim, [stepped('0'), continued(`${run}~r1`)], {
        successor: successorOf(run, `${run}~r1`),
      })
      const sound = world.append(beside, [stepped('0')])
      await rejects(refused, { name: 'InvariantError' })
      strictEqual((await sound).kind, 'appended')
      await world.expectKinds(run, ['FlowStarted'])
      const { status, latest, claim: held } = await world.row(run)
      deepStrictEqual([status, latest, held?.id], ['running', undefined, claim.id])
    }
    strictEqual((await world.row('r~r1')).flow, 'other')
  },

  'only a run whose last event says so has a successor': async (world) => {
    const claim = await world.owned('r')
    for (const drafts of [[completed], [stepped('0')], []]) {
      const refused = world.append(claim, drafts, { successor: successorOf('r', 'r~r1') })
      await rejects(refused, { name: 'InvariantError' })
    }
    await nothingStarted(world)
  },

  'a successor whose events cannot be stored stores nothing of the run before it either': async (world) => {
    const claim = await world.owned('r')
    const broken = [[completed, stepped('0')], [{ kind: 'StepCompleted', body: '{}', data: 'a\0b' }]]
    for (const more of broken) {
      const successor = successorOf('r', 'r~r1', more)
      await rejects(world.append(claim, [continued('r~r1')], { successor }), { name: 'InvariantError' })
    }
    await rejects(world.append(claim, [completed, continued('r~r1')], { successor: successorOf('r', 'r~r1') }), {
      name: 'InvariantError',
    })
    await nothingStarted(world)
  },

  'an append that is refused starts no successor': async (world) => {
    const claim = await world.owned('r')
    const successor = successorOf('r', 'r~r1')
    const head = { ...claim.head, hash: '0'.repeat(64) }
    strictEqual((await world.append(claim, [continued('r~r1')], { successor, head })).kind, 'head_conflict')
    const late = { ...claim, epoch: claim.epoch + 1 }
    strictEqual((await world.append(late, [continued('r~r1')], { successor })).kind, 'claim_lost')
    await nothingStarted(world)
  },

  "a child that goes on tells its parent nothing; its successor's end does": async (world) => {
    const parent = parentOf('p', '0')
    await world.create('p~0', [startedAs({ parent })])
    const successor = successorOf('p~0', 'p~0~r1')
    const drafts = [startedAs({ parent, continues: idOf('p~0') }), startedChild('0', 'p~0~r1~0')]
    await world.goOn(await world.claimOne(), { ...successor, drafts })
    await world.expectOutbox([['p~0~r1', 1, 'start', 'p~0~r1~0']])
    await world.appended(await world.claimOne(), [completed])
    await world.expectOutbox([
      ['p~0~r1', 1, 'start', 'p~0~r1~0'],
      ['p~0~r1', 2, 'end', 'p'],
    ])
  },

  'what is asked of a successor in the same turn as its start is done': async (world) => {
    const claim = await world.owned('r')
    const successor: CreateRun = successorOf('r', 'r~r1')
    const appended = world.append(claim, [continued('r~r1')], { successor })
    const facts = world.signal('r~r1', 'd1')
    const latest = world.decide('r', ({ run }) => ({ drafts: [], result: run?.latest }))
    strictEqual((await appended).kind, 'appended')
    strictEqual((await facts).run?.root, 'r')
    strictEqual(await latest, 'r~r1')
    await world.expectKinds('r~r1', ['FlowStarted', 'SignalReceived'])
  },

  'watching tells that a successor is due': async (world) => {
    const claim = await world.owned('r')
    const changes: Change[] = []
    const stop = world.store.watch((change) => changes.push(change))
    await world.goOn(claim, successorOf('r', 'r~r1'))
    await until(world, () => changes.some(({ run, due, headSeq }) => run === 'r~r1' && due && headSeq === 0))
    await until(world, () => changes.some(({ run, headSeq }) => run === 'r' && headSeq === 1))
    stop()
  },
}

async function line(world: World): Promise<void> {
  const claim = await world.owned('r')
  const events = await world.appended(claim, [stepped('0')])
  await world.goOn(claim, successorOf('r', 'r~r1'), headAfter(events))
  await world.goOn(await world.claimOne(), successorOf('r~r1', 'r~r2'))
}

async function nothingStarted(world: World): Promise<void> {
  await world.expectKinds('r', ['FlowStarted'])
  const { status, latest, continuedAs } = await world.row('r')
  deepStrictEqual([status, latest, continuedAs], ['running', undefined, undefined])
  strictEqual(await world.store.run(idOf('r~r1')), undefined)
  deepStrictEqual(await world.read('r~r1'), [])
}
