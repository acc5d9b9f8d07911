import { deepStrictEqual, strictEqual } from 'node:assert'
import type { News } from '../../store/index.js'
import { granted, law, recorded } from './recording.js'
import { type Cases, headAfter, signalled, stepped, type World } from './world.js'

/** What `decide` promises to whoever says what is known. */
export const newsCases: Cases = {
  'R-E11 a decision is told what came since what is known, of the run and of its basis': async (world) => {
    const claim = await world.owned('r1')
    const started = await world.read('r1')
    deepStrictEqual(await news(world, { runSeq: -1, basisSeq: -1 }), { run: started, basis: [] })
    deepStrictEqual(await news(world, { runSeq: 0, basisSeq: -1 }), { run: [], basis: [] })
    const laws = await recorded(world, [granted('ann'), granted('bob')])
    const steps = await world.appended(claim, [stepped('0'), stepped('1')])
    deepStrictEqual(await news(world, { runSeq: 1, basisSeq: 0 }), { run: steps.slice(1), basis: laws.slice(1) })
    deepStrictEqual(await news(world, { runSeq: 2, basisSeq: 1 }), { run: [], basis: [] })
    const elsewhere = await world.given.another()
    const told = await world.decide('r1', (facts) => ({ drafts: [], result: facts.news }), {
      known: { runSeq: 0, basisSeq: -1 },
      store: elsewhere,
    })
    deepStrictEqual(told, { run: steps, basis: [] })
    deepStrictEqual(await news(world, { runSeq: -1, basisSeq: 0 }, 'nobody'), { run: [], basis: laws.slice(1) })
  },

  'R-E11 a decision is told what was appended just before, in the same turn': async (world) => {
    const claim = await world.owned('r1')
    const appended = world.append(claim, [stepped('0')])
    const told = await news(world, { runSeq: 0, basisSeq: -1 })
    strictEqual((await appended).kind, 'appended')
    deepStrictEqual(told, { run: await world.read('r1').then((events) => events.slice(1)), basis: [] })
  },

  'R-E11 a decision is told of 1,000 events of a stream at most, the first that came': async (world) => {
    const claim = await world.owned('r1')
    const drafts = Array.from({ length: 1_001 }, (_, n) => stepped(String(n)))
    const steps = await world.appended(claim, drafts)
    const laws = await recorded(
      world,
      drafts.map((_, n) => granted(`p${n}`)),
    )
    const told = await news(world, { runSeq: 0, basisSeq: -1 })
    strictEqual(told?.run.length, 1_000)
    deepStrictEqual([told?.run[0], told?.basis.at(-1)], [steps[0], laws[999]])
    strictEqual(told?.basis.length, 1_000)
  },

  'what a decision says was known is what its events say': async (world) => {
    await world.create('r1')
    const seen = `0:${'a'.repeat(64)}/-`
    await world.decide('r1', () => ({ drafts: [signalled('d1')], seen, result: 0 }), { delivery: 'd1' })
    await world.signal('r1', 'd2')
    const events = await world.read('r1')
    deepStrictEqual(
      events.map((event) => event.seen),
      ['-/-', seen, '-/-'],
    )
    strictEqual((await world.row('r1')).head.hash, headAfter(events).hash)
  },
}

function news(
  world: World,
  known: { readonly runSeq: number; readonly basisSeq: number },
  run = 'r1',
): Promise<News | undefined> {
  return world.decide(run, (facts) => ({ drafts: [], result: facts.news }), { basis: law, known })
}
