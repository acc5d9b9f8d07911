import { days, flow, type GovernedRuntime, noticeId, type OutboxEntry, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { nextRunId, parseRunId } from '../../dist/journal/index.js'
import { kindsOf, Rig, rejection, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

const analysts = { version: 1, resume: { roles: ['analyst'] }, models: 'none' } as const

describe.each(stores)('on %s', (store) => {
  async function begin() {
    const rig = new Rig(store)
    const bank = new Bank()
    const { transfer, ...made } = treasury(bank)
    const parent = flow({ ...analysts, name: 'parent', run: (ctx) => ctx.call(made.pay, { invoice: '250000' }) })
    const deferred = flow({
      ...analysts,
      name: 'deferred',
      models: 'deferred',
      run: (ctx) => ctx.do(transfer, { to: 'acme', cents: 5_000 }),
    })
    const chain = flow({
      ...analysts,
      name: 'chain',
      async run(ctx, { left }: { readonly left: number }): Promise<unknown> {
        await ctx.say('payment-released', { receipt: left })
        return left > 0 ? ctx.continueAsNew({ left: left - 1 }) : 'done'
      },
    })
    const { contract, pay } = treasury(bank, {
      change: (one) => ({ ...one, flows: [...one.flows, parent, deferred, chain] }),
    })
    const flows = { pay, parent, deferred, chain }
    const life = await rig.live(Object.values(flows), { contract })
    const court = new Court(() => life.store)
    await court.activate(contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const runtime = life.runtime as GovernedRuntime
    const start = (name: keyof typeof flows, input: unknown, notify = true): Promise<Run> =>
      runtime.start(flows[name] as never, input as never, { id: 'r', actor: 'ann', notify })
    /** Votes as people do, by what the journal shows. */
    const vote = async (run: Run): Promise<unknown> => {
      const asked = (await run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
      const { op, shown } = JSON.parse(asked?.body ?? '{}')
      return runtime.governance.vote({ run: run.id, op, voter: 'tom', choice: 'approve', shown })
    }
    /** Each notice as its run and the kind of its event. */
    const notices = async (): Promise<[string, string][]> => {
      const { items } = await runtime.outbox({ to: 'caller' })
      return Promise.all(items.map(async (entry) => [entry.run, await kindOf(entry)] as [string, string]))
    }
    const kindOf = async ({ run, seq }: OutboxEntry): Promise<string> =>
      (await runtime.run(run).events())[seq]?.kind ?? 'nothing'
    return { rig, bank, life, court, runtime, start, vote, notices }
  }

  const waits = (run: Run): Promise<void> =>
    until(async () => (await run.row()).waitingFor[0]?.kind === 'message', 'it waits for a message')

  const of = (run: string, ...kinds: string[]): [string, string][] => kinds.map((kind) => [run, kind])

  test('R-E13 whoever started a run is told of approvals, of messages and of its end, in the transaction of each', async () => {
    const { start, vote, notices } = await begin()
    const run = await start('pay', { invoice: '250000' })
    await untilStatus(run, 'paused')
    expect(await notices()).toEqual(of('r', 'ApprovalRequested'))
    await vote(run)
    await run.result()
    const all = of('r', 'ApprovalRequested', 'ApprovalResolved', 'MessageSent', 'FlowCompleted')
    expect(await notices()).toEqual(all)
    // What votes and steps come to in between is nothing for them.
    expect((await kindsOf(run)).length).toBeGreaterThan(all.length + 4)
  })

  test('R-E13 nobody is told of a run whose caller did not ask for it: nothing is put into the outbox', async () => {
    const { start, vote, notices } = await begin()
    const run = await start('pay', { invoice: '250000' }, false)
    await untilStatus(run, 'paused')
    await vote(run)
    await run.result()
    expect(await notices()).toEqual([])
    for (const { body } of await run.events()) expect(body).not.toContain('tells')
  })

  test('R-E13 R-E5 R-E7 the caller is told that a resumption is put off or denied, and of the turn that says so', async () => {
    const { start, vote, notices, court, runtime } = await begin()
    const run = await start('deferred', undefined)
    await untilStatus(run, 'paused')
    await vote(run)
    await waits(run)
    await court.revoke('ann', 'analyst')
    expect(await runtime.governance.proceed({ run: 'r', by: 'ann' })).toMatchObject({ kind: 'denied' })
    await run.cancel({ force: true })
    const kinds = [
      'ApprovalRequested',
      'ApprovalResolved',
      'ResumeDeferred',
      'MessageSent',
      'ResumeDenied',
      'FlowCancelled',
    ]
    expect(await notices()).toEqual(of('r', ...kinds))
  })

  test('R-E13 R-E3 the caller is told of the turn that ends a run which may not go on, and of that end', async () => {
    const { start, vote, notices, court } = await begin()
    const run = await start('pay', { invoice: '250000' })
    await untilStatus(run, 'paused')
    await court.revoke('ann', 'analyst')
    await vote(run)
    await rejection(run.result())
    expect(await notices()).toEqual(of('r', 'ApprovalRequested', 'ApprovalResolved', 'MessageSent', 'FlowFailed'))
  })

  test('R-E13 the caller is told of an approval that nobody decided in time', async () => {
    const { start, rig, notices } = await begin()
    const run = await start('pay', { invoice: '250000' })
    await untilStatus(run, 'paused')
    await rig.advance(days(5))
    await run.result()
    expect(await notices()).toEqual(of('r', 'ApprovalRequested', 'ApprovalResolved', 'FlowCompleted'))
  })

  test('R-E13 what a child asks is for the caller of its parent, and how it ends for its parent alone', async () => {
    const { start, runtime, vote, notices } = await begin()
    const run = await start('parent', undefined)
    await untilStatus(runtime.run('r~0'), 'paused')
    await vote(runtime.run('r~0'))
    await run.result()
    const ofChild = of('r~0', 'ApprovalRequested', 'ApprovalResolved', 'MessageSent')
    expect(await notices()).toEqual([...ofChild, ...of('r', 'FlowCompleted')])
    const { items } = await runtime.outbox({ to: 'caller' })
    // By the id of the run that says it: whoever started the parent knows its children by theirs.
    expect(items.map(({ target }) => target)).toEqual(['r~0', 'r~0', 'r~0', 'r'])
  })

  test('R-E13 the caller of a run is told of those that take over from it, under the id that they know', async () => {
    const { start, runtime, notices } = await begin()
    const run = await start('chain', { left: 1 })
    await run.result()
    const next = nextRunId(parseRunId('r'))
    expect(await notices()).toEqual([...of('r', 'MessageSent'), ...of(next, 'MessageSent', 'FlowCompleted')])
    const { items } = await runtime.outbox({ to: 'caller' })
    expect(items.map(({ target }) => target)).toEqual(['r', 'r', 'r'])
    expect(items.map(noticeId)).toEqual(['r/1', `${next}/1`, `${next}/2`])
  })

  test('R-E13 what was delivered is taken off and never comes back, also after a crash and a rebuild', async () => {
    const { start, rig, life, runtime, notices } = await begin()
    const run = await start('chain', { left: 0 })
    await run.result()
    const [first, second] = (await runtime.outbox({ to: 'caller' })).items
    if (first === undefined || second === undefined) throw new Error('There were to be two notices.')
    await runtime.settle(first)
    await runtime.settle(first)
    expect(await notices()).toEqual(of('r', 'FlowCompleted'))
    await life.crash()
    const next = await rig.live([], { worker: false })
    await next.runtime.rebuild()
    const { items } = await next.runtime.outbox({ to: 'caller' })
    expect(items).toEqual([second])
    expect((await rejection(next.runtime.settle({ ...first, kind: 'start' }))).code).toBe('invalid_option')
    expect(await next.runtime.purge(['r'])).toEqual(['r'])
    expect((await next.runtime.outbox({ to: 'caller' })).items).toEqual([])
  })
})
