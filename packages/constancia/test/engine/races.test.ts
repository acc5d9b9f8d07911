import { flow } from 'constancia'
import { Ledger } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import { drained, gate, kindsOf, leaseMs, Rig, stores, until, untilStatus } from './rig.js'

/** Asks two suppliers and orders from whichever answers first. */
function ordering() {
  const ledger = new Ledger()
  const answers = { slow: gate<string>(), fast: gate<string>() }
  const asked: string[] = []
  const buying = flow({
    name: 'buying',
    version: 1,
    async run(ctx) {
      const ask = (supplier: 'slow' | 'fast'): Promise<string> =>
        ctx.step(`ask ${supplier}`, () => {
          asked.push(supplier)
          return answers[supplier].promise
        })
      const winner = await Promise.race([ask('slow'), ask('fast')])
      await ctx.step('order', ({ key }) => ledger.receive(key, winner))
      return winner
    },
  })
  return { buying, ledger, answers, asked }
}

describe.each(stores)('on %s', (store) => {
  test('C03 R-B7 R-A5 the winner of a race stays the winner in every resume, with both answers stored and the order not', async () => {
    const rig = new Rig(store)
    const { buying, ledger, answers, asked } = ordering()
    // The order's function has run, and its outcome never gets into a journal before the crash.
    const hold = (_run: unknown, draft: { body: string }): Promise<void> | undefined =>
      draft.body.includes('"order"') ? new Promise(() => undefined) : undefined
    let life = await rig.live([buying], { hold })
    const run = await life.runtime.start(buying, null, { id: 'r' })
    await until(() => asked.length === 2, 'both are asked')
    answers.fast.open('fast')
    await until(async () => (await run.events()).length === 2, 'the fast answer is stored')
    answers.slow.open('slow')
    await until(async () => (await run.events()).length === 3, 'the slow answer is stored')
    for (let crash = 0; crash < 5; crash += 1) {
      life = await rig.succeed(life, [buying], { hold })
      const before = ledger.requestCount
      await until(() => ledger.requestCount > before, 'it orders again')
    }
    life = await rig.succeed(life, [buying])
    expect(await life.runtime.run('r').result()).toBe('fast')
    expect(ledger.accepted()).toEqual({ 'r/2': 'fast' })
    expect(asked).toEqual(['slow', 'fast'])
  })

  test('C03 an order that was stored is not made again, and the loser of the race does not become the winner', async () => {
    const rig = new Rig(store)
    const { buying, ledger, answers } = ordering()
    const life = await rig.live([buying], { crashAfter: 3 })
    await life.runtime.start(buying, null, { id: 'r' })
    answers.fast.open('fast')
    await until(() => life.dead, 'it crashes')
    const next = await rig.succeed(life, [buying])
    await until(async () => (await next.runtime.run('r').row()).status === 'running', 'it is taken over')
    answers.slow.open('slow')
    expect(await next.runtime.run('r').result()).toBe('fast')
    expect(ledger.requestCount).toBe(1)
  })

  test('C03 a race between a signal and a sleep leaves nothing armed, and a late signal is answered "ended" and wakes nothing', async () => {
    const rig = new Rig(store)
    const racing = flow({
      name: 'racing',
      version: 1,
      run: (ctx) => Promise.race([ctx.signal('word'), ctx.sleep(50).then(() => 'late'), ctx.sleep(90_000_000)]),
    })
    const life = await rig.live([racing])
    await drained()
    const idleCount = rig.clock.armedCount
    const run = await life.runtime.start(racing, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    expect((await run.row()).waitingFor.map(({ kind }) => kind)).toEqual(['signal', 'timer', 'timer'])
    await rig.advance(50)
    expect(await run.result()).toBe('late')
    await drained()
    expect(await run.row()).toMatchObject({
      status: 'completed',
      waitingFor: [],
      wakeAtMs: undefined,
      claim: undefined,
    })
    expect(rig.clock.armedCount).toBe(idleCount)
    const before = await run.events()
    await rig.advance(1_000)
    await expect(run.signal('word', 'hello')).rejects.toMatchObject({ code: 'run_ended' })
    await rig.advance(100_000_000)
    expect(await run.events()).toEqual(before)
    expect((await run.row()).epoch).toBeLessThanOrEqual(2)
  })

  test('C03 R-B7 what loses to a signal closes with the run: its timer never fires', async () => {
    const rig = new Rig(store)
    const racing = flow({ name: 'racing', version: 1, run: (ctx) => Promise.race([ctx.signal('word'), ctx.sleep(50)]) })
    const life = await rig.live([racing])
    const run = await life.runtime.start(racing, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.signal('word', 'hello')
    expect(await run.result()).toBe('hello')
    await rig.advance(1_000)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet', 'SignalReceived', 'FlowCompleted'])
  })

  test('C03 R-B7 a step that loses a race is recorded before the end, and the end waits for it', async () => {
    const rig = new Rig(store)
    const loser = gate<string>()
    const racing = flow({
      name: 'racing',
      version: 1,
      run: (ctx) => Promise.race([ctx.step('loser', () => loser.promise), ctx.step('winner', () => 'won')]),
    })
    const life = await rig.live([racing])
    const run = await life.runtime.start(racing, null, { id: 'r' })
    await until(async () => (await run.events()).length === 2, 'the winner is stored')
    await rig.advance(leaseMs * 3)
    expect((await run.row()).outcome).toBe('open')
    loser.open('lost')
    expect(await run.result()).toBe('won')
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted', 'StepCompleted', 'FlowCompleted'])
  })

  test('C03 R-B7 a loser that waits for its next attempt gets an outcome too: the run rests, and ends after it', async () => {
    const rig = new Rig(store)
    const racing = flow({
      name: 'racing',
      version: 1,
      run: (ctx) =>
        Promise.race([
          ctx.step('loser', ({ attempt }) => (attempt === 1 ? Promise.reject(new Error('busy')) : 'lost'), {
            retry: { delayMsFirst: 10_000, jitter: 0 },
          }),
          ctx.step('winner', () => 'won'),
          ctx.signal('word', undefined, { within: 90_000_000 }),
        ]),
    })
    const life = await rig.live([racing])
    const run = await life.runtime.start(racing, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    expect((await run.row()).waitingFor.map(({ kind, name }) => [kind, name])).toEqual([['retry', 'loser']])
    expect(await rig.rest(run)).toMatchObject({ status: 'completed' })
    expect(await run.result()).toBe('won')
    expect((await kindsOf(run)).slice(-2)).toEqual(['StepCompleted', 'FlowCompleted'])
    expect(rig.clock.now()).toBe(Date.UTC(2026, 0, 1) + 10_000)
  })

  test.each([
    ['race', 'a1', ['first', 'a1']],
    ['any', 'b1', ['first', 'a1', 'b1']],
  ] as const)(
    'R-B7 Promise.%s over steps that fail and succeed goes the same way live and on replay',
    async (how, _first, _order) => {
      const rig = new Rig(store)
      const seen: string[] = []
      const combined = flow({
        name: 'combined',
        version: 1,
        async run(ctx) {
          const failing = ctx.step('fails', () => Promise.reject(new TypeError('no')), { retry: { attemptsMax: 1 } })
          const working = ctx.sleep(10).then(() => ctx.step('works', () => 'ok'))
          const got = await Promise[how]([failing, working]).catch((error: Error) => `${error.name}: ${error.message}`)
          seen.push(got)
          await ctx.signal('go')
          return got
        },
      })
      const life = await rig.live([combined])
      const run = await life.runtime.start(combined, null, { id: 'r' })
      await rig.rest(run)
      const next = await rig.succeed(life, [combined])
      await next.runtime.run('r').signal('go')
      const result = await next.runtime.run('r').result()
      expect(result).toBe(how === 'race' ? 'TypeError: no' : 'ok')
      expect(new Set(seen)).toEqual(new Set([result]))
      expect(seen.length).toBeGreaterThanOrEqual(2)
    },
  )

  test('R-B7 a wait with a limit that lost gives its signal to whoever waits next', async () => {
    const rig = new Rig(store)
    const waiting = flow({
      name: 'waiting',
      version: 1,
      run: async (ctx) => [await ctx.signal('word', undefined, { within: 10 }), await ctx.signal('word')],
    })
    const life = await rig.live([waiting])
    const run = await life.runtime.start(waiting, null)
    await untilStatus(run, 'waiting')
    await rig.advance(10)
    await until(
      async () => (await run.row()).wakeAtMs === undefined && (await run.row()).status === 'waiting',
      'it waits on',
    )
    await run.signal('word', 1)
    expect(await run.result()).toEqual([{ kind: 'timed_out' }, 1])
  })
})
