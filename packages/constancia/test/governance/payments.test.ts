import { days, flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { begin, bodyOf, failureOf } from './scene.js'
import { Bank, treasury } from './treasury.js'

describe.each(stores)('on %s', (store) => {
  test('R-D1 R-D2 R-D4 R-E2 R-E12 R-F3 R-F4 an invoice is paid four days later, once, as exactly what was approved', async () => {
    const { rig, bank, life, pays, made } = await begin(store)
    await pays(250_000)
    await life.crash()
    rig.clock.advance(days(3))
    const next = await rig.live([made.pay], { contract: made.contract })
    const run = next.runtime.run('r')
    await new Court(() => next.store).vote(run, 'tom', { resolves: 'approved' })
    expect(await run.result()).toEqual({ paid: true, receipt: 'r-r/2' })
    expect(await kindsOf(run)).toEqual([
      'FlowStarted',
      'ActionAuthorized',
      'ActionCompleted',
      'ApprovalRequested',
      'ApprovalVoted',
      'ApprovalResolved',
      'ResumeAuthorized',
      'ActionAuthorized',
      'ActionCompleted',
      'MessageSent',
      'FlowCompleted',
    ])
    expect([...bank.done]).toEqual([['r/2', { to: 'acme', cents: 250_000 }]])
    expect(await bodyOf(run, 'ActionAuthorized')).toMatchObject({
      rule: 2,
      roles: ['analyst'],
      approval: '1',
      cents: 250_000,
    })
  })

  test('R-E3 C24 the actor lost the role during the pause: the run fails before anything executes, and the user is told', async () => {
    const { bank, court, pays } = await begin(store)
    const run = await pays(250_000)
    await court.revoke('ann', 'analyst')
    await court.vote(run, 'tom', { resolves: 'approved' })
    const error = await failureOf(run)
    expect(error.code).toBe('resume_denied')
    expect((await kindsOf(run)).slice(-2)).toEqual(['MessageSent', 'FlowFailed'])
    expect(bank.requestCount).toBe(0)
  })

  test('R-E8 the approver lost the role before the effect: the vote no longer counts', async () => {
    const { bank, court, pays } = await begin(store)
    const run = await pays(250_000)
    await court.vote(run, 'tom', { resolves: 'approved' })
    await court.revoke('tom', 'treasurer')
    const error = await failureOf(run)
    expect(error.code).toBe('action_denied')
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: 'approval_lapsed' })
    expect(bank.requestCount).toBe(0)
  })

  test('R-E9 the contract was tightened during the pause: what it no longer allows is refused', async () => {
    const { bank, court, pays } = await begin(store)
    const run = await pays(250_000)
    const stricter = treasury(bank, {
      version: '2',
      change: (one) => ({
        ...one,
        rules: one.rules.map((rule) => (rule.declared.approval === null ? rule : rule.when('input.cents <= 5000'))),
      }),
    })
    await court.activate(stricter.contract)
    await court.vote(run, 'tom', { resolves: 'approved' })
    await failureOf(run)
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({
      code: 'condition_failed',
      contract: stricter.contract.digest,
    })
    expect(bank.requestCount).toBe(0)
  })

  test('R-E10 somebody else paid meanwhile: the situation is looked at once more before the effect', async () => {
    const { bank, court, pays } = await begin(store)
    const run = await pays(250_000)
    bank.isOpen = 'the invoice was paid by somebody else'
    await court.vote(run, 'tom', { resolves: 'approved' })
    const error = await failureOf(run)
    expect(error.message).toContain('paid by somebody else')
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: 'situation_changed' })
    expect(bank.requestCount).toBe(0)
  })

  test('R-D8 R-F4 what was approved with changes executes with these changes, and both versions are in the journal', async () => {
    const { bank, court, pays } = await begin(store)
    const run = await pays(250_000)
    await court.vote(run, 'tom', { resolves: 'approved', amended: '{"to":"acme","cents":200000}' })
    expect(await run.result()).toMatchObject({ paid: true })
    expect([...bank.done.values()]).toEqual([{ to: 'acme', cents: 200_000 }])
    expect((await run.events()).filter(({ data }) => data?.includes('250000')).length).toBeGreaterThan(0)
  })

  test('R-D7 after its deadline an approval has expired; a vote that came first would have counted', async () => {
    const { rig, bank, pays } = await begin(store)
    const run = await pays(250_000)
    await rig.advance(days(4))
    expect(await run.result()).toEqual({ paid: false, why: 'expired' })
    expect(bank.requestCount).toBe(0)
  })

  test('R-F2 R-D1 an action whose rule asks for an approval asks for it by itself, and goes on after it', async () => {
    const { bank, court, pay } = await begin(store)
    const run = await pay(5_000)
    await untilStatus(run, 'paused')
    expect(bank.requestCount).toBe(0)
    await court.vote(run, 'tom', { resolves: 'approved' })
    expect(await run.result()).toEqual({ receipt: 'r-r/0' })
    expect(await kindsOf(run)).toEqual([
      'FlowStarted',
      'ApprovalRequested',
      'ApprovalVoted',
      'ApprovalResolved',
      'ResumeAuthorized',
      'ActionAuthorized',
      'ActionCompleted',
      'FlowCompleted',
    ])
  })

  test.each(['rejected', 'expired'])('R-D6 an action that people %s is denied', async (outcome) => {
    const { rig, bank, court, pay } = await begin(store)
    const run = await pay(5_000)
    await untilStatus(run, 'paused')
    if (outcome === 'expired') await rig.advance(days(4))
    else await court.vote(run, 'tom', { choice: 'reject', resolves: outcome })
    await failureOf(run)
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: `approval_${outcome}` })
    expect(bank.requestCount).toBe(0)
  })

  test('R-F1 R-F2 what the contract names for nobody, or for others, is denied before anything happens', async () => {
    const { bank, life, court, made } = await begin(store)
    await court.grant('eve', 'treasurer')
    const run = await life.runtime.start(made.direct, { cents: 10 }, { id: 'e', actor: 'eve' })
    const error = await failureOf(run)
    expect(error).toMatchObject({ code: 'action_denied' })
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'ActionDenied', 'FlowFailed'])
    expect(bank.requestCount).toBe(0)
  })

  test('R-E1 R-E4 a governed flow is not started without an actor, a contract in force, or a contract at hand', async () => {
    const rig = new Rig(store)
    const { pay, contract } = treasury(new Bank())
    await expect(rig.live([pay])).rejects.toMatchObject({ code: 'ungoverned_flow' })
    const life = await rig.live([pay], { contract })
    await expect(life.runtime.start(pay, { invoice: '1' }, { actor: 'ann' })).rejects.toMatchObject({
      code: 'contract_not_in_force',
    })
    await new Court(() => life.store).activate(contract)
    await expect(life.runtime.start(pay, { invoice: '1' })).rejects.toMatchObject({ code: 'actor_missing' })
    expect((await life.runtime.runs()).items).toEqual([])
  })

  test.each([
    ['cents', { cents: 900 }, 901],
    ['actions', { actions: 1 }, 500],
    ['time', { runMs: 1_000 }, 500],
  ])(
    'R-F5 a run that would use more %s than its contract allows is refused the action that is one too many',
    async (_, limits, cents) => {
      const { rig, bank, life, court, made } = await begin(store, { change: (one) => ({ ...one, limits }) })
      // Reading the invoice is an action as well, and people take their time.
      const run = await life.runtime.start(made.pay, { invoice: String(cents) }, { id: 'r', actor: 'ann' })
      await untilStatus(run, 'paused')
      rig.clock.advance(1_001)
      await court.vote(run, 'tom', { resolves: 'approved' })
      const error = await failureOf(run)
      expect(error.code).toBe('limit_exceeded')
      expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ op: '2', code: 'limit_exceeded' })
      expect(bank.requestCount).toBe(0)
    },
  )

  test('C19 C38 a run that is cancelled while people are asked ends at once, and their answer comes too late', async () => {
    const { bank, pay } = await begin(store)
    const run = await pay(5_000)
    await untilStatus(run, 'paused')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    expect(bank.requestCount).toBe(0)
    expect((await kindsOf(run)).slice(-2)).toEqual(['CancelRequested', 'FlowCancelled'])
  })

  test('R-F4 an approval is used once: another op that names it is denied', async () => {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank)
    const twice = flow({
      name: 'pay-directly',
      version: 1,
      resume: { roles: ['analyst'] },
      models: 'none',
      async run(ctx) {
        const decision = await ctx.approval('treasury', {
          for: made.transfer.with({ to: 'acme', cents: 9_000 }),
          roles: ['treasurer'],
        })
        if (decision.outcome !== 'approved') return 'no'
        await ctx.do(decision.action)
        return ctx.do(decision.action)
      },
    })
    const life = await rig.live([twice], { contract: made.contract })
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const run = await life.runtime.start(twice, { cents: 1 }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    await court.vote(run, 'tom', { resolves: 'approved' })
    await failureOf(run)
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ op: '2', code: 'approval_used' })
    expect(bank.requestCount).toBe(1)
  })

  test('R-F4 another input than the approved one is denied', async () => {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank)
    const other = flow({
      name: 'pay-directly',
      version: 1,
      resume: { roles: ['analyst'] },
      models: 'none',
      async run(ctx) {
        const decision = await ctx.approval('treasury', {
          for: made.transfer.with({ to: 'acme', cents: 9_000 }),
          roles: ['treasurer'],
        })
        if (decision.outcome !== 'approved') return 'no'
        return ctx.do({ ...decision.action, input: { to: 'mallory', cents: 9_000 } })
      },
    })
    const life = await rig.live([other], { contract: made.contract })
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const run = await life.runtime.start(other, { cents: 1 }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    await court.vote(run, 'tom', { resolves: 'approved' })
    await failureOf(run)
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: 'approval_other_input' })
    expect(bank.requestCount).toBe(0)
  })

  test('R-D9 several approvals wait in one run and are told apart', async () => {
    const rig = new Rig(store)
    const made = treasury(new Bank())
    const both = flow({
      name: 'pay-directly',
      version: 1,
      resume: { roles: ['analyst'] },
      models: 'none',
      async run(ctx) {
        return ctx.parallel([
          async (a) => (await a.approval('one', { roles: ['treasurer'], question: 'One?' })).outcome,
          async (b) => (await b.approval('two', { roles: ['treasurer'], question: 'Two?' })).outcome,
        ])
      },
    })
    const life = await rig.live([both], { contract: made.contract })
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const run = await life.runtime.start(both, { cents: 1 }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    expect((await run.row()).waitingFor.map(({ op, name }) => `${op} ${name}`)).toEqual(['0.0.0 one', '0.1.0 two'])
    await court.vote(run, 'tom', { op: '0.1.0', resolves: 'rejected', choice: 'reject' })
    await until(async () => (await kindsOf(run)).includes('ResumeAuthorized'), 'the second is answered')
    await untilStatus(run, 'paused')
    await court.vote(run, 'tom', { op: '0.0.0', resolves: 'approved' })
    expect(await run.result()).toEqual(['approved', 'rejected'])
  })
})
