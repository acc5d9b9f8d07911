import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { type Draft, emptyHead, runStream, type StoredEvent, type StreamId, verifyChain } from '../../journal/index.js'
import type { ErasedTexts, Recorded } from '../../store/index.js'
import { granted, law, record, recorded } from './recording.js'
import {
  type Cases,
  completed,
  entryOf,
  headAfter,
  idOf,
  parentOf,
  signalled,
  started,
  startedAs,
  stepped,
  successorOf,
  type World,
} from './world.js'

const refusals = 'refusals' as StreamId

/** What `record` promises of an `Erased`. */
export const erasureCases: Cases = {
  'R-G7 what an Erased names goes with it, salts as well; headers, bodies and commits stay, and the chain fits': async (
    world,
  ) => {
    const before = await ended(world, 'r1')
    const kept = await ended(world, 'r2')
    strictEqual((await erase(world, [of('r1', 1, 2)])).kind, 'recorded')
    const after = await world.read('r1')
    deepStrictEqual(after, [before[0], withoutText(before[1]), withoutText(before[2]), before[3]])
    ok(after[1]?.dataCommit !== undefined)
    deepStrictEqual(verifyChain(runStream(idOf('r1')), emptyHead(runStream(idOf('r1'))), after), headAfter(before))
    deepStrictEqual(await world.read('r2'), kept)
    const store = await world.given.reopen()
    deepStrictEqual([await world.read('r1', store), await world.read('r2', store)], [after, kept])
  },

  'R-G7 texts of several runs and streams go at once; what carries none, and what went before, is no obstacle': async (
    world,
  ) => {
    const runs = [await ended(world, 'r1'), await ended(world, 'r2')]
    const tried = await recorded(world, [{ ...granted('x'), data: '"why"' }], { stream: refusals })
    const changes = await recorded(world, [{ ...granted('ann'), data: '"reason"' }])
    const everything = [
      of('r1', 0, 900),
      of('r2', 0, 3),
      { stream: refusals, from: 0, to: 0 },
      { stream: law, from: 0, to: 0 },
    ]
    for (const count of [1, 2]) {
      strictEqual((await erase(world, everything)).kind, 'recorded')
      deepStrictEqual(
        [await world.read('r1'), await world.read('r2')],
        runs.map((events) => events.map(withoutText)),
      )
      deepStrictEqual(await world.store.read(refusals), tried.map(withoutText))
      const told = await world.store.read(law)
      deepStrictEqual([told.length, told[0]], [1 + count, withoutText(changes[0])])
    }
  },

  'R-G7 the row of a run whose texts are gone is as it was, also after a rebuild; and it can be purged': async (
    world,
  ) => {
    await ended(world, 'r1')
    const row = await world.row('r1')
    await erase(world, [of('r1', 0, 3)])
    deepStrictEqual(await world.row('r1'), row)
    const journal = await world.read('r1')
    await world.store.rebuild()
    deepStrictEqual([await world.row('r1'), await world.read('r1')], [row, journal])
    deepStrictEqual(await world.store.purge({ runs: [idOf('r1')], by: 'principal:bob' }), { purged: ['r1'] })
    deepStrictEqual(await world.read('r1'), [])
  },

  'R-G7 nothing goes and nothing is recorded where one of the runs is open, unknown or purged': async (world) => {
    const journals = [await ended(world, 'r1'), await ended(world, 'r2')]
    await world.create('open')
    await ended(world, 'gone')
    await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })
    for (const run of ['open', 'gone', 'nobody']) {
      const answer = await erase(world, [of('r1', 0, 3), of(run, 0, 0), of('r2', 0, 3)])
      deepStrictEqual(answer, { kind: 'not_erasable', streams: [`run/${run}`] })
    }
    deepStrictEqual([await world.read('r1'), await world.read('r2')], journals)
    deepStrictEqual([await world.store.read(law), (await world.read('open')).length], [[], 1])
  },

  'R-G7 a run that still has something to tell another, or whose line goes on, keeps its texts until that is over':
    async (world) => {
      await world.create('p~0', [startedAs({ parent: parentOf('p', '0') }), completed])
      await world.goOn(await world.owned('r'), successorOf('r', 'r~r1'))
      for (const run of ['p~0', 'r', 'r~r1'])
        deepStrictEqual(await erase(world, [of(run, 0, 1)]), { kind: 'not_erasable', streams: [`run/${run}`] })
      await world.settle(entryOf('p~0', 1))
      await world.decide('r~r1', () => ({ drafts: [completed], result: 0 }))
      for (const run of ['p~0', 'r', 'r~r1']) strictEqual((await erase(world, [of(run, 0, 1)])).kind, 'recorded')
      for (const run of ['p~0', 'r', 'r~r1'])
        ok((await world.read(run)).every(({ data, dataSalt }) => data === undefined && dataSalt === undefined))
    },

  'R-G7 no contract goes, and nothing of a stream that is not known': async (world) => {
    const contract = { kind: 'ContractActivated', body: '{}', data: '{"name":"treasury"}' }
    const events = await recorded(world, [granted('ann'), contract, { ...granted('bob'), data: '"why"' }])
    deepStrictEqual(await erase(world, [{ stream: law, from: 0, to: 2 }]), { kind: 'not_erasable', streams: [law] })
    const other = 'conversation/1' as StreamId
    deepStrictEqual(await erase(world, [{ stream: other, from: 0, to: 2 }]), { kind: 'not_erasable', streams: [other] })
    deepStrictEqual(await world.store.read(law), events)
  },

  'R-G7 an Erased whose head is not the last event takes nothing': async (world) => {
    const journal = await ended(world, 'r1')
    await recorded(world, [granted('ann')])
    const answer = await erase(world, [of('r1', 0, 3)], emptyHead(law))
    deepStrictEqual(answer.kind, 'head_conflict')
    deepStrictEqual(await world.read('r1'), journal)
  },

  'R-G7 an Erased takes texts in governance alone, as the last event, and only where it says which': async (world) => {
    const journal = await ended(world, 'r1')
    const drafts = [erasedDraft([of('r1', 0, 3)])]
    strictEqual((await record(world, drafts, { stream: refusals })).kind, 'recorded')
    for (const wrong of [
      [...drafts, granted('ann')],
      [...drafts, ...drafts],
      [{ ...drafts[0], body: '{}' }],
      [{ ...drafts[0], body: '{"texts":[]}' }],
      [{ ...drafts[0], body: '{"texts":[{"stream":"run/r1","from":2,"to":1}]}' }],
      [{ ...drafts[0], body: '{"texts":[{"stream":"run/r1","from":0}]}' }],
    ])
      await rejects(record(world, wrong as Draft[]), { name: 'InvariantError' })
    deepStrictEqual([await world.read('r1'), await world.store.read(law)], [journal, []])
  },
}

async function ended(world: World, run: string): Promise<readonly StoredEvent[]> {
  await world.create(run, [started(), stepped('0', '{"name":"Ada é 😀"}'), signalled(`d-${run}`), completed])
  return world.read(run)
}

function of(run: string, from: number, to: number): ErasedTexts {
  return { stream: `run/${run}` as StreamId, from, to }
}

function erasedDraft(texts: readonly ErasedTexts[]): Draft {
  return { kind: 'Erased', body: JSON.stringify({ texts, principal: null }), data: undefined }
}

function erase(
  world: World,
  texts: readonly ErasedTexts[],
  head = undefined as ReturnType<typeof emptyHead> | undefined,
): Promise<Recorded> {
  return record(world, [erasedDraft(texts)], head === undefined ? {} : { head })
}

function withoutText(event: StoredEvent | undefined): StoredEvent {
  ok(event !== undefined, 'there was to be an event')
  return { ...event, data: undefined, dataSalt: undefined }
}
