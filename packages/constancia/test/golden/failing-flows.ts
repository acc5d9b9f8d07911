/** Flows in which things fail, and one of everything. */
import { days, type FlowContext, flow, hours, minutes, PermanentError, seconds } from '../../dist/index.js'
import { bank, failed, type Golden, pay, payUnless } from './effects.js'

export const retries: Golden = {
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
      const lost = await ctx.step('answer lost', (attempt) => {
        const paid = bank.receive(attempt.key, 'once')
        if (attempt.attempt === 1) throw new Error('the connection was reset')
        return paid
      })
      return { second, spent, permanent, exempt, asked, lost }
    },
  }),
  input: undefined,
  gives: {
    second: 'second',
    spent: 'Error: attempt 3 of never failed',
    permanent: 'PermanentError: no such account',
    exempt: 'Error: attempt 1 of exempt failed',
    asked: 'patient',
    lost: 'once',
  },
}

export const timeouts: Golden = {
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
  gives: { answer: 'answered' },
}

export const failing: Golden = {
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
  gives: new PermanentError('the account was closed', { cause: new Error('audit') }),
}

export const mixture: Golden = {
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
  gives: {
    shipped: ['book late', 'lamp packed as lamp', 'by hand'],
    cancelled: 'kept',
    closing: ['fulfilled', 'rejected'],
  },
}

async function ship(order: string, ctx: FlowContext): Promise<string> {
  const label = await ctx.step('label', pay({ order }))
  if (order === 'chair') return 'by hand'
  const packed = await ctx.signal<string>('packed', undefined, { within: hours(8) })
  if (packed.kind === 'timed_out') return `${label.order} late`
  return ctx.step('send', payUnless([1], `${order} packed as ${packed.value}`))
}
