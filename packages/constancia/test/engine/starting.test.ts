import { setImmediate } from 'node:timers/promises'
import { flow, open, type Schema } from 'constancia'
import { memory } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { kindsOf, Rig, stores, until, untilStatus } from './rig.js'

const positive: Schema<{ amount: number }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { amount } = (value ?? {}) as { amount?: unknown }
      return typeof amount === 'number' && amount > 0
        ? { value: { amount } }
        : { issues: [{ message: 'must be positive', path: [{ key: 'amount' }] }] }
    },
  },
}

const slow: Schema<number> = { '~standard': { version: 1, vendor: 'test', validate: async () => ({ value: 1 }) } }

const paying = (calls: number[] = []) =>
  flow({
    name: 'paying',
    version: 1,
    input: positive,
    run: (ctx, { amount }) =>
      ctx.step('pay', () => {
        calls.push(amount)
        return amount
      }),
  })

describe.each(stores)('on %s', (store) => {
  test('R-A10 starting an id twice with the same input is starting it once, at once, later, ended, and in another process', async () => {
    const rig = new Rig(store)
    const calls: number[] = []
    const pay = paying(calls)
    const first = await rig.live([pay])
    const start = (life = first) => life.runtime.start(pay, { amount: 5 }, { id: 'r' })
    const runs = await Promise.all([start(), start(), start()])
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual([5, 5, 5])
    expect(await (await start()).result()).toBe(5)
    const second = await rig.live([pay])
    expect(await (await start(second)).result()).toBe(5)
    expect(calls).toEqual([5])
    expect(await kindsOf(runs[0]!)).toEqual(['FlowStarted', 'StepCompleted', 'FlowCompleted'])
  })

  test('R-A10 an id that belongs to a run of another flow, or with another input, is refused with run_exists and left alone', async () => {
    const rig = new Rig(store)
    const pay = paying()
    const other = flow({ name: 'other', version: 1, input: positive, run: async () => 1 })
    const life = await rig.live([pay, other])
    const run = await life.runtime.start(pay, { amount: 5 }, { id: 'r' })
    await run.result()
    const before = await run.events()
    await expect(life.runtime.start(pay, { amount: 6 }, { id: 'r' })).rejects.toMatchObject({ code: 'run_exists' })
    await expect(life.runtime.start(other, { amount: 5 }, { id: 'r' })).rejects.toMatchObject({ code: 'run_exists' })
    expect(await run.events()).toEqual(before)
  })

  test('R-A10 an acknowledgement that was lost is repaired by starting again: the run is there once', async () => {
    const rig = new Rig(store)
    const calls: number[] = []
    const pay = paying(calls)
    const first = await rig.live([pay], { crashAfter: 1 }) // It is stored, and nobody is told.
    first.runtime.start(pay, { amount: 5 }, { id: 'r' }).catch(() => undefined)
    await until(() => first.dead, 'it crashes')
    const second = await rig.succeed(first, [pay])
    expect(await (await second.runtime.start(pay, { amount: 5 }, { id: 'r' })).result()).toBe(5)
    expect(calls).toEqual([5])
  })

  test('R-B11 an input that its schema refuses, a schema that is asynchronous, and a flow that is not there start nothing', async () => {
    const rig = new Rig(store)
    const pay = paying()
    const late = flow({ name: 'late', version: 1, input: slow, run: async () => 1 })
    const life = await rig.live([pay, late])
    await expect(life.runtime.start(pay, { amount: -1 })).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('amount: must be positive'),
    })
    await expect(life.runtime.start(late, 1)).rejects.toMatchObject({ code: 'invalid_value' })
    await expect(life.runtime.start(paying(), { amount: 1 })).rejects.toMatchObject({ code: 'unknown_flow' })
    await expect(life.runtime.start(pay, { amount: 1 }, { id: 'a b' })).rejects.toMatchObject({ code: 'invalid_id' })
    await expect(life.runtime.start(pay, { amount: 1 }, { actor: '' })).rejects.toMatchObject({ code: 'invalid_id' })
    expect((await life.runtime.runs()).items).toEqual([])
  })

  test('R-A1 the first event says who started the run and as whom, and the run gets what its schema made of the input', async () => {
    const rig = new Rig(store)
    const pay = paying()
    const life = await rig.live([pay])
    const run = await life.runtime.start(pay, { amount: 5, junk: 1 } as never, { id: 'r', actor: 'ana' })
    await run.result()
    const [started] = await run.events()
    expect(started).toMatchObject({ seq: 0, by: 'principal:ana', data: '{"amount":5}' })
    expect(JSON.parse(started!.body)).toEqual({ flow: 'paying', version: 1, actor: 'ana', contract: null, patches: [] })
    expect((await run.row()).actor).toBe('ana')
  })

  test('R-B4 a run keeps the version that it started with while another is registered beside it', async () => {
    const rig = new Rig(store)
    const version = (n: number) =>
      flow({ name: 'versioned', version: n, run: async (ctx) => [n, await ctx.signal('go')] })
    const [one, two] = [version(1), version(2)]
    const first = await rig.live([one])
    await untilStatus(await first.runtime.start(one, null, { id: 'old' }), 'waiting')
    const second = await rig.succeed(first, [one, two])
    await second.runtime.start(two, null, { id: 'new' })
    for (const id of ['old', 'new']) await second.runtime.run(id).signal('go', id)
    expect(await second.runtime.run('old').result()).toEqual([1, 'old'])
    expect(await second.runtime.run('new').result()).toEqual([2, 'new'])
  })

  test('R-A5 ctx.log is silent on replay: each line is logged once, by whichever process came there first', async () => {
    const rig = new Rig(store)
    const talking = flow({
      name: 'talking',
      version: 1,
      async run(ctx) {
        ctx.log('begun')
        await ctx.step('one', () => 1)
        ctx.log('after one', { n: 1 })
        await ctx.sleep(1_000)
        ctx.log('after the sleep')
        await ctx.step('two', () => 2)
        ctx.log('after two')
      },
    })
    const first = await rig.live([talking])
    const run = await first.runtime.start(talking, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    expect(first.said).toEqual(['begun', 'after one'])
    expect(first.lines[1]?.fields).toEqual({ run: 'r', flow: 'talking', n: 1 })
    const second = await rig.succeed(first, [talking])
    await rig.rest(second.runtime.run('r'))
    expect(second.said).toEqual(['after the sleep', 'after two'])
  })
})

test('R-B1 starts that come faster than the store can write them wait their turn, in order, and all of them happen', async () => {
  const rig = new Rig('memory')
  const quick = flow({ name: 'quick', version: 1, run: async () => 1 })
  let insideCount = 0
  let mostInside = 0
  const ids: string[] = []
  const meddle = (real: Store): Store =>
    overStore(real, {
      create: async (request) => {
        insideCount += 1
        mostInside = Math.max(mostInside, insideCount)
        ids.push(request.run)
        await setImmediate()
        insideCount -= 1
        return real.create(request)
      },
    })
  const life = await rig.live([quick], { meddle, worker: false })
  const asked = Array.from({ length: 3_000 }, (_, n) => `r${n}`)
  await Promise.all(asked.map((id) => life.runtime.start(quick, null, { id })))
  expect(ids).toEqual(asked)
  expect(mostInside).toBe(1_024)
})

describe('what a flow may be called', () => {
  const run = async (): Promise<number> => 1

  test.each(['', 'a b', 'ñ', 'x'.repeat(101), 5, undefined, 'a/b', '../x'])('R-B11 a flow is not called %o', (name) => {
    expect(() => flow({ name: name as string, version: 1, run })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })

  test.each([0, -1, 1.5, Number.NaN, Infinity, '1', undefined])('R-B11 a flow has no version %o', (version) => {
    expect(() => flow({ name: 'f', version: version as number, run })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })

  test('R-B11 two flows of one name and version are refused when the runtime is opened', async () => {
    const flows = [flow({ name: 'f', version: 1, run }), flow({ name: 'f', version: 1, run })]
    await expect(open({ store: memory(), flows })).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
