import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { emptyHead, type Head, runStream, type StreamId, verifyChain } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { appendUnder, granted, law, record, recorded } from './recording.js'
import { type Cases, completed, forged, headAfter, idOf, signalled, stepped } from './world.js'

const other = 'refusals' as StreamId

/** What `record` promises, and what depends on where a stream ends. */
export const streamCases: Cases = {
  'R-A1 events that are recorded in a stream of no run are chained, in order, and read back': async (world) => {
    const first = await recorded(world, [granted('ann')])
    const second = await recorded(world, [granted('bob'), { ...granted('cid'), data: '{"why":"é 😀"}' }])
    const events = await world.store.read(law)
    deepStrictEqual(events, [...first, ...second])
    deepStrictEqual(
      events.map(({ seq, by, seen, at }) => [seq, by, seen, at]),
      [0, 1, 2].map((seq) => [seq, 'principal:ann', '1:ab/-', world.given.nowMs()]),
    )
    deepStrictEqual(verifyChain(law, emptyHead(law), events), headAfter(events))
    deepStrictEqual(await world.store.read(law, { fromSeq: 1, limit: 1 }), [events[1]])
    deepStrictEqual(await world.store.read(law, { fromSeq: 3 }), [])
  },

  'what is recorded outlives the store that it was recorded in, and goes on in the next': async (world) => {
    const events = await recorded(world, [granted('ann')])
    const store = await world.given.reopen()
    deepStrictEqual(await store.read(law), events)
    const more = await recorded(world, [granted('bob')], { store, head: headAfter(events) })
    deepStrictEqual(await store.read(law), [...events, ...more])
  },

  'streams that belong to no run do not mix, and are no runs': async (world) => {
    await world.create('governance')
    const events = await recorded(world, [granted('ann')])
    strictEqual((await world.store.read(other)).length, 0)
    const refusals = await recorded(world, [granted('bob')], { stream: other })
    strictEqual(refusals[0]?.seq, 0)
    deepStrictEqual(await world.store.read(law), events)
    strictEqual((await world.row('governance')).head.seq, 0)
    strictEqual((await world.store.runs({})).items.length, 1)
    deepStrictEqual(await world.outbox(), [])
  },

  'a record at a head that is not the last event is a head_conflict, and adds nothing': async (world) => {
    const none = emptyHead(law)
    const first = await recorded(world, [granted('ann')], { head: none })
    const events = [...first, ...(await recorded(world, [granted('bob')], { head: headAfter(first) }))]
    const conflict = { kind: 'head_conflict', head: headAfter(events) }
    deepStrictEqual(await record(world, [granted('cid')], { head: none }), conflict)
    deepStrictEqual(await record(world, [granted('cid')], { head: headAfter(first) }), conflict)
    const forgedHead = { ...headAfter(events), hash: 'f'.repeat(64) }
    deepStrictEqual(await record(world, [granted('cid')], { head: forgedHead }), conflict)
    const beyond = { ...headAfter(events), seq: 7 }
    deepStrictEqual(await record(world, [granted('cid')], { head: beyond }), conflict)
    deepStrictEqual(await world.store.read(law), events)
    deepStrictEqual(await record(world, [granted('cid')], { head: headAfter(first), stream: other }), {
      kind: 'head_conflict',
      head: emptyHead(other),
    })
  },

  'nothing is recorded in the journal of a run, under a name that is none, or without events': async (world) => {
    await world.create('r1')
    for (const stream of [runStream(idOf('r1')), runStream(idOf('r2')), '' as StreamId, 'a\0b' as StreamId])
      await rejects(record(world, [granted('ann')], { stream }), { name: 'InvariantError' })
    await rejects(record(world, []), { name: 'InvariantError' })
    await world.expectKinds('r1', ['FlowStarted'])
    deepStrictEqual(await world.store.read(law), [])
  },

  'a record does not suffer from what fails beside it, nor does whoever depends on its stream': async (world) => {
    const claim = await world.owned('r1')
    const oops = new Error('oops')
    const fails = (): Promise<unknown> =>
      world.decide('r1', () => {
        throw oops
      })
    const first = recorded(world, [granted('ann')])
    await Promise.all([first, rejects(fails(), oops)])
    const head = headAfter(await first)
    const second = recorded(world, [granted('bob')], { head })
    const append = appendUnder(world, { claim, head: claim.head, basis: head })
    await Promise.all([second, rejects(fails(), oops)])
    ok(['appended', 'basis_moved'].includes((await append).kind))
    const events = await world.store.read(law)
    deepStrictEqual(events, [...(await first), ...(await second)])
    verifyChain(law, emptyHead(law), events)
  },

  'what many record at once, through two handles, comes one after the other': async (world) => {
    const stores = [world.store, await world.given.another()]
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
    await Promise.all(names.map((name, index) => recorded(world, [granted(name)], { store: stores[index % 2] })))
    const events = await world.store.read(law)
    verifyChain(law, emptyHead(law), events)
    deepStrictEqual(events.map(({ body }) => body).sort(), names.map((name) => granted(name).body).sort())
  },

  'of many that record at the same head at once, through two handles, one does': async (world) => {
    const stores = [world.store, await world.given.another()]
    let head = emptyHead(law)
    for (let round = 0; round < 5; round++) {
      const all = stores.flatMap((store) => [store, store])
      const answers = await Promise.all(all.map((store) => record(world, [granted(`p${round}`)], { store, head })))
      const winners = answers.filter((answer) => answer.kind === 'recorded')
      strictEqual(winners.length, 1)
      head = headAfter(winners[0]?.events ?? [])
      for (const answer of answers) if (answer.kind === 'head_conflict') deepStrictEqual(answer.head, head)
    }
    strictEqual((await world.store.read(law)).length, 5)
  },

  'R-A2 rebuilding, purging and quarantine leave streams that belong to no run as they are': async (world) => {
    const events = await recorded(world, [granted('ann'), granted('bob')])
    const claim = await world.owned('r1')
    await world.appended(claim, [completed])
    deepStrictEqual((await world.store.purge({ runs: [idOf('governance'), idOf('r1')], by: 'x' })).purged, ['r1'])
    strictEqual((await world.store.rebuild()).runCount, 0)
    await world.store.quarantine({ code: 'rolled_back', message: 'x' })
    deepStrictEqual(await world.store.read(law), events)
    const next = await world.owned('r2')
    strictEqual((await appendUnder(world, { claim: next, head: next.head, basis: headAfter(events) })).kind, 'appended')
    strictEqual((await recorded(world, [granted('cid')], { head: headAfter(events) }))[0]?.seq, 2)
  },

  'R-E11 an append whose basis stands is stored, over an empty stream and another': async (world) => {
    const claim = await world.owned('r1')
    const first = await appendUnder(world, { claim, head: claim.head, basis: emptyHead(law) })
    ok(first.kind === 'appended')
    const events = await recorded(world, [granted('ann'), granted('bob')])
    const head = headAfter(first.events)
    strictEqual((await appendUnder(world, { claim, head, basis: headAfter(events) })).kind, 'appended')
    verifyChain(runStream(idOf('r1')), emptyHead(runStream(idOf('r1'))), await world.read('r1'))
    deepStrictEqual(await world.store.read(law), events)
  },

  'R-E11 an append whose basis has moved stores nothing, over an empty stream and another': async (world) => {
    const claim = await world.owned('r1')
    const basis = emptyHead(law)
    const first = await recorded(world, [granted('ann')])
    deepStrictEqual(await appendUnder(world, { claim, head: claim.head, basis }), { kind: 'basis_moved' })
    const second = await recorded(world, [granted('bob')], { store: await world.given.another() })
    for (const seq of [0, 1, 2]) {
      const stale = { ...headAfter(first), seq }
      deepStrictEqual(await appendUnder(world, { claim, head: claim.head, basis: stale }), { kind: 'basis_moved' })
    }
    await world.expectKinds('r1', ['FlowStarted'])
    const row = await world.row('r1')
    deepStrictEqual([row.head, row.status, row.claim?.id], [claim.head, 'running', claim.id])
    const moved = { claim, head: claim.head, basis: headAfter(second) }
    strictEqual((await appendUnder(world, moved)).kind, 'appended')
  },

  'R-E11 an append is not stored once what it was decided from says something else': async (world) => {
    const claim = await world.owned('r1')
    const untilMs = world.given.nowMs() + 1_000
    const basis = { stream: law, head: emptyHead(law), atMs: world.given.nowMs(), untilMs }
    const first = await world.append(claim, [stepped('0')], { basis })
    ok(first.kind === 'appended')
    await world.given.advance(1_000)
    const head = headAfter(first.events)
    deepStrictEqual(await world.append(claim, [stepped('1')], { head, basis }), { kind: 'basis_moved' })
    strictEqual((await world.read('r1')).length, 2)
    const later = { ...basis, untilMs: untilMs + 1 }
    strictEqual((await world.append(claim, [stepped('1')], { head, basis: later })).kind, 'appended')
  },

  'R-E11 events are dated no earlier than they were decided, whatever clock dates them': async (world) => {
    const claim = await world.owned('r1')
    const atMs = world.given.nowMs() + 3_600_000
    const basis = { stream: law, head: emptyHead(law), atMs }
    const answer = await world.append(claim, [stepped('0')], { basis })
    ok(answer.kind === 'appended')
    strictEqual(answer.events[0]?.at, atMs)
    strictEqual((await world.read('r1'))[1]?.at, atMs)
  },

  'whoever lost the claim, the end or the head is told that, and not that the basis has moved': async (world) => {
    const claim = await world.owned('r1')
    const basis = emptyHead(law)
    await recorded(world, [granted('ann')])
    await world.signal('r1', 'd1')
    const { head } = await world.row('r1')
    deepStrictEqual(await appendUnder(world, { claim, head: claim.head, basis }), { kind: 'head_conflict', head })
    const lost = { ...claim, ...forged(claim, { epoch: claim.epoch + 1 }) }
    deepStrictEqual(await appendUnder(world, { claim: lost, head, basis }), { kind: 'claim_lost' })
    await world.appended(claim, [completed], head)
    deepStrictEqual(await appendUnder(world, { claim, head, basis }), { kind: 'run_ended' })
  },

  'of appends at once, one whose basis has moved is refused and the others are stored': async (world) => {
    for (const run of ['r1', 'r2', 'r3', 'r4']) await world.create(run)
    const [one, two, three, four] = await world.claim(4)
    ok(one !== undefined && two !== undefined && three !== undefined && four !== undefined)
    const events = await recorded(world, [granted('ann')])
    const answers = await Promise.all([
      world.append(one, [stepped('0')]),
      appendUnder(world, { claim: two, head: two.head, basis: emptyHead(law) }),
      appendUnder(world, { claim: three, head: three.head, basis: headAfter(events) }),
      appendUnder(world, { claim: four, head: four.head, basis: emptyHead(other), stream: other }),
    ])
    deepStrictEqual(
      answers.map(({ kind }) => kind),
      ['appended', 'basis_moved', 'appended', 'appended'],
    )
    await world.expectKinds(two.run, ['FlowStarted'])
    for (const { run } of [one, three, four]) await world.expectKinds(run, ['FlowStarted', 'StepCompleted'])
  },

  'R-E11 a decision is told where its basis ends, over an empty stream and another': async (world) => {
    await world.create('r1')
    const ask = (run: string, store?: Store): Promise<Head | undefined> =>
      world.decide(run, (facts) => ({ drafts: [], result: facts.basisHead }), {
        basis: law,
        ...(store === undefined ? {} : { store }),
      })
    deepStrictEqual(await ask('r1'), emptyHead(law))
    deepStrictEqual(await ask('nobody'), emptyHead(law))
    const events = await recorded(world, [granted('ann'), granted('bob')])
    deepStrictEqual(await ask('r1'), headAfter(events))
    deepStrictEqual(await ask('nobody', await world.given.another()), headAfter(events))
    strictEqual(await world.decide('r1', (facts) => ({ drafts: [], result: facts.basisHead })), undefined)
  },

  'R-E11 a decision under a basis that stands is stored, with others at once': async (world) => {
    await world.create('r1')
    const events = await recorded(world, [granted('ann')])
    const decide = (delivery: string, basis: StreamId): Promise<number | undefined> =>
      world.decide('r1', (facts) => ({ drafts: [signalled(delivery)], result: facts.basisHead?.seq }), {
        delivery,
        basis,
      })
    const seqs = await Promise.all([decide('d1', law), decide('d2', other), world.signal('r1', 'd3')])
    deepStrictEqual(seqs.slice(0, 2), [events.length - 1, -1])
    strictEqual((await world.row('r1')).signalCount, 3)
  },
}
