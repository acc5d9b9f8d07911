/** Flows that wait: for time and for word from outside. */
import { days, flow, hours, minutes } from '../../dist/index.js'
import { type Golden, pay } from './effects.js'

export const timers: Golden = {
  flow: flow({
    name: 'timers',
    version: 1,
    async run(ctx) {
      await ctx.sleep(days(30))
      await ctx.sleep(new Date(Date.UTC(2026, 2, 1)))
      await ctx.sleep(new Date(Date.UTC(2020, 0, 1))) // Overdue before it was asked for.
      await ctx.sleep(0)
      const reminder = await ctx.step('remind', pay('reminder'))
      const order: string[] = []
      await Promise.all([
        ctx.sleep(hours(2)).then(() => order.push('two hours')),
        ctx.sleep(minutes(30)).then(() => order.push('half an hour')),
      ])
      return { reminder, order }
    },
  }),
  input: undefined,
  gives: { reminder: 'reminder', order: ['half an hour', 'two hours'] },
}

export const signals: Golden = {
  flow: flow({
    name: 'signals',
    version: 1,
    async run(ctx) {
      await ctx.step('ask', pay('asked'))
      const early = await ctx.signal<number>('early')
      const burst: number[] = []
      for (let count = 0; count < 3; count += 1) burst.push(await ctx.signal<number>('burst'))
      const inTime = await ctx.signal<string>('answer', undefined, { within: hours(1) })
      const never = await ctx.signal<string>('silence', undefined, { within: days(4) })
      await ctx.step('close', pay({ early, burst, inTime }))
      return { early, burst, inTime, never }
    },
  }),
  input: undefined,
  signals: [
    { name: 'early', payload: 1, afterEvents: 1 },
    { name: 'burst', payload: 1, afterEvents: 3 },
    { name: 'burst', payload: 2, afterEvents: 3 },
    { name: 'burst', payload: 3, afterEvents: 3 },
    { name: 'answer', payload: 'yes', afterEvents: 7 },
  ],
  downtimeMs: minutes(5),
  gives: { early: 1, burst: [1, 2, 3], inTime: { kind: 'received', value: 'yes' }, never: { kind: 'timed_out' } },
}

export const shared: Golden = {
  flow: flow({
    name: 'shared-signals',
    version: 1,
    async run(ctx) {
      const waits = ctx.map(['a', 'b', 'c'], async (who, own, index) => {
        if (index === 1) return { who, got: await own.signal<number>('ticket', undefined, { within: hours(1) }) }
        return { who, got: await own.signal<number>('ticket') }
      })
      const first = await Promise.race([waits, ctx.signal<string>('hurry')])
      const paid = await ctx.step('serve', pay(first))
      return { paid, tickets: await waits }
    },
  }),
  input: undefined,
  signals: [
    { name: 'hurry', payload: 'now', afterEvents: 2 },
    { name: 'ticket', payload: 1, afterEvents: 3 },
    { name: 'ticket', payload: 2, afterEvents: 5 },
    { name: 'ticket', payload: 3, afterEvents: 5 },
  ],
  downtimeMs: minutes(5),
  gives: {
    paid: 'now',
    tickets: [
      { who: 'a', got: 1 },
      { who: 'b', got: { kind: 'received', value: 2 } },
      { who: 'c', got: 3 },
    ],
  },
}

export const moments: Golden = {
  flow: flow({
    name: 'moments',
    version: 1,
    async run(ctx) {
      const began = ctx.now()
      await ctx.step('open', pay({ id: ctx.uuid(), began }))
      await ctx.sleep(new Date(ctx.now() + days(7)))
      const after = ctx.now()
      await ctx.step('close', pay({ id: ctx.uuid(), took: after - began }))
      return { began, after, draw: ctx.random() }
    },
  }),
  input: undefined,
  downtimeMs: 0,
  gives: {
    began: Date.UTC(2026, 0, 1),
    after: Date.UTC(2026, 0, 8),
    draw: 0.0403377945085488 /* Of this run id and this place, on every machine. */,
  },
}
