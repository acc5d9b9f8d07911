/**
 * The flows of the golden test: each a plan as users write them, with its input, the signals that reach it and the
 * destination of its effects. Failures are scripted by key and attempt, never by counting calls, so that a history is the
 * same however often a process ends.
 */
import {
  type AnyFlow,
  type AttemptInfo,
  days,
  type FlowContext,
  flow,
  hours,
  minutes,
  PermanentError,
  seconds,
} from '../../dist/index.js'
import { Ledger, type ScriptedSignal } from '../../dist/testing/index.js'

/** One flow of the golden test with all that its run needs. */
export interface Golden {
  readonly flow: AnyFlow
  readonly input: unknown
  readonly signals?: readonly ScriptedSignal[]
  /** The longest that a process may be gone without the flow itself noticing; three days unless set. */
  readonly downtimeMs?: number
}

/** Where every flow here has its effects. It remembers keys. */
export const bank = new Ledger()

const pay =
  <T>(what: T) =>
  (attempt: AttemptInfo): T =>
    bank.receive(attempt.key, what)

// Fails in the attempts named and pays in the others.
const payUnless = (failing: readonly number[], what: string) => async (attempt: AttemptInfo) => {
  if (failing.includes(attempt.attempt)) throw new Error(`attempt ${attempt.attempt} of ${what} failed`)
  return bank.receive(attempt.key, what)
}

const failed = (reason: unknown): string =>
  reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)

// A destination that answers later, in turns of the event loop of its own.
const slowly =
  <T>(work: (attempt: AttemptInfo) => T) =>
  async (attempt: AttemptInfo) => {
    await new Promise((resolve) => setImmediate(resolve))
    return work(attempt)
  }

const linear: Golden = {
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
}

const loop: Golden = {
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
      } while (ctx.random() < 0.6 && rounds < 5)
      return { done, rounds }
    },
  }),
  input: ['a.ts', 'b.mts', 'cc.ts', 'd.js'],
}

const parallel: Golden = {
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
}

const nested: Golden = {
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
}

const race: Golden = {
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
}

const timers: Golden = {
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
}

const signals: Golden = {
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
}

const shared: Golden = {
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
}

const retries: Golden = {
  flow: flow({
    name: 'retries',
    version: 1,
    retry: { attemptsMax: 3, delayMsFirst: 500 },
    async run(ctx) {
      const second = await ctx.step('second time', payUnless([1], 'second'))
      const spent = await ctx.step('never', payUnless([1, 2, 3], 'never')).catch(failed)
      const permanent = await ctx
        .step('forbidden', () => Promise.reject(new PermanentError('no such account')))
        .catch(failed)
      const exempt = await ctx
        .step('exempt', payUnless([1], 'exempt'), { retry: { unless: (error) => failed(error).includes('exempt') } })
        .catch(failed)
      const asked = await ctx.step('asked to wait', (attempt) => {
        if (attempt.attempt === 1) throw Object.assign(new Error('busy'), { retryAfterMs: minutes(10) })
        return bank.receive(attempt.key, 'patient')
      })
      return { second, spent, permanent, exempt, asked }
    },
  }),
  input: undefined,
}

const timeouts: Golden = {
  flow: flow({
    name: 'timeouts',
    version: 1,
    async run(ctx) {
      const answer = await ctx.step(
        'hang',
        (attempt) =>
          attempt.attempt === 1 ? new Promise<string>(() => undefined) : bank.receive(attempt.key, 'answered'),
        { timeoutMs: seconds(20) },
      )
      return { answer }
    },
  }),
  input: undefined,
}

const values: Golden = {
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
      const refused = await ctx.step('refused', () => ({ deep: [() => 1] })).catch(failed)
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
}

const failing: Golden = {
  flow: flow({
    name: 'failing',
    version: 1,
    retry: { attemptsMax: 2, delayMsFirst: 100 },
    async run(ctx) {
      void ctx.step('nobody waits', payUnless([1, 2], 'nobody')) // Told at the end.
      const swallowed = await ctx.step('swallowed', payUnless([1, 2], 'swallowed')).catch(() => 'went on')
      await ctx.step('paid', pay(swallowed))
      await ctx.parallel([
        (own) => own.step('fine', pay('fine')),
        (own) =>
          own.step('fatal', () =>
            Promise.reject(new PermanentError('the account was closed', { cause: new Error('audit') })),
          ),
      ])
    },
  }),
  input: undefined,
}

const moments: Golden = {
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
}

const mixture: Golden = {
  flow: flow<{ readonly orders: readonly string[] }>({
    name: 'mixture',
    version: 1,
    retry: { attemptsMax: 3, delayMsFirst: 1_000 },
    async run(ctx, { orders }) {
      const shipped = await ctx.map(orders, ship, { concurrency: 2 })
      const cancelled = await Promise.race([
        ctx.signal<string>('cancel').then((why) => `cancelled: ${why}`),
        ctx.sleep(days(14)).then(() => 'kept'),
      ])
      const closing = await Promise.allSettled([
        ctx.step('archive', payUnless([1], 'archive')),
        ctx.step('report', payUnless([1, 2, 3], 'report')),
      ])
      return { shipped, cancelled, closing: closing.map(({ status }) => status) }
    },
  }),
  input: { orders: ['book', 'lamp', 'chair'] },
  signals: [
    { name: 'packed', payload: 'lamp', afterEvents: 6 },
    { name: 'noise', payload: 0, afterEvents: 7 },
  ],
  downtimeMs: hours(1),
}

async function ship(order: string, ctx: FlowContext): Promise<string> {
  const label = await ctx.step('label', pay({ order }))
  if (order === 'chair') return 'by hand'
  const packed = await ctx.signal<string>('packed', undefined, { within: hours(8) })
  if (packed.kind === 'timed_out') return `${label.order} late`
  return ctx.step('send', payUnless([1], `${order} packed as ${packed.value}`))
}

/** Every flow of the golden test. */
export const goldenFlows: readonly Golden[] = [
  linear,
  loop,
  parallel,
  nested,
  race,
  timers,
  signals,
  shared,
  retries,
  timeouts,
  values,
  failing,
  moments,
  mixture,
]
