import { type AnyFlow, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Life } from './life.js'
import { drained, gate, kindsOf, leaseMs, Rig, rejection, stores, until, untilStatus } from './rig.js'

const lostLeaseCountMax = 5
const never = new Promise<never>(() => undefined)
const worker = { concurrency: 1, lostLeaseCountMax }

interface Deaths {
  readonly flows: readonly AnyFlow[]
  readonly state: { life: Life | undefined }
  readonly concurrency?: number
}

/** A flow whose second step ends the process that executes it, until it is repaired. */
function deadly() {
  const state = { isRepaired: false, deaths: 0, life: undefined as Life | undefined }
  const bad = flow({
    name: 'bad',
    version: 1,
    async run(ctx) {
      const before = await ctx.step('before', () => 'fine')
      const after = await ctx.step('after', () => {
        if (state.isRepaired) return 'repaired'
        state.deaths += 1
        void state.life?.crash()
        return never
      })
      return [before, after]
    },
  })
  const good = flow({ name: 'good', version: 1, run: (ctx) => ctx.step('work', () => ctx.runId) })
  return { bad, good, flows: [bad, good], state }
}

describe.each(stores)('on %s', (store) => {
  /**
   * A supervisor: starts a process at once when the last one is dead, until nobody dies any more; returns the last. `each` is
   * called once a process has done what it finds, and before the lease of the one before it runs out.
   */
  async function supervise(rig: Rig, { flows, state, concurrency = 1 }: Deaths, each?: () => Promise<void>) {
    for (;;) {
      const life = await rig.live(flows, { worker: { ...worker, concurrency, pollMs: leaseMs / 2 } })
      state.life = life
      await settled(life)
      await each?.()
      for (let quarters = 0; quarters < 8 && !life.dead; quarters += 1) await rig.advance(leaseMs / 4)
      if (!life.dead) return life
    }
  }

  async function settled(life: Life): Promise<void> {
    for (let spins = 0; spins < 20 && !life.dead; spins += 1) await drained()
  }

  async function setAside(rig: Rig, deaths: ReturnType<typeof deadly>, id = 'r') {
    const idle = await rig.live(deaths.flows, { worker: false })
    await idle.runtime.start(deaths.bad, null, { id })
    const life = await supervise(rig, deaths)
    return { life, run: life.runtime.run(id) }
  }

  test('R-B9 C14 a run that ends its process each time is stuck after so many lost leases, and says what happened and what to do', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const { life, run } = await setAside(rig, deaths)
    // The first life recorded the first step, so its lost lease is the first in a row.
    expect(deaths.state.deaths).toBe(lostLeaseCountMax)
    const row = await run.row()
    expect(row).toMatchObject({ status: 'stuck', outcome: 'open', epoch: lostLeaseCountMax, claim: undefined })
    expect(row).toMatchObject({ lostLeaseCount: lostLeaseCountMax, stuck: { code: 'poison' } })
    for (const word of ['r', `${lostLeaseCountMax} times`, `life-${lostLeaseCountMax + 1}`, 'retry'])
      expect(row.stuck?.message).toContain(word)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepCompleted'])
    const errors = life.lines.filter(({ level }) => level === 'error')
    expect(errors).toMatchObject([{ message: expect.stringContaining('set aside'), fields: { run: 'r' } }])
    await rig.advance(leaseMs * 10)
    expect(deaths.state.deaths).toBe(lostLeaseCountMax)
    expect(life.dead).toBe(false)
  })

  test('R-B9 C14 the ten runs behind it finish in the first life after it, long before it is set aside', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const ids = Array.from({ length: 10 }, (_, index) => `g${index}`)
    const idle = await rig.live(deaths.flows, { worker: false })
    await idle.runtime.start(deaths.bad, null, { id: 'r' })
    rig.clock.advance(1)
    for (const id of ids) await idle.runtime.start(deaths.good, null, { id })
    const doneAfter: number[] = []
    const counts: number[] = []
    await supervise(rig, deaths, async () => {
      const { items } = await idle.runtime.runs({ status: 'completed' })
      doneAfter.push(items.length)
      counts.push((await idle.runtime.run('r').row()).lostLeaseCount)
    })
    expect(doneAfter.slice(0, 2)).toEqual([0, ids.length])
    expect(counts).toEqual([0, 0, 1, 2, 3, 4])
    expect(await idle.runtime.run('r').row()).toMatchObject({ lostLeaseCount: 5, stuck: { code: 'poison' } })
  })

  test("R-B9 an operator's retry frees it and the count begins anew: under repaired code it completes", async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const { life, run } = await setAside(rig, deaths)
    deaths.state.isRepaired = true
    await run.retry('more memory')
    expect(await run.result()).toEqual(['fine', 'repaired'])
    expect(await run.row()).toMatchObject({ status: 'completed', stuck: undefined, lostLeaseCount: 0 })
    expect(await kindsOf(run)).toEqual([
      'FlowStarted',
      'StepCompleted',
      'RetryRequested',
      'StepCompleted',
      'FlowCompleted',
    ])
    expect(life.dead).toBe(false)
  })

  test('R-B9 a retry without a repair buys it as many tries as at first, and no more', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const { life, run } = await setAside(rig, deaths)
    await life.runtime.close()
    const idle = await rig.live(deaths.flows, { worker: false })
    await idle.runtime.run('r').retry('only hope')
    expect(await idle.runtime.run('r').row()).toMatchObject({ status: 'ready', lostLeaseCount: 0 })
    await supervise(rig, deaths)
    expect(deaths.state.deaths).toBe(2 * lostLeaseCountMax)
    expect((await idle.runtime.run(run.id).row()).stuck?.code).toBe('poison')
  })

  test('R-B9 C14 a signal now and then is no progress', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const idle = await rig.live(deaths.flows, { worker: false })
    await idle.runtime.start(deaths.bad, null, { id: 'r' })
    await supervise(rig, deaths, async () => void (await idle.runtime.run('r').signal('hurry')))
    expect(deaths.state.deaths).toBe(lostLeaseCountMax)
    expect((await idle.runtime.run('r').row()).stuck?.code).toBe('poison')
    await idle.runtime.run('r').signal('hurry')
    expect((await idle.runtime.run('r').row()).status).toBe('stuck')
  })

  test('R-B9 a run whose every owner dies, but not before it has recorded something, is never set aside', async () => {
    const rig = new Rig(store)
    const stepCount = 3 * lostLeaseCountMax
    let life: Life | undefined
    const slow = flow({
      name: 'slow',
      version: 1,
      async run(ctx) {
        let sum = 0
        for (let index = 0; index < stepCount; index += 1) sum += await ctx.step(`s${index}`, () => 1)
        return sum
      },
    })
    const idle = await rig.live([slow], { worker: false })
    const run = await idle.runtime.start(slow, null, { id: 'r' })
    for (let crashAfter = 2; crashAfter <= stepCount + 1; crashAfter += 1) {
      life = await rig.live([slow], { worker, crashAfter })
      await until(() => life?.dead === true, 'it crashes')
      expect((await run.row()).lostLeaseCount).toBeLessThanOrEqual(1)
      rig.clock.advance(leaseMs + 1)
    }
    const last = await rig.live([slow], { worker })
    expect(await last.runtime.run('r').result()).toBe(stepCount)
  })

  test('R-B9 C14 twenty graceful restarts during a long step of a healthy run count nothing', async () => {
    const rig = new Rig(store)
    const done = gate()
    let begun = 0
    const long = flow({
      name: 'long',
      version: 1,
      run: (ctx) =>
        ctx.step('long', () => {
          begun += 1
          return done.promise.then(() => 'done')
        }),
    })
    const idle = await rig.live([long], { worker: false })
    const run = await idle.runtime.start(long, null, { id: 'r' })
    for (let restarts = 0; restarts < 20; restarts += 1) {
      const life = await rig.live([long], { worker: { ...worker, graceMs: 0 } })
      await until(() => begun === restarts + 1, 'the step begins')
      await rig.advance(leaseMs * 2) // It renews its lease.
      const closed = life.runtime.close()
      await rig.advance(1)
      await closed
      expect(await run.row()).toMatchObject({ status: 'ready', lostLeaseCount: 0 })
    }
    done.open()
    const last = await rig.live([long], { worker })
    expect(await last.runtime.run('r').result()).toBe('done')
    expect((await run.row()).epoch).toBe(21)
  })

  test('R-B9 a run that is set aside can be cancelled: by force at once, otherwise only after a retry', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const { life, run } = await setAside(rig, deaths)
    expect(await run.cancel({ reason: 'useless' })).toBe('requested')
    await drained()
    expect(await run.row()).toMatchObject({ status: 'stuck', stuck: { code: 'poison' } })
    expect(life.dead).toBe(false)
    await run.cancel({ force: true })
    expect((await rejection(run.result())).code).toBe('run_cancelled')
    expect((await kindsOf(run)).at(-1)).toBe('FlowCancelled')
    expect(deaths.state.deaths).toBe(lostLeaseCountMax)
  })

  test('R-B9 another worker that is up all the time sets it aside as well, and goes on with its own', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const idle = await rig.live(deaths.flows, { worker: false })
    const run = await idle.runtime.start(deaths.bad, null, { id: 'r' })
    // It only has the other flow until the bad run has lost all its leases.
    const healthy = await rig.live([deaths.good], { worker })
    for (let count = 0; count < lostLeaseCountMax; count += 1) {
      const life = await rig.live(deaths.flows, { worker })
      deaths.state.life = life
      await until(() => life.dead, 'it dies')
      await rig.advance(leaseMs + 1)
      const good = await healthy.runtime.start(deaths.good, null)
      expect(await good.result()).toBe(good.id)
    }
    await rig.live(deaths.flows, { worker })
    await untilStatus(run, 'stuck')
    expect(deaths.state.deaths).toBe(lostLeaseCountMax)
  })

  test('R-B9 runs with long steps that were in the same process are not set aside with it: all of them finish', async () => {
    const rig = new Rig(store)
    const deaths = deadly()
    const slow = flow({
      name: 'slow',
      version: 1,
      // Longer than the bad one lets any worker live that has both.
      run: (ctx) => ctx.step('slow', () => new Promise<string>((go) => rig.clock.after(1_000, () => go(ctx.runId)))),
    })
    const flows = [deaths.bad, slow]
    const idle = await rig.live(flows, { worker: false })
    await idle.runtime.start(deaths.bad, null, { id: 'r' })
    for (const id of ['s1', 's2', 's3', 's4']) await idle.runtime.start(slow, null, { id })
    const counts: number[] = []
    const open = await supervise(rig, { ...deaths, flows, concurrency: 16 }, async () => {
      const { items } = await idle.runtime.runs({ flow: 'slow' })
      counts.push(...items.map(({ lostLeaseCount }) => lostLeaseCount))
    })
    expect(Math.max(...counts)).toBe(2)
    expect((await open.runtime.run('r').row()).stuck?.code).toBe('poison')
    for (const id of ['s1', 's2', 's3', 's4']) await rig.rest(open.runtime.run(id))
    expect((await idle.runtime.runs({ flow: 'slow', status: 'completed' })).items).toHaveLength(4)
  })
})
