/** Flows whose runs are taken over by others, and flows whose code changes under them. */
import { days, flow } from '../../dist/index.js'
import { type Golden, pay } from './effects.js'

interface Count {
  readonly handled: readonly number[]
  readonly goal: number
}

const counting = flow({
  name: 'counting',
  version: 1,
  async run(ctx, { handled, goal }: Count) {
    const seen = [...handled]
    for (let count = 0; count < 2 && seen.length < goal; count += 1) {
      const tick = await ctx.signal<number>('tick')
      seen.push(await ctx.step('handle', pay(tick)))
    }
    return seen.length < goal ? ctx.continueAsNew({ handled: seen, goal }) : seen
  },
})

/** Signals come at every moment: early, in bursts, and just as one run is to be taken over by the next. */
export const continued: Golden = {
  flow: counting,
  input: { handled: [], goal: 5 },
  signals: [
    { name: 'tick', payload: 1, afterEvents: 1 },
    { name: 'noise', payload: 0, afterEvents: 2 },
    { name: 'tick', payload: 2, afterEvents: 4 },
    { name: 'tick', payload: 3, afterEvents: 6 }, // The first run is about to end, and carries it over.
    { name: 'tick', payload: 4, afterEvents: 7 },
    { name: 'tick', payload: 5, afterEvents: 14 },
  ],
  everyNthPair: 3,
  gives: [1, 2, 3, 4, 5],
}

/** A child that is taken over is still the child of its parent, for signals and for its end. */
export const lineage: Golden = {
  flow: flow({
    name: 'lineage',
    version: 1,
    async run(ctx) {
      const counted = await ctx.call(counting, { handled: [], goal: 3 })
      return ctx.step('sum', pay(counted.reduce((sum, one) => sum + one, 0)))
    },
  }),
  input: undefined,
  flows: [counting],
  signals: [
    { name: 'tick', payload: 1, to: '0', afterEvents: 1 },
    { name: 'tick', payload: 2, to: '0', afterEvents: 3 },
    { name: 'tick', payload: 4, to: '0', afterEvents: 5 },
  ],
  everyNthPair: 4,
  gives: 7,
}

const part = (patches: readonly string[]) =>
  flow({
    name: 'part',
    version: 1,
    patches,
    run: async (ctx) =>
      patches.length > 0 && ctx.patched('twice')
        ? [await ctx.step('once', pay(1)), await ctx.step('twice', pay(2))]
        : [await ctx.step('once', pay(1))],
  })

/** The code before a patch (without one) and after it. */
const patchable = (patches: readonly string[]) => {
  const isNew = patches.length > 0
  const own = part(patches)
  const whole = flow({
    name: 'patched',
    version: 1,
    patches,
    async run(ctx) {
      const first = await ctx.call(own, undefined)
      if (isNew && ctx.patched('twice')) await ctx.step('announce', pay('announced'))
      await ctx.sleep(days(1))
      const second = await ctx.call(own, undefined)
      if (!isNew || !ctx.patched('twice')) await ctx.step('old end', pay('old'))
      return { first, second, isPatched: isNew && ctx.patched('twice') }
    },
  })
  return { whole, part: own }
}

const before = patchable([])
const after = patchable(['twice'])

/** Begins under the code before the patch and goes on under the code after it, which comes after so many events. */
export const patchedAfter = (afterEvents: number): Golden => ({
  flow: before.whole,
  input: undefined,
  flows: [before.part],
  upgrade: { afterEvents, flows: [after.whole, after.part] },
  gives: { first: [1], second: [1, 2], isPatched: false },
})

/** Begins when the patch is there. */
export const patched: Golden = {
  flow: after.whole,
  input: undefined,
  flows: [after.part],
  everyNthPair: 4,
  gives: { first: [1, 2], second: [1, 2], isPatched: true },
}
