import { type AttemptInfo, flow } from 'constancia'
import { factsOf, Ledger } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

/** A flow of three steps in a row, and what was called of it. */
function counting(names: readonly string[] = ['a', 'b', 'c']) {
  const calls: string[] = []
  const counted = flow({
    name: 'counted',
    version: 1,
    async run(ctx) {
      const results: string[] = []
      for (const name of names) {
        const call = ({ attempt }: AttemptInfo): string => {
          calls.push(`${name}/${attempt}`)
          return name.toUpperCase()
        }
        results.push(await ctx.step(name, call))
      }
      return results
    },
  })
  return { counted, calls }
}

describe.each(stores)('on %s', (store) => {
  test('R-A4 R-A6 R-B5 R-C5 a step in the journal is re-read and not executed, whichever event the process ended after', async () => {
    for (let crashAfter = 1; crashAfter <= 4; crashAfter += 1) {
      const rig = new Rig(store)
      const { counted, calls } = counting()
      const first = await rig.live([counted], { crashAfter })
      first.runtime.start(counted, null, { id: 'r' }).catch(() => undefined)
      await until(() => first.dead, 'it crashes')
      const before = [...calls]
      expect(before).toEqual(['a/1', 'b/1', 'c/1'].slice(0, crashAfter - 1))
      const second = await rig.succeed(first, [counted])
      const run = second.runtime.run('r')
      expect(await run.result()).toEqual(['A', 'B', 'C'])
      expect(calls).toEqual(['a/1', 'b/1', 'c/1'])
      expect(await kindsOf(run)).toEqual(['FlowStarted', ...Array(3).fill('StepCompleted'), 'FlowCompleted'])
    }
  })

  test('R-A2 the process that finishes a run needs nothing of those before it, not even the function objects', async () => {
    const rig = new Rig(store)
    const crashing = async (crashAfter: number, previous: Awaited<ReturnType<Rig['live']>> | undefined) => {
      const { counted } = counting()
      const life = previous
        ? await rig.succeed(previous, [counted], { crashAfter })
        : await rig.live([counted], { crashAfter })
      if (previous === undefined) life.runtime.start(counted, null, { id: 'r' }).catch(() => undefined)
      await until(() => life.dead, 'it crashes')
      return life
    }
    let life = await crashing(1, undefined)
    for (const crashAfter of [2, 3]) life = await crashing(crashAfter, life)
    const last = await rig.succeed(life, [counting().counted])
    const run = last.runtime.run('r')
    expect(await run.result()).toEqual(['A', 'B', 'C'])
    expect((await run.row()).epoch).toBeGreaterThanOrEqual(3)
  })

  test('R-A2 the row of a run is what its journal says: computed anew it is the same', async () => {
    const rig = new Rig(store)
    const asking = flow({
      name: 'asking',
      version: 1,
      run: async (ctx) => [await ctx.step('a', () => 1), await ctx.signal('go')],
    })
    const life = await rig.live([asking])
    const run = await life.runtime.start(asking, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.signal('other')
    await untilStatus(run, 'waiting')
    const before = await run.row()
    await life.runtime.close()
    const idle = await rig.live([asking], { worker: false })
    await idle.store.rebuild()
    const after = await idle.runtime.run('r').row()
    const fold = ({
      id,
      flow: name,
      version,
      actor,
      outcome,
      head,
      startedAtMs,
      endedAtMs,
      signalCount,
    }: typeof before) => ({
      id,
      name,
      version,
      actor,
      outcome,
      head,
      startedAtMs,
      endedAtMs,
      signalCount,
    })
    expect(fold(after)).toEqual(fold(before))
  })

  test('R-A1 an ended run accepts nothing more: no signal, no retry, no second start, no owner', async () => {
    const rig = new Rig(store)
    const { counted } = counting(['a'])
    const failing = flow({ name: 'failing', version: 1, run: async () => Promise.reject(new Error('no')) })
    const life = await rig.live([counted, failing])
    for (const each of [counted, failing]) {
      const run = await life.runtime.start(each, null, { id: each.name })
      await run.result().catch(() => undefined)
      const before = await run.events()
      await expect(run.signal('late')).rejects.toMatchObject({ code: 'run_ended' })
      await expect(run.retry()).rejects.toMatchObject({ code: 'run_ended' })
      await life.runtime.start(each, null, { id: each.name })
      await rig.advance(300_000)
      expect(await run.events()).toEqual(before)
      expect(await run.row()).toMatchObject({ epoch: 1, claim: undefined, wakeAtMs: undefined })
    }
  })

  test('R-A8 R-B5 every attempt of a step gets the same key, <run>/<op>, through failures and crashes', async () => {
    const rig = new Rig(store)
    const seen: AttemptInfo[] = []
    const blocked = gate()
    const keyed = flow({
      name: 'keyed',
      version: 1,
      async run(ctx) {
        await ctx.step('first', () => 1)
        const effect = async (attempt: AttemptInfo): Promise<string> => {
          seen.push(attempt)
          if (seen.length < 3) throw new Error('again')
          if (seen.length === 3) await blocked.promise
          return attempt.key
        }
        return ctx.parallel([(branch) => branch.step('effect', effect)])
      },
    })
    const first = await rig.live([keyed])
    const run = await first.runtime.start(keyed, null, { id: 'invoice:7' })
    for (const attempts of [2, 3]) {
      await untilStatus(run, 'waiting')
      await rig.advance(2_000)
      await until(() => seen.length === attempts, `attempt ${attempts}`)
    }
    const second = await rig.succeed(first, [keyed])
    expect(await second.runtime.run('invoice:7').result()).toEqual(['invoice:7/1.0.0'])
    expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['invoice:7/1.0.0']))
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 3])
    expect(seen.at(-1)?.epoch).toBeGreaterThan(seen.at(-2)?.epoch ?? Infinity)
    blocked.open()
  })

  test('R-A9 between an effect and its append a crash repeats the effect: only a destination that remembers keys sees one', async () => {
    const rig = new Rig(store)
    const ledger = new Ledger()
    const forgetful: string[] = []
    const paying = flow({
      name: 'paying',
      version: 1,
      run: (ctx) =>
        ctx.step('pay', ({ key }) => {
          forgetful.push('paid 5')
          return ledger.receive(key, { receipt: 'paid 5' })
        }),
    })
    // The outcome is held back: the effect has happened, its event is not there.
    const first = await rig.live([paying], { hold: () => new Promise(() => undefined) })
    await first.runtime.start(paying, null, { id: 'r' })
    await until(() => forgetful.length === 1, 'the effect happens')
    const second = await rig.succeed(first, [paying])
    const run = second.runtime.run('r')
    expect(await run.result()).toEqual({ receipt: 'paid 5' })
    expect(forgetful).toEqual(['paid 5', 'paid 5'])
    expect(ledger.requestCount).toBe(2)
    expect(ledger.accepted()).toEqual({ 'r/0': { receipt: 'paid 5' } })
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted', 'FlowCompleted'])
  })

  test('R-B5 an outcome reaches the flow only once its event is stored', async () => {
    const rig = new Rig(store)
    const order: string[] = []
    const watched = flow({
      name: 'watched',
      version: 1,
      async run(ctx) {
        await ctx.step('a', () => void order.push('executed'))
        order.push('handed over')
        await ctx.step('b', () => undefined)
      },
    })
    const meddle = (real: Store): Store =>
      overStore(real, {
        async append(request) {
          const answer = await real.append(request)
          order.push('stored')
          return answer
        },
      })
    const life = await rig.live([watched], { meddle })
    const run = await life.runtime.start(watched, null)
    await run.result()
    expect(order.slice(0, 3)).toEqual(['executed', 'stored', 'handed over'])
  })

  test('R-A5 a thousand replays of one journal ask for the same things in the same order', async () => {
    const rig = new Rig(store)
    const replays: string[] = []
    let current: string[] = []
    const mixed = flow({
      name: 'mixed',
      version: 1,
      async run(ctx) {
        current = []
        const note = (what: unknown): void => void current.push(String(what))
        for (let i = 0; i < 3; i += 1) note(await ctx.step(`loop ${i}`, () => i))
        note(await Promise.race([ctx.signal('nobody'), ctx.sleep(5).then(() => 'slept')]))
        note(
          await ctx.map([1, 2, 3], async (item, branch) => `${await branch.step('x', () => item)}${branch.random()}`),
        )
        note(
          await ctx.step('fails', () => Promise.reject(new Error('no')), { retry: { attemptsMax: 1 } }).catch(String),
        )
        note(ctx.uuid())
        note(await ctx.signal('go'))
        note(ctx.now())
        replays.push(current.join('|'))
        await ctx.step('never ends', () => new Promise<void>(() => undefined))
      },
    })
    let life = await rig.live([mixed])
    const first = await life.runtime.start(mixed, null, { id: 'r' })
    await first.signal('go', 'went')
    await until(async () => (await first.row()).status === 'waiting', 'it sleeps')
    await rig.advance(10)
    await until(() => replays.length === 1, 'it comes to its end')
    const facts = factsOf(await first.events())
    const count = store === 'memory' ? 1_000 : 50
    for (let i = 2; i <= count; i += 1) {
      life = await rig.succeed(life, [mixed])
      await until(() => replays.length === i, `replay ${i}`)
    }
    expect(new Set(replays).size).toBe(1)
    expect(factsOf(await life.runtime.run('r').events())).toEqual(facts)
  })
})
