/** Flows that work: one thing after the other, and many at once. */
import { days, flow, seconds } from '../../dist/index.js'
import { failed, type Golden, pay, payUnless, slowly } from './effects.js'

export const linear: Golden = {
  flow: flow<{ readonly invoice: string }>({
    name: 'linear',
    version: 1,
    async run(ctx, { invoice }) {
      const bill = await ctx.step('read', () => ({ invoice, cents: 4_200 }))
      const checked = await ctx.step('check', () => ({ ...bill, valid: bill.cents < 10_000 }))
      const receipt = await ctx.step('pay', slowly(pay(checked)))
      await ctx.step('notify', pay({ to: 'vendor', receipt }))
      return { invoice, paid: receipt.cents }
    },
  }),
  input: { invoice: 'inv-7' },
  gives: { invoice: 'inv-7', paid: 4_200 },
}

export const loop: Golden = {
  flow: flow<readonly string[]>({
    name: 'loop',
    version: 1,
    async run(ctx, files) {
      const done: string[] = []
      for (const file of files) {
        const lines = await ctx.step(`count ${file}`, () => file.length)
        if (lines % 2 === 1) continue
        done.push(await ctx.step('rewrite', pay(`${file}:${lines}`)))
      }
      // As many rounds as chance says, and chance is the same in every replay.
      let rounds = 0
      do {
        rounds += await ctx.step('round', () => 1)
      } while (ctx.random() < 0.9 && rounds < 4)
      return { done, rounds }
    },
  }),
  input: ['a.ts', 'b.mts', 'cc.ts', 'd.js'],
  gives: { done: ['a.ts:4', 'd.js:4'], rounds: 4 },
}

export const parallel: Golden = {
  flow: flow({
    name: 'parallel',
    version: 1,
    async run(ctx) {
      const [left, middle, right] = await ctx.parallel([
        async (own) => (await own.step('left 1', pay('l1'))) + (await own.step('left 2', pay('l2'))),
        (own) => own.step('middle', slowly(pay('m'))),
        async (own) => {
          await own.sleep(seconds(5))
          return own.step('right', pay('r'))
        },
      ])
      const plain = await Promise.all([ctx.step('a', pay('a')), ctx.step('b', slowly(pay('b'))), 'neither'])
      return { left, middle, right, plain }
    },
  }),
  input: undefined,
  gives: { left: 'l1l2', middle: 'm', right: 'r', plain: ['a', 'b', 'neither'] },
}

export const nested: Golden = {
  flow: flow<readonly (readonly number[])[]>({
    name: 'nested',
    version: 1,
    async run(ctx, groups) {
      return ctx.map(
        groups,
        async (group, own, index) => {
          const squares = await own.map(group, (n, inner) => inner.step(`square ${n}`, () => n * n), { concurrency: 1 })
          const [sum] = await own.parallel([
            (inner) => inner.step('sum', pay({ index, sum: squares.reduce((a, b) => a + b, 0) })),
          ])
          return sum.sum
        },
        { concurrency: 2 },
      )
    },
  }),
  input: [[1, 2], [3], []],
  gives: [5, 9, 0],
}

export const race: Golden = {
  flow: flow({
    name: 'race',
    version: 1,
    async run(ctx) {
      const loser = ctx.step('slow', slowly(pay('slow')))
      const winner = await Promise.race([loser, ctx.step('quick', pay('quick'))])
      const any = await Promise.any([
        ctx.step('refused', payUnless([1], 'refused'), { retry: { attemptsMax: 1 } }),
        ctx.step('taken', slowly(pay('taken'))),
      ])
      const late = await Promise.race([ctx.sleep(days(2)).then(() => 'time'), ctx.step('work', pay('work'))])
      const all = await Promise.allSettled([
        ctx.step('bad', payUnless([1], 'bad'), { retry: { attemptsMax: 1 } }),
        loser,
      ])
      return { winner, any, late, all: all.map((one) => (one.status === 'fulfilled' ? one.value : failed(one.reason))) }
    },
  }),
  input: undefined,
  gives: { winner: 'quick', any: 'taken', late: 'work', all: ['Error: attempt 1 of bad failed', 'slow'] },
}

export const values: Golden = {
  flow: flow<{ readonly when: Date; readonly rows: Map<string, bigint> }>({
    name: 'values',
    version: 1,
    async run(ctx, { when, rows }) {
      const sums = await ctx.step('sums', () => new Map([...rows].map(([name, cents]) => [name, cents * 2n])))
      const odd = await ctx.step('odd', () => [
        undefined,
        Number.NaN,
        -0,
        Number.POSITIVE_INFINITY,
        new Set([when]),
        new Uint8Array([1, 255]),
      ])
      const error = await ctx.step('error', () => new RangeError('kept', { cause: { at: when } }))
      const refused = await ctx
        .step('refused', () => ({ deep: [() => 1] }))
        .catch((reason) => failed(reason).split(',')[0])
      const got = await ctx.signal<Map<string, Date>>('dates')
      await ctx.step('tell', pay({ day: when.getUTCDate(), sum: String(sums.get('b')), nan: Number.isNaN(odd[1]) }))
      return { sums, odd, error, refused, later: got.get('x') }
    },
  }),
  input: {
    when: new Date(Date.UTC(2026, 6, 14)),
    rows: new Map([
      ['a', 1n],
      ['b', 2n ** 70n],
    ]),
  },
  signals: [{ name: 'dates', payload: new Map([['x', new Date(0)]]), afterEvents: 3 }],
  gives: {
    sums: new Map([
      ['a', 2n],
      ['b', 2n ** 71n],
    ]),
    odd: [
      undefined,
      Number.NaN,
      -0,
      Number.POSITIVE_INFINITY,
      new Set([new Date(Date.UTC(2026, 6, 14))]),
      new Uint8Array([1, 255]),
    ],
    error: new RangeError('kept', { cause: { at: new Date(Date.UTC(2026, 6, 14)) } }),
    refused: 'ConstanciaError: result of step "refused".deep[0] is a function',
    later: new Date(0),
  },
}
