import { setTimeout as pause } from 'node:timers/promises'
import { type Concurrency, type FlowContext, flow, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, gate, leaseMs, Rig, stores, until, untilStatus } from './rig.js'

const seed = Number(process.env['CONSTANCIA_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers from 0 to one below the limit, the same for the same seed. */
function dice(from: number): (limit: number) => number {
  let state = from
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
}

interface Plan {
  readonly key: string
  /** What each step takes, in milliseconds; it sleeps for that instead where it is odd. */
  readonly steps: readonly number[]
}

/** A flow whose runs do what their input says, but no step goes on before what `held` gives resolves. */
function planned(concurrency: Concurrency, held: () => Promise<void>) {
  return flow({
    name: 'planned',
    version: 1,
    concurrency,
    key: ({ key }: Plan) => key,
    async run(ctx: FlowContext, { steps }: Plan) {
      for (const ms of steps)
        await (ms % 2 === 1 ? ctx.sleep(ms) : ctx.step('work', () => held().then(() => pause(ms))))
      return ctx.runId as string
    },
  })
}

/** A flow whose runs wait in their step until they are let go. */
function gated(concurrency: Concurrency) {
  const begun: string[] = []
  const go = new Map<string, () => void>()
  const held = flow({
    name: 'held',
    version: 1,
    concurrency,
    key: ({ key }: { readonly key: string }) => key,
    run: (ctx) =>
      ctx.step('hold', async () => {
        begun.push(ctx.runId)
        const { promise, open } = gate()
        go.set(ctx.runId, open)
        await promise
      }),
  })
  return { held, begun, letGo: (id: string) => go.get(id)?.() }
}

const free = flow({ name: 'free', version: 1, run: async () => 'free' })

/** Looks, after each claim, at what is claimed in the store. */
function counting(check: (store: Store, claimedCount: number) => Promise<void>): (real: Store) => Store {
  return (real) =>
    overStore(real, {
      async claim(request) {
        const answer = await real.claim(request)
        if (answer.claims.length > 0) await check(real, answer.claims.length)
        return answer
      },
    })
}

function most(names: readonly (string | undefined)[]): number {
  const counts = new Map<string | undefined, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

describe.each(stores)('R-B12 limits on %s:', (store) => {
  test.each([0, 1, 2])(
    'two hundred runs with five keys on two workers: never more at once than the limits say, and all of them end',
    async (index) => {
      const roll = dice(seed + index)
      const running = 2 + roll(6)
      const runningPerKey = 1 + roll(2)
      const fullCount = Math.min(running, 5 * runningPerKey)
      // Whatever the machine's pace: for a good part of the runs, those that work wait until the limit is used up.
      let full = gate()
      let isFull = false
      let claimedCount = 0
      const limited = planned({ running, runningPerKey }, () => full.promise)
      console.log(`seed ${seed}: ${running} at once, ${runningPerKey} with one key; CONSTANCIA_SEED=${seed} repeats it`)
      const rig = new Rig(store, 'real')
      const seen: { readonly all: number; readonly key: number }[] = []
      const failures: string[] = []
      const meddle = counting(async (real, claimed) => {
        claimedCount += claimed
        const { items } = await real.runs({ flow: 'planned', status: 'running', limit: 1_000 })
        seen.push({ all: items.length, key: most(items.map(({ key }) => key)) })
        if (items.length > running || most(items.map(({ key }) => key)) > runningPerKey)
          failures.push(items.map(({ id, key }) => `${id} (${key})`).join(', '))
        if (items.length >= fullCount) full.open()
        isFull ||= items.length >= fullCount
        // So many are left that the limit can be used up again.
        if (items.length >= fullCount || !isFull || claimedCount > 100) return
        isFull = false
        full = gate()
      })
      const worker = { leaseMs, concurrency: 4 + roll(7) }
      const lives = [
        await rig.live([limited, free], { meddle, worker }),
        await rig.live([limited, free], { meddle, worker }),
      ]
      const plans = Array.from({ length: 200 }, () => ({
        key: `k${roll(5)}`,
        steps: Array.from({ length: 1 + roll(2) }, () => roll(4)),
      }))
      const start = (plan: Plan, no: number): Promise<Run> =>
        lives[no % 2]!.runtime.start(limited, plan, { id: `r${no}` })
      const runs = await Promise.all(plans.map(start))
      const others = await Promise.all(lives.map((life) => life.runtime.start(free, null)))
      expect(await Promise.all(others.map((run) => run.result()))).toEqual(['free', 'free'])
      expect(await Promise.all(runs.map((run) => run.result()))).toEqual(plans.map((_, no) => `r${no}`))
      expect(failures).toEqual([])
      expect(Math.max(...seen.map(({ key }) => key))).toBe(runningPerKey)
      expect(Math.max(...seen.map(({ all }) => all))).toBe(fullCount)
    },
  )

  test('a run that waits makes room for another, and waits for room itself when it goes on', async () => {
    const rig = new Rig(store)
    const { held, begun, letGo } = gated({ running: 1 })
    const sleeping = flow({
      name: 'held',
      version: 2,
      concurrency: { running: 1 },
      key: () => 'a',
      async run(ctx) {
        await ctx.sleep(1_000)
        return 'slept'
      },
    })
    const { runtime } = await rig.live([held, sleeping])
    const first = await runtime.start(sleeping, null, { id: 'sleeps' })
    await untilStatus(first, 'waiting')
    await runtime.start(held, { key: 'a' }, { id: 'holds' })
    await until(() => begun.length === 1, 'the other begins')
    await rig.advance(2_000)
    expect((await first.row()).status).toBe('waiting')
    letGo('holds')
    expect(await first.result()).toBe('slept')
  })

  test('runs of other flows are not held up by a thousand that wait for room', async () => {
    const rig = new Rig(store)
    const { held, begun } = gated({ running: 1 })
    const { runtime } = await rig.live([held, free], { worker: { concurrency: 2 } })
    const ids = Array.from({ length: 1_000 }, (_, no) => `r${no}`)
    await Promise.all(ids.map((id) => runtime.start(held, { key: 'a' }, { id })))
    for (let count = 0; count < 5; count += 1) expect(await (await runtime.start(free, null)).result()).toBe('free')
    expect(begun).toHaveLength(1)
  })

  test('a limit that is lowered holds from the next claim on: nobody is interrupted, and nobody new begins', async () => {
    const rig = new Rig(store)
    const wide = gated({ running: 3 })
    const narrow = gated({ running: 1 })
    const old = await rig.live([wide.held])
    const ids = Array.from({ length: 6 }, (_, no) => `r${no}`)
    await Promise.all(ids.map((id) => old.runtime.start(wide.held, { key: 'a' }, { id })))
    await until(() => wide.begun.length === 3, 'three begin')
    const closed = old.runtime.close()
    await drained()
    const { runtime } = await rig.live([narrow.held])
    for (const id of [...wide.begun].slice(0, 2)) {
      wide.letGo(id)
      await untilStatus(runtime.run(id), 'ready')
      await runtime.start(narrow.held, { key: 'b' }, { id: `after-${id}` })
      await drained()
      expect(narrow.begun).toEqual([])
    }
    wide.letGo(wide.begun[2] ?? '')
    await closed
    await runtime.start(narrow.held, { key: 'b' }, { id: 'last' })
    for (let done = 1; done <= 6; done += 1) {
      await until(() => narrow.begun.length === done, 'the next begins')
      await drained()
      expect(narrow.begun).toHaveLength(done)
      narrow.letGo(narrow.begun[done - 1] ?? '')
    }
  })

  test('the place of a worker that died is free when its lease has run out, and no earlier', async () => {
    const rig = new Rig(store)
    const first = gated({ running: 1 })
    const second = gated({ running: 1 })
    const dying = await rig.live([first.held])
    await dying.runtime.start(first.held, { key: 'a' }, { id: 'r0' })
    await until(() => first.begun.length === 1, 'it begins')
    await dying.crash()
    const { runtime } = await rig.live([second.held])
    await runtime.start(second.held, { key: 'b' }, { id: 'r1' })
    await rig.advance(leaseMs - 1_000)
    await runtime.start(second.held, { key: 'c' }, { id: 'r2' })
    await drained()
    expect(second.begun).toEqual([])
    await rig.advance(1_001)
    await runtime.start(second.held, { key: 'd' }, { id: 'r3' }) // It looks.
    await until(() => second.begun.length === 1, 'the first of them begins')
    await drained()
    expect(second.begun).toHaveLength(1)
  })

  test('ten thousand due runs of one flow keep one run of another waiting for two claims at most', async () => {
    const rig = new Rig(store)
    const claimed: string[] = []
    const many = flow({ name: 'many', version: 1, run: (ctx) => ctx.step('work', () => 1) })
    const idle = await rig.live([many, free], { worker: false })
    const ids = Array.from({ length: 10_000 }, (_, no) => `r${no}`)
    await Promise.all(ids.map((id) => idle.runtime.start(many, null, { id })))
    rig.clock.advance(1)
    await idle.runtime.start(free, null, { id: 'alone' })
    const meddle = (real: Store): Store =>
      overStore(real, {
        async claim(request) {
          const answer = await real.claim(request)
          claimed.push(...answer.claims.map((claim) => claim.flow))
          return answer
        },
      })
    const { runtime } = await rig.live([many, free], { meddle, worker: { concurrency: 1 } })
    expect(await runtime.run('alone').result()).toBe('free')
    expect(claimed.indexOf('free')).toBeLessThanOrEqual(1)
  })
})
