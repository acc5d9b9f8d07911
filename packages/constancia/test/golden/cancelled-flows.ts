/** Flows that are cancelled: while they wait, work, or clean up. */
import { expect } from 'vitest'
import { days, flow, hours, seconds } from '../../dist/index.js'
import { type Golden, pay, payUnless } from './effects.js'

const toiling = flow<number>({
  name: 'toiling',
  version: 1,
  async run(ctx, rounds) {
    for (let round = 0; round < rounds; round += 1) {
      await ctx.step(`toil ${round}`, pay(round))
      await ctx.sleep(hours(1))
    }
    return rounds
  },
})

const tidy = flow({
  name: 'tidy',
  version: 1,
  async run(ctx) {
    try {
      return await ctx.call(toiling, 1)
    } finally {
      await ctx.step('tidy up', pay('tidied'))
    }
  },
})

/** Has children in all states while it goes on; its clean-up is a step of its own. Ends by itself if nobody cancels it. */
export const hotel: Golden = {
  flow: flow({
    name: 'hotel',
    version: 1,
    retry: { attemptsMax: 2, delayMsFirst: 1_000 },
    async run(ctx) {
      await ctx.step('reserve', pay('reserved'))
      try {
        const toil = ctx.call(toiling, 2)
        const tidied = await ctx.call(tidy, undefined)
        const second = await ctx.step('second time', payUnless([1], 'second'))
        const confirmed = await ctx.signal<string>('confirm')
        return { toil: await toil, tidied, second, confirmed }
      } finally {
        await ctx.step('release', pay('released'))
      }
    },
  }),
  input: undefined,
  flows: [toiling, tidy],
  signals: [{ name: 'confirm', payload: 'yes', afterEvents: 5 }],
  everyNthPair: 12,
  gives: { toil: 2, tidied: 1, second: 'second', confirmed: 'yes' },
}

const releasing = (run: Parameters<typeof flow>[0]['run'], name: string): Golden['flow'] =>
  flow({
    name,
    version: 1,
    retry: { attemptsMax: 2, delayMsFirst: hours(1) },
    async run(ctx, input) {
      try {
        return await run(ctx, input)
      } finally {
        await ctx.step('release', pay('released'))
      }
    },
  })

const cancelled: unknown = expect.objectContaining({ code: 'run_cancelled' })

/** Cancelled in one state each. */
export const cancelledFlows: readonly Golden[] = [
  {
    flow: releasing(async (ctx) => {
      await ctx.sleep(days(30))
      await ctx.step('never', pay('never'))
    }, 'cancelled-asleep'),
    input: undefined,
    cancel: { afterEvents: 2 },
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await Promise.all([ctx.signal('go', undefined, { within: days(3) }), ctx.signal('other')])
      await ctx.step('never', pay('never'))
    }, 'cancelled-waiting'),
    input: undefined,
    cancel: { afterEvents: 3 },
    signals: [{ name: 'unread', payload: 1, afterEvents: 2 }],
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await ctx.step('again', payUnless([1], 'again'))
      await ctx.step('never', pay('never'))
    }, 'cancelled-in-a-retry-delay'),
    input: undefined,
    cancel: { afterEvents: 2 },
    downtimeMs: seconds(1),
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await ctx.step(
        'works',
        ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      )
      await ctx.step('never', pay('never'))
    }, 'cancelled-at-work'),
    input: undefined,
    cancel: { afterEvents: 1 },
    gives: cancelled,
  },
  {
    flow: flow({
      name: 'cancelled-and-the-clean-up-fails',
      version: 1,
      retry: { attemptsMax: 2, delayMsFirst: seconds(1) },
      async run(ctx) {
        try {
          await ctx.sleep(days(30))
        } finally {
          await ctx.step('undo', pay('undone'))
          await ctx.step('release', payUnless([1, 2], 'released'))
          await ctx.step('never', pay('never'))
        }
      },
    }),
    input: undefined,
    cancel: { afterEvents: 1 },
    gives: new Error('attempt 2 of released failed'),
  },
  {
    flow: releasing(async (ctx) => {
      const done = await ctx.call(toiling, 1)
      // Not started yet when it is to end: it begins nothing.
      await ctx.call(toiling, 2)
      await ctx.step('never', pay(done))
    }, 'cancelled-by-force'),
    input: undefined,
    flows: [toiling],
    cancel: { afterEvents: 4, force: true },
    everyNthPair: 4,
    gives: undefined, // Its function does not come to an end.
  },
]
