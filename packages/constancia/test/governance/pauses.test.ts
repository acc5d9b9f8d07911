import { days, flow, type GovernedRuntime, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, rejection, type StoreName, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

const common = { name: 'pay-directly', resume: { roles: ['analyst'] }, models: 'none' } as const
const policy = { roles: ['treasurer'], notBy: 'actor' } as const

type Made = ReturnType<typeof treasury>

/** A flow that asks and pays, in a version. */
function payer({ transfer }: Made, version: number, cents: number, word = 'treasury') {
  return flow({
    ...common,
    version,
    async run(ctx) {
      const decision = await ctx.approval(word, {
        for: transfer.with({ to: 'acme', cents }),
        ...policy,
        within: days(90),
      })
      return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
    },
  })
}

async function office(store: StoreName, versions: readonly number[] = [1]) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank)
  const flows = versions.map((version) => payer(made, version, version * 5_000))
  const { contract } = treasury(bank, { change: (one) => ({ ...one, flows }) })
  const life = await rig.live(flows, { contract })
  const court = new Court(() => life.store)
  await court.activate(contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  return { rig, bank, made, flows, contract, life, court }
}

const begins = async (
  runtime: GovernedRuntime['start'] extends never ? never : GovernedRuntime,
  each: ReturnType<typeof payer>,
  id: string,
): Promise<Run> => {
  const run = await runtime.start(each, null as never, { id, actor: 'ann' })
  await untilStatus(run, 'paused')
  return run
}

async function vote(runtime: GovernedRuntime, id: string, more: object = {}): Promise<string> {
  const asked = (await runtime.run(id).events()).findLast(({ kind }) => kind === 'ApprovalRequested')
  const { op, shown } = JSON.parse(asked?.body ?? '{}')
  const request = { run: id, op, voter: 'tom', choice: 'approve' as const, shown, ...more }
  return runtime.governance.vote(request).then(
    () => 'counts',
    ({ details }) => `${details.reason}, ${details.stands}`,
  )
}

describe.each(stores)('on %s', (store) => {
  test('R-B4 over a deploy each run that waits for people goes on in the version that it has, under the contract that it is bound to', async () => {
    const { rig, bank, made, flows, contract, life, court } = await office(store)
    const [one] = flows as [ReturnType<typeof payer>]
    await begins(life.runtime as GovernedRuntime, one, 'old')
    await life.crash()
    const two = payer(made, 2, 7_000)
    const newer = treasury(bank, { version: '2', change: (declared) => ({ ...declared, flows: [one, two] }) }).contract
    const next = await rig.live([one, two], { contract: newer })
    const runtime = next.runtime as GovernedRuntime
    await new Court(() => next.store).activate(newer)
    await begins(runtime, two, 'new')
    for (const id of ['old', 'new']) expect(await vote(runtime, id)).toBe('counts')
    for (const id of ['old', 'new']) await runtime.run(id).result()
    expect([...bank.done].map(([key, { cents }]) => `${key} ${cents}`).sort()).toEqual(['new/1 7000', 'old/1 5000'])
    const bound = async (id: string): Promise<string> =>
      JSON.parse((await runtime.run(id).events())[0]?.body ?? '{}').contract
    expect([await bound('old'), await bound('new')]).toEqual([contract.digest, newer.digest])
    expect(court).toBeDefined()
  })

  test('R-B4 a run whose version the deploy has not brought along waits for a worker that has it, and votes are taken meanwhile', async () => {
    const { rig, bank, made, flows, contract, life } = await office(store)
    const [one] = flows as [ReturnType<typeof payer>]
    await begins(life.runtime as GovernedRuntime, one, 'old')
    await life.crash()
    const two = payer(made, 2, 7_000)
    const newer = treasury(bank, { version: '2', change: (declared) => ({ ...declared, flows: [two] }) }).contract
    const next = await rig.live([two], { contract: newer })
    const runtime = next.runtime as GovernedRuntime
    expect(await vote(runtime, 'old')).toBe('counts')
    expect(await runtime.rehearse('old')).toMatchObject({ kind: 'no_code', version: 1 })
    await until(async () => (await runtime.run('old').row()).status === 'ready', 'it is due')
    expect(bank.requestCount).toBe(0)
    const third = await rig.live([one], { contract })
    await third.runtime.run('old').result()
    expect(bank.requestCount).toBe(1)
  })

  test('R-B4 R-B8 a rehearsal replays paused runs against the code at hand, executes nothing, and finds what would diverge', async () => {
    const { rig, bank, made, flows, contract, life } = await office(store, [1, 2])
    const [one, two] = flows as [ReturnType<typeof payer>, ReturnType<typeof payer>]
    const runtime = life.runtime as GovernedRuntime
    await begins(runtime, one, 'one')
    await begins(runtime, two, 'two')
    await life.crash()
    const renamed = payer(made, 2, 10_000, 'board')
    const check = await rig.live([one, renamed], { contract, worker: false })
    const before = await kindsOf(check.runtime.run('one'))
    expect(await check.runtime.rehearse('one')).toEqual({ kind: 'replays' })
    expect(await check.runtime.rehearse('two')).toMatchObject({ kind: 'diverges' })
    // Decided, and not yet handed over: still nothing executes.
    expect(await vote(check.runtime as GovernedRuntime, 'one')).toBe('counts')
    expect(await check.runtime.rehearse('one')).toEqual({ kind: 'replays' })
    expect(await kindsOf(check.runtime.run('one'))).toEqual([...before, 'ApprovalVoted', 'ApprovalResolved'])
    expect(bank.requestCount).toBe(0)
  })

  test('C16 an approval of ninety days, through a restart on the last but one: nothing fires early, and then once', async () => {
    const { rig, flows, contract, life, bank } = await office(store)
    const [one] = flows as [ReturnType<typeof payer>]
    await begins(life.runtime as GovernedRuntime, one, 'r')
    const { wakeAtMs = 0 } = await life.runtime.run('r').row()
    expect(wakeAtMs - rig.clock.now()).toBe(days(90))
    await rig.advance(days(89))
    const next = await rig.succeed(life, [one], { contract })
    const run = next.runtime.run('r')
    await rig.advance(wakeAtMs - rig.clock.now() - 1)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'ApprovalRequested'])
    await rig.advance(1)
    expect(await run.result()).toBe('expired')
    expect(await vote(next.runtime as GovernedRuntime, 'r')).toBe('resolved_already, expired')
    await rig.advance(days(400))
    expect((await kindsOf(run)).filter((kind) => kind === 'ApprovalResolved')).toHaveLength(1)
    expect(bank.requestCount).toBe(0)
  })

  test('R-D6 R-D7 a vote after the deadline does not count, although nobody was there to write down that it had passed', async () => {
    const { rig, flows, contract, life, bank } = await office(store)
    const [one] = flows as [ReturnType<typeof payer>]
    await begins(life.runtime as GovernedRuntime, one, 'r')
    await life.crash()
    rig.clock.advance(days(90))
    const away = await rig.live([one], { contract, worker: false })
    expect(await vote(away.runtime as GovernedRuntime, 'r')).toBe('too_late, expired')
    await away.crash()
    const back = await rig.live([one], { contract })
    expect(await back.runtime.run('r').result()).toBe('expired')
    expect(bank.requestCount).toBe(0)
  })

  test('C25 a late answer to the first request decides nothing about the second of the same run', async () => {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank)
    const twice = flow({
      ...common,
      version: 1,
      async run(ctx) {
        const outcomes: string[] = []
        for (const cents of [9_000, 8_000]) {
          const decision = await ctx.approval('treasury', { for: made.transfer.with({ to: 'acme', cents }), ...policy })
          outcomes.push(decision.outcome)
          if (decision.outcome === 'approved') await ctx.do(decision.action)
        }
        return outcomes
      },
    })
    const life = await rig.live([twice], { contract: made.contract })
    const runtime = life.runtime as GovernedRuntime
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const run = await runtime.start(twice, null as never, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    const [first] = (await run.events()).filter(({ kind }) => kind === 'ApprovalRequested')
    const { op, shown } = JSON.parse(first?.body ?? '{}')
    expect(await vote(runtime, 'r', { choice: 'reject' })).toBe('counts')
    await until(
      async () => (await kindsOf(run)).filter((kind) => kind === 'ApprovalRequested').length === 2,
      'it asks again',
    )
    await untilStatus(run, 'paused')
    expect(await vote(runtime, 'r', { op, shown })).toBe('resolved_already, rejected')
    expect(await vote(runtime, 'r', { shown })).toBe('other_digest, open')
    expect(
      (await rejection(runtime.governance.vote({ run: 'r', op: '', voter: 'tom', choice: 'approve', shown }))).message,
    ).not.toBe('')
    expect((await run.row()).status).toBe('paused')
    expect(bank.requestCount).toBe(0)
    expect(await vote(runtime, 'r')).toBe('counts')
    expect(await run.result()).toEqual(['rejected', 'approved'])
    expect([...bank.done.values()]).toEqual([{ to: 'acme', cents: 8_000 }])
  })
})
