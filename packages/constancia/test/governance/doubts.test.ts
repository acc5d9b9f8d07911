import { days, flow, type GovernedRuntime, hours, NotDispatched, once, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { gate, kindsOf, Rig, type StoreName, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

type Given = Parameters<typeof treasury>[1]

const notSent = (): Promise<never> => Promise.reject(new NotDispatched('Nobody listens.'))
const cut = (): Promise<never> => Promise.reject(new Error('The line was cut.'))
const silent = (): Promise<never> => new Promise(() => undefined)

/** A treasury in which ann pays small amounts by herself. */
async function office(store: StoreName, given: Given = {}) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank, given)
  const life = await rig.live([made.direct], { contract: made.contract })
  const court = new Court(() => life.store)
  await court.activate(made.contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  const pays = (): Promise<Run> => life.runtime.start(made.direct, { cents: 500 }, { id: 'r', actor: 'ann' })
  return { rig, bank, made, life, court, pays }
}

async function lastOf(run: Run, kind: string): Promise<{ code?: string; attempt?: number; text: string }> {
  const event = (await run.events()).findLast((each) => each.kind === kind)
  return { ...JSON.parse(event?.body ?? '{}'), text: event?.data ?? '' }
}

describe.each(stores)('on %s', (store) => {
  test('R-E10 the situation is looked at although the law that this process knew would not have let it', async () => {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank)
    const step = gate()
    const slow = flow({
      name: 'pay-directly',
      version: 1,
      resume: { roles: ['clerk', 'analyst'] },
      models: 'none',
      async run(ctx) {
        await ctx.step('wait', () => step.promise)
        return ctx.do(made.transfer, { to: 'acme', cents: 5 })
      },
    })
    const life = await rig.live([slow], { contract: made.contract })
    const elsewhere = await rig.live([slow], { contract: made.contract, worker: false })
    const court = new Court(() => elsewhere.store)
    await court.activate(made.contract)
    bank.isOpen = 'the account was closed'
    const run = await life.runtime.start(slow, null as never, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'running')
    await court.grant('ann', 'analyst')
    step.open()
    await until(async () => (await run.row()).outcome !== 'open', 'it ends')
    expect(await lastOf(run, 'ActionDenied')).toMatchObject({ code: 'situation_changed' })
    expect(bank.requestCount).toBe(0)
  })

  test('R-B6 that the last attempt was not sent proves nothing about one before it that may have landed', async () => {
    const { rig, bank, pays } = await office(store)
    bank.fails = [cut, notSent, notSent]
    const run = await pays()
    await until(() => bank.requestCount === 1, 'the first attempt')
    await rig.advance(days(0.5))
    await untilStatus(run, 'paused')
    expect(bank.requestCount).toBe(3)
    expect((await kindsOf(run)).at(-1)).toBe('OutcomeUnknown')
  })

  test('R-B6 that an intent of a process before was not sent now proves nothing about then', async () => {
    const { rig, bank, made, life, pays } = await office(store)
    bank.fails = [silent, notSent, notSent, notSent]
    await pays()
    await until(() => bank.requestCount === 1, 'it was sent')
    const next = await rig.succeed(life, [made.direct], { contract: made.contract })
    const run = next.runtime.run('r')
    await until(() => bank.requestCount === 2, 'it is sent again')
    await rig.advance(days(0.5))
    await untilStatus(run, 'paused')
    expect((await kindsOf(run)).at(-1)).toBe('OutcomeUnknown')
    expect(await lastOf(run, 'ActionAttemptFailed')).not.toMatchObject({ code: 'not_dispatched', attempt: 1 })
  })

  test('R-B6 R-E10 where the effect itself has changed the situation, its destination is asked, and it is not done again', async () => {
    const { rig, bank, made, life, pays } = await office(store)
    bank.fails = [silent]
    await pays()
    await until(() => bank.requestCount === 1, 'it was sent')
    bank.done.set('r/0', { to: 'acme', cents: 500 })
    bank.isOpen = 'the invoice is paid'
    const next = await rig.succeed(life, [made.direct], { contract: made.contract })
    expect(await next.runtime.run('r').result()).toEqual({ receipt: 'r-r/0' })
    expect(bank.requestCount).toBe(1)
    expect(await lastOf(next.runtime.run('r'), 'ActionCompleted')).toMatchObject({ found: true })
  })

  test('R-B6 who cannot look at the situation has sent nothing: it is tried again, under once as well', async () => {
    const { rig, bank, pays } = await office(store, { effect: once() })
    Object.defineProperty(bank, 'isOpen', {
      configurable: true,
      get: () => {
        throw new Error('The bank does not answer.')
      },
    })
    const run = await pays()
    await untilStatus(run, 'waiting')
    expect(await lastOf(run, 'ActionAttemptFailed')).toMatchObject({ code: 'not_dispatched' })
    Object.defineProperty(bank, 'isOpen', { value: true })
    await rig.advance(hours(1))
    expect(await run.result()).toEqual({ receipt: 'r-r/0' })
    expect(bank.requestCount).toBe(1)
  })

  test('R-B6 R-E9 an attempt that may have landed, and an approval that came when its key was forgotten: a person says what came of it', async () => {
    const { rig, bank, life, court, pays } = await office(store)
    bank.fails = [cut]
    const run = await pays()
    await untilStatus(run, 'waiting')
    const stricter = treasury(bank, {
      version: '2',
      change: (one) => ({
        ...one,
        rules: one.rules.map((rule) => (rule.declared.when === null ? rule : rule.when('input.cents < 1'))),
      }),
    })
    await court.activate(stricter.contract)
    await rig.advance(hours(1))
    await untilStatus(run, 'paused')
    expect((await kindsOf(run)).at(-1)).toBe('ApprovalRequested')
    await rig.advance(days(2))
    const { op, shown } = JSON.parse((await run.events()).at(-1)?.body ?? '{}')
    const { governance } = life.runtime as GovernedRuntime
    await governance.vote({ run: 'r', op, voter: 'tom', choice: 'approve', shown })
    await until(async () => (await kindsOf(run)).at(-1) === 'OutcomeUnknown', 'nobody knows')
    expect(bank.requestCount).toBe(1)
  })
})
