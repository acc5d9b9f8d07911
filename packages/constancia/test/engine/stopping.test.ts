import { setTimeout as pause } from 'node:timers/promises'
import { type AttemptInfo, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, gate, kindsOf, leaseMs, Rig, stores, until, untilStatus } from './rig.js'

/** Handles that keep a process alive or busy, by kind. */
function handles(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function working() {
  const attempts: AttemptInfo[] = []
  const open = gate<string>()
  const works = flow({
    name: 'works',
    version: 1,
    async run(ctx) {
      const first = await ctx.step('first', (attempt) => {
        attempts.push(attempt)
        return open.promise
      })
      return ctx.step('second', () => `${first}, then`)
    },
  })
  return { works, attempts, open }
}

describe.each(stores)('on %s', (store) => {
  test('R-C5 a graceful stop lets a step under way finish and be recorded, starts nothing more, and gives the run back at once', async () => {
    const rig = new Rig(store)
    const { works, attempts, open } = working()
    const life = await rig.live([works])
    await life.runtime.start(works, null, { id: 'r' })
    await until(() => attempts.length === 1, 'it begins')
    let closed = false
    const closing = life.runtime.close().then(() => {
      closed = true
    })
    await drained()
    expect([closed, attempts[0]?.signal.aborted]).toEqual([false, false])
    open.open('finished')
    await closing
    const idle = await rig.live([works], { worker: false })
    const run = idle.runtime.run('r')
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted'])
    expect(await run.row()).toMatchObject({ status: 'ready', claim: undefined })
    const next = await rig.live([works]) // No lease has to run out.
    expect(await next.runtime.run('r').result()).toBe('finished, then')
    expect(attempts).toHaveLength(1)
  })

  test('R-C5 a step that does not end in its grace is aborted and discarded, and the next process executes it again', async () => {
    const rig = new Rig(store)
    const { works, attempts, open } = working()
    const life = await rig.live([works], { worker: { graceMs: 1_000 } })
    await life.runtime.start(works, null, { id: 'r' })
    await until(() => attempts.length === 1, 'it begins')
    const closing = life.runtime.close()
    await rig.advance(999)
    expect(attempts[0]?.signal.aborted).toBe(false)
    await rig.advance(1)
    await closing
    expect(attempts[0]?.signal.reason).toMatchObject({ code: 'claim_lost' })
    open.open('late')
    const next = await rig.live([works])
    expect(await next.runtime.run('r').result()).toBe('late, then')
    expect(attempts.map(({ attempt, epoch }) => [attempt, epoch])).toEqual([
      [1, 1],
      [1, 2],
    ])
  })

  test('R-C5 a run that is claimed while its worker stops is given back, and waits for no lease', async () => {
    const rig = new Rig(store)
    const { works } = working()
    const answer = gate()
    let asked = false
    const meddle = (real: Store): Store =>
      overStore(real, {
        async claim(request) {
          const claimed = await real.claim(request)
          asked = true
          await answer.promise
          return claimed
        },
      })
    const idle = await rig.live([works], { worker: false })
    await idle.runtime.start(works, null, { id: 'r' })
    const life = await rig.live([works], { meddle })
    await until(() => asked, 'it claims')
    const closing = life.runtime.close()
    await drained()
    answer.open()
    await closing
    expect(await idle.runtime.run('r').row()).toMatchObject({ status: 'ready', claim: undefined })
  })

  test('R-B1 R-C5 two workers hand a run to each other again and again, and every step executes once', async () => {
    const rig = new Rig(store)
    const calls: string[] = []
    const handed = flow({
      name: 'handed',
      version: 1,
      async run(ctx) {
        for (let i = 0; i < 6; i += 1) {
          await ctx.step(`s${i}`, () => calls.push(`s${i}`))
          await ctx.signal('next')
        }
        return calls.length
      },
    })
    let life = await rig.live([handed])
    await life.runtime.start(handed, null, { id: 'r' })
    for (let i = 0; i < 6; i += 1) {
      await untilStatus(life.runtime.run('r'), 'waiting')
      const next = await rig.live([handed])
      await life.runtime.close()
      await next.runtime.run('r').signal('next')
      life = next
    }
    await untilStatus(life.runtime.run('r'), 'completed')
    expect(calls).toEqual(['s0', 's1', 's2', 's3', 's4', 's5'])
  })

  test('R-B1 nothing is left armed or open after close: no timer, thread or handle, whatever the runs were doing', async () => {
    const rig = new Rig(store, 'real')
    const never = new Promise<never>(() => undefined)
    const all = [
      flow({ name: 'sleeps', version: 1, run: (ctx) => ctx.sleep(86_400_000) }),
      flow({ name: 'waits', version: 1, run: (ctx) => ctx.signal('x', undefined, { within: 86_400_000 }) }),
      flow({
        name: 'retries',
        version: 1,
        run: (ctx) =>
          ctx.step('f', () => Promise.reject(new Error('no')), { retry: { delayMsFirst: 1e8, delayMsMax: 1e8 } }),
      }),
      flow({
        name: 'both',
        version: 1,
        run: (ctx) => Promise.race([ctx.sleep(86_400_000), ctx.step('hangs', () => never, { timeoutMs: 86_400_000 })]),
      }),
      flow({ name: 'hangs', version: 1, run: (ctx) => ctx.step('hangs', () => never, { timeoutMs: 86_400_000 }) }),
      flow({ name: 'stuck', version: 1, run: () => never }),
      flow({
        name: 'ends',
        version: 1,
        run: (ctx) => Promise.race([ctx.sleep(86_400_000), ctx.signal('x'), ctx.step('s', () => 1)]),
      }),
    ]
    await pause(20)
    const before = handles()
    const life = await rig.live(all, { worker: { graceMs: 50, leaseMs: 60_000 } })
    const runs = await Promise.all(all.map((one) => life.runtime.start(one, null)))
    const waiting = runs[0]!.result().catch((error: { code: string }) => error.code)
    await until(
      async () =>
        (await life.runtime.runs({ status: 'running' })).items.length === 2 &&
        (await life.runtime.runs({ status: 'ready' })).items.length === 0,
      'all came to where they stay',
    )
    await life.runtime.close()
    expect(await waiting).toBe('runtime_closed')
    await pause(20)
    const after = handles()
    for (const kind of ['Timeout', 'Immediate', 'MessagePort', 'Worker'])
      expect([kind, (after[kind] ?? 0) <= (before[kind] ?? 0)]).toEqual([kind, true])
    await expect(life.runtime.start(all[0]!, null)).rejects.toMatchObject({ code: 'runtime_closed' })
    await expect(runs[1]!.signal('x')).rejects.toMatchObject({ code: 'runtime_closed' })
    await life.runtime.close() // Twice is once.
  })

  test('R-B1 under scripted time nothing is armed after close, and an idle worker has one timer', async () => {
    const rig = new Rig(store)
    const hanging = flow({
      name: 'hangs',
      version: 1,
      run: (ctx) => ctx.step('hangs', () => new Promise(() => undefined), { timeoutMs: 1e9 }),
    })
    const life = await rig.live([hanging], { worker: { graceMs: 10 } })
    await drained()
    expect(rig.clock.armedCount).toBe(1)
    await life.runtime.start(hanging, null)
    await drained()
    const closing = life.runtime.close()
    await rig.advance(10)
    await closing
    expect(rig.clock.armedCount).toBe(0)
    await rig.advance(leaseMs * 3)
  })

  test('R-B11 worker options that make no sense are refused when it is opened, and no store stays open', async () => {
    const rig = new Rig(store)
    for (const worker of [
      { concurrency: 0 },
      { concurrency: Number.NaN },
      { leaseMs: -1 },
      { leaseMs: Number.NaN },
      { pollMs: 0 },
      { stallMs: 'x' },
      { graceMs: -1 },
      { leaseMs: Infinity },
      { pollMs: '5' },
      { graceMs: Infinity },
    ]) {
      await expect(rig.live([], { worker: worker as never })).rejects.toMatchObject({ code: 'invalid_option' })
    }
  })
})
