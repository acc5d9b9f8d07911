import { days, flow, type GovernedContext, type GovernedRuntime, NotDispatched, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, rejection, type StoreName, stores, until, untilStatus } from '../engine/rig.js'
import { isCampaign } from '../processes/campaign.js'
import { Court, forges } from './court.js'
import { Judge } from './judge.js'
import { Bank, treasury } from './treasury.js'

type Made = ReturnType<typeof treasury>
type Plan = (ctx: GovernedContext, made: Made) => Promise<unknown>

const payment = { to: 'acme', cents: 9_000 }
const policy = { roles: ['treasurer'], notBy: 'actor', within: days(4), amendable: true } as const

/** A run of a plan, by ann, under the law of a treasury in which tom releases. */
async function office(store: StoreName, plan: Plan, given: Parameters<typeof treasury>[1] = {}) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank, given)
  const planned = flow({
    name: 'pay-directly',
    version: 1,
    resume: { roles: ['analyst'] },
    models: 'none',
    run: (ctx) => plan(ctx, made),
  })
  const life = await rig.live([planned, made.pay], { contract: made.contract })
  const court = new Court(() => life.store)
  await court.activate(made.contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  const runtime = life.runtime as GovernedRuntime
  const start = (id = 'r', actor = 'ann'): Promise<Run> => runtime.start(planned, null as never, { id, actor })
  return { rig, bank, made, life, court, runtime, start }
}

async function requestsOf(run: Run): Promise<{ op: string; shown: string; text: string }[]> {
  const asked = (await run.events()).filter(({ kind }) => kind === 'ApprovalRequested')
  return asked.map(({ body, data = '' }) => ({ ...(JSON.parse(body) as { op: string; shown: string }), text: data }))
}

async function votes(runtime: GovernedRuntime, run: Run, more: Record<string, unknown> = {}): Promise<string> {
  const asked = (await requestsOf(run)).at(-1)
  const request = {
    run: run.id,
    op: asked?.op ?? '0',
    shown: asked?.shown ?? '',
    voter: 'tom',
    choice: 'approve',
    ...more,
  }
  try {
    await runtime.governance.vote(request as never)
    return 'counts'
  } catch (error) {
    const { code, details } = error as { code?: string; details?: { reason: string; stands: string } }
    return details?.reason === undefined ? String(code) : `${details.reason}, ${details.stands}`
  }
}

async function denialOf(run: Run): Promise<string> {
  await rejection(run.result())
  const denied = (await run.events()).findLast(({ kind }) => kind === 'ActionDenied')
  return denied === undefined ? 'nothing' : JSON.parse(denied.body).code
}

const asks: Plan = async (ctx, { transfer }) => {
  const decision = await ctx.approval('treasury', { for: transfer.with(payment), ...policy })
  return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
}

describe.each(stores)('on %s', (store) => {
  test('threat 1 an approval that was forged in any of its parts is refused and recorded; what is no vote decides nothing', async () => {
    const { bank, runtime, start, life } = await office(store, asks)
    const [run, other] = [await start(), await start('other')]
    for (const each of [run, other]) await untilStatus(each, 'paused')
    const [theirs] = await requestsOf(other)
    const forged: [Record<string, unknown>, string][] = [
      [{ voter: 'mallory' }, 'role_missing, open'],
      [{ voter: 'ann' }, 'role_missing, open'],
      [{ shown: theirs?.shown }, 'other_digest, open'],
      [{ shown: '' }, 'other_digest, open'],
      [{ shown: undefined }, 'other_digest, open'],
      [{ op: '7' }, 'unknown_approval, open'],
      [{ run: 'nobody' }, 'unknown_run, nothing'],
      [{ amended: { to: 'acme', cents: -1 } }, 'amended_unfit, open'],
      [{ amended: { action: 'bank.close' } }, 'amended_unfit, open'],
      [{ op: '../0' }, 'invalid_option'],
      [{ choice: 'approved' }, 'invalid_option'],
      [{ voter: '' }, 'invalid_id'],
    ]
    for (const [parts, told] of forged) expect(await votes(runtime, run, parts), JSON.stringify(parts)).toBe(told)
    const refusals = await life.store.read('refusals' as never)
    expect(refusals).toHaveLength(forged.filter(([, told]) => told.includes(',')).length)
    await run.signal('treasury', { outcome: 'approved' })
    await run.signal('ApprovalResolved', { op: '0', outcome: 'approved' })
    await untilStatus(run, 'paused')
    expect((await kindsOf(run)).filter((kind) => kind.startsWith('Approval'))).toEqual(['ApprovalRequested'])
    expect(bank.requestCount).toBe(0)
  })

  test('threat 1 a resolution that no votes stand behind has no effect, whoever has written it', async () => {
    const { rig, bank, court, start } = await office(store, asks)
    forges(rig)
    const run = await start()
    await untilStatus(run, 'paused')
    await court.vote(run, 'mallory', { resolves: 'approved' })
    expect(await denialOf(run)).toBe('approval_lapsed')
    expect(bank.requestCount).toBe(0)
  })

  // What a plan does with what was approved, and what comes of it.
  const plans: [string, (ctx: GovernedContext, made: Made, approved: never) => unknown, string][] = [
    [
      'another input',
      (ctx, _, approved: object) => ctx.do({ ...approved, input: { ...payment, cents: 9_001 } } as never),
      'approval_other_input',
    ],
    [
      'more in the input',
      (ctx, _, approved: object) => ctx.do({ ...approved, input: { ...payment, more: null } } as never),
      'approval_other_input',
    ],
    [
      'another order of its bytes',
      (ctx, _, approved: object) => ctx.do({ ...approved, input: { cents: 9_000, to: 'acme' } } as never),
      'approval_other_input',
    ],
    [
      'another action',
      (ctx, { readInvoice }, approved: { approvedBy: never }) =>
        ctx.do({ ...readInvoice.with({ invoice: '5' }), approvedBy: approved.approvedBy }),
      'nothing',
    ],
    [
      'the same once more',
      async (ctx, _, approved) => [await ctx.do(approved), await ctx.do(approved)],
      'approval_used',
    ],
    [
      'the same twice at once',
      (ctx, _, approved) => ctx.parallel([(one) => one.do(approved), (two) => two.do(approved)]),
      'approval_used',
    ],
    [
      'an object that was changed meanwhile',
      (ctx, _, approved: { input: { cents: number } }) => {
        approved.input.cents = 1_000_000
        return ctx.do(approved as never)
      },
      'approval_other_input',
    ],
  ]
  test.each(plans)('threat 3 R-F4 C29 what was approved is what executes: not %s', async (what, does, denied) => {
    const { bank, runtime, start } = await office(store, async (ctx, made) => {
      const decision = await ctx.approval('treasury', { for: made.transfer.with(payment), ...policy })
      return decision.outcome === 'approved' ? does(ctx, made, decision.action as never) : decision.outcome
    })
    const run = await start()
    await untilStatus(run, 'paused')
    expect(await votes(runtime, run)).toBe('counts')
    if (denied === 'nothing') await run.result()
    else expect(await denialOf(run)).toBe(denied)
    expect(bank.requestCount).toBe(denied === 'approval_used' ? 1 : 0)
    expect(
      [...bank.done.values()].every(({ cents }) => cents === 9_000),
      what,
    ).toBe(true)
  })

  test('threat 3 R-D8 C29 approved with changes, only the changes execute: not what was asked for at first', async () => {
    const { bank, runtime, start } = await office(store, async (ctx, { transfer }) => {
      const decision = await ctx.approval('treasury', { for: transfer.with(payment), ...policy })
      if (decision.outcome !== 'approved') return decision.outcome
      return ctx.do({ ...decision.action, input: payment })
    })
    const run = await start()
    await untilStatus(run, 'paused')
    expect(await votes(runtime, run, { amended: { to: 'acme', cents: 50 } })).toBe('counts')
    expect(await denialOf(run)).toBe('approval_other_input')
    expect(bank.requestCount).toBe(0)
  })

  test('threat 6 the check after a pause is the check before it: the same rule, roles and scope, for each actor and input', async () => {
    const { rig, bank, court, start, life } = await office(
      store,
      (ctx, { transfer }) => ctx.do(transfer, { to: ctx.runId.startsWith('own') ? 'ann' : 'acme', cents: 5 }),
      {
        change: (one) => ({
          ...one,
          rules: one.rules.map((rule) =>
            rule.action.name === 'bank.transfer' && rule.declared.approval === null
              ? rule.when('input.to == actor.id')
              : rule,
          ),
        }),
      },
    )
    await court.grant('eve', 'analyst')
    const allowed: [string, string, boolean][] = [
      ['own-1', 'ann', true],
      ['own-2', 'eve', false],
      ['acme-1', 'ann', false],
      ['acme-2', 'eve', false],
    ]
    for (const [id, actor, isAllowed] of allowed) {
      bank.fails = [() => Promise.reject(new NotDispatched('Nobody listens.'))]
      const run = await start(id, actor)
      await untilStatus(run, isAllowed ? 'waiting' : 'paused')
      if (!isAllowed) continue
      await rig.advance(2_000)
      await run.result()
      const authorised = (await run.events())
        .filter(({ kind }) => kind === 'ActionAuthorized')
        .map(({ body }) => JSON.parse(body))
      expect(authorised).toHaveLength(2)
      expect(authorised[1]).toEqual({ ...authorised[0], attempt: 2 })
      const judge = await Judge.of(life.store)
      await judge.run(life.store, run.id)
    }
  })

  test('threat 8 R-D7 nobody approves what they asked for: under no identity, and in nobody’s place; to say no is allowed', async () => {
    const { bank, court, runtime, rig, start } = await office(store, asks)
    const untilMs = rig.clock.now() + days(900)
    const stands = (from: string, to: string): Promise<void> =>
      court.delegate({ from, to, roles: ['treasurer'], untilMs })
    for (const who of ['ann', 'ann-bot', 'boss', 'ann-mail']) await court.grant(who, 'treasurer')
    await court.link('ann-bot', 'ann')
    await court.link('ann-mail', 'ann-bot')
    await stands('ann', 'carl')
    await stands('ann-bot', 'dora')
    await stands('tom', 'ann-phone')
    await court.link('ann-phone', 'ann')
    const run = await start()
    await untilStatus(run, 'paused')
    for (const voter of ['ann', 'ann-bot', 'ann-mail', 'carl', 'dora', 'ann-phone']) {
      expect(await votes(runtime, run, { voter }), voter).toBe('own_request, open')
    }
    // Whom the actor turns out to be afterwards.
    expect(await votes(runtime, run, { voter: 'boss' })).toBe('counts')
    expect(await run.result()).toEqual({ receipt: 'r-r/1' })
    const again = await start('again')
    await untilStatus(again, 'paused')
    expect(await votes(runtime, again, { voter: 'ann-bot', choice: 'reject' })).toBe('counts')
    expect(await again.result()).toBe('rejected')
    expect(bank.requestCount).toBe(1)
  })

  test('threat 8 R-D7 one human is one of a quorum: under two identities, and as themselves and in somebody’s place', async () => {
    const { bank, court, runtime, rig, start } = await office(store, async (ctx, { transfer }) => {
      const decision = await ctx.approval('treasury', { for: transfer.with(payment), ...policy, quorum: 2 })
      return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
    })
    const untilMs = rig.clock.now() + days(900)
    for (const who of ['uma', 'tom-mail']) await court.grant(who, 'treasurer')
    for (const to of ['tom-bot', 'vic']) await court.delegate({ from: 'uma', to, roles: ['treasurer'], untilMs })
    for (const alias of ['tom-mail', 'tom-bot']) await court.link(alias, 'tom')
    const run = await start()
    await untilStatus(run, 'paused')
    expect(await votes(runtime, run)).toBe('counts')
    for (const voter of ['tom-mail', 'tom-bot'])
      expect(await votes(runtime, run, { voter })).toBe('voted_already, open')
    expect(bank.requestCount).toBe(0)
    expect(await votes(runtime, run, { voter: 'vic' })).toBe('counts')
    await run.result()
    expect(bank.requestCount).toBe(1)
  })

  test('threat 10 an approval opens one action, never the rest: whatever is wanted after it passes a gate of its own', async () => {
    const { bank, runtime, start } = await office(store, async (ctx, { transfer }) => {
      const decision = await ctx.approval('treasury', { for: transfer.with(payment), ...policy })
      if (decision.outcome !== 'approved') return decision.outcome
      await ctx.do(decision.action)
      return ctx.do(transfer, { to: 'mallory', cents: 9_000 })
    })
    const run = await start()
    await untilStatus(run, 'paused')
    expect(await votes(runtime, run)).toBe('counts')
    await until(async () => (await requestsOf(run)).length === 2, 'the second is asked for')
    await untilStatus(run, 'paused')
    expect([...bank.done.values()]).toEqual([payment])
    const [first, second] = await requestsOf(run)
    expect(await votes(runtime, run, { shown: first?.shown })).toBe('other_digest, open')
    expect(second?.text).toContain('mallory')
    expect(bank.requestCount).toBe(1)
  })

  const floodCount = store === 'memory' && isCampaign ? 10_000 : store === 'memory' ? 300 : 100
  test('threat 11 many requests of one run: each is decided by itself, and what nobody answers is denied', async () => {
    const { rig, bank, runtime, start } = await office(store, async (ctx, { transfer }) => {
      const inputs = Array.from({ length: floodCount }, (_, index) => ({ to: 'acme', cents: 9_000 + (index % 2) }))
      return ctx.map(inputs, async (input, branch) => {
        const decision = await branch.approval('treasury', { for: transfer.with(input), ...policy })
        return decision.outcome === 'approved' ? branch.do(decision.action) : decision.outcome
      })
    })
    const run = await start()
    await until(async () => (await requestsOf(run)).length === floodCount, 'all are asked for')
    await untilStatus(run, 'paused')
    const requests = await requestsOf(run)
    // Although the same is shown many times, no two have the same digest.
    expect(new Set(requests.map(({ shown }) => shown)).size).toBe(floodCount)
    expect(await votes(runtime, run, { op: requests[0]?.op, shown: requests[0]?.shown })).toBe('counts')
    await until(() => bank.requestCount === 1, 'the one is paid')
    await untilStatus(run, 'paused')
    await rig.advance(days(5))
    const results = (await run.result()) as unknown[]
    expect(results.filter((each) => each === 'expired')).toHaveLength(floodCount - 1)
    expect(bank.requestCount).toBe(1)
  })

  test('threat 26 an older, looser contract lets nobody through: neither the one that a run is bound to, nor one that comes back', async () => {
    const plan: Plan = async (ctx, { transfer }) => {
      await ctx.sleep(days(1))
      return ctx.do(transfer, { to: 'acme', cents: 5 })
    }
    const { bank, court, rig, made, start } = await office(store, plan)
    const strict = treasury(bank, {
      version: '2',
      change: (one) => ({
        ...one,
        rules: one.rules.map((rule) => (rule.declared.when === null ? rule : rule.when('input.cents < 1'))),
      }),
    })
    const goesOn = async (run: Run): Promise<void> => {
      await untilStatus(run, 'waiting')
      await rig.advance(days(1))
      // Small payments need no approval by the looser one.
      await untilStatus(run, 'paused')
    }
    const loose = await start('loose')
    await court.activate(strict.contract)
    await goesOn(loose)
    const bound = await start('bound')
    await court.activate(made.contract)
    await goesOn(bound)
    expect(bank.requestCount).toBe(0)
    const free = await start('free')
    await untilStatus(free, 'waiting')
    await rig.advance(days(1))
    await free.result()
    expect(bank.requestCount).toBe(1)
  })
})
