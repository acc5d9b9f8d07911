import { days, flow, type GovernedRuntime, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { nextRunId, parseRunId, type RunId } from '../../dist/journal/index.js'
import { kindsOf, Rig, rejection, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Judge } from './judge.js'
import { Bank, treasury } from './treasury.js'

const common = { version: 1, resume: { roles: ['analyst'] }, models: 'none' } as const

function chainOf(id: string): readonly [RunId, RunId, RunId] {
  const first = parseRunId(id)
  const second = nextRunId(first)
  return [first, second, nextRunId(second)]
}

describe.each(stores)('on %s', (store) => {
  /** A parent that has its payment made by a child, and lets go of something whatever becomes of it. */
  async function family() {
    const rig = new Rig(store)
    const bank = new Bank()
    let releaseCount = 0
    const { pay, transfer } = treasury(bank)
    const parent = flow({
      ...common,
      name: 'parent',
      async run(ctx, { cents }: { readonly cents: number }) {
        try {
          return await ctx.call(pay, { invoice: String(cents) })
        } finally {
          await ctx.step('release', () => {
            releaseCount += 1
          })
        }
      },
    })
    const plain = flow({ name: 'plain', version: 1, run: (ctx) => ctx.call(pay, { invoice: '250000' }) })
    const chain = flow({
      ...common,
      name: 'chain',
      async run(ctx, { left }: { readonly left: number }): Promise<unknown> {
        await ctx.sleep(days(1))
        return left > 0 ? ctx.continueAsNew({ left: left - 1 }) : ctx.do(transfer, { to: 'acme', cents: 5 })
      },
    })
    const made = treasury(bank, { change: (one) => ({ ...one, flows: [...one.flows, parent, chain] }) })
    const flows = [made.pay, parent, plain, chain]
    const life = await rig.live(flows, { contract: made.contract })
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const runtime = life.runtime as GovernedRuntime
    const begins = async (top: typeof parent | typeof plain, actor?: string): Promise<{ run: Run; child: Run }> => {
      const who = actor === undefined ? {} : { actor }
      const run = await runtime.start(top as typeof parent, { cents: 250_000 }, { id: 'p', ...who })
      await until(async () => (await kindsOf(run)).includes('ChildStarted'), 'the child is asked for')
      const started = (await run.events()).find(({ kind }) => kind === 'ChildStarted')
      return { run, child: runtime.run(JSON.parse(started?.body ?? '{}').child) }
    }
    const vote = async (run: Run): Promise<unknown> => {
      const asked = (await run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
      const { op, shown } = JSON.parse(asked?.body ?? '{}')
      return runtime.governance.vote({ run: run.id, op, voter: 'tom', choice: 'approve', shown })
    }
    const judged = async (...runs: Run[]): Promise<number> => {
      const judge = await Judge.of(life.store)
      for (const run of runs) await judge.run(life.store, run.id)
      return judge.judged.get('ResumeAuthorized') ?? 0
    }
    return {
      rig,
      bank,
      made,
      life,
      court,
      runtime,
      parent,
      plain,
      chain,
      begins,
      vote,
      judged,
      releaseCount: () => releaseCount,
    }
  }

  const startOf = async (run: Run) => JSON.parse((await run.events())[0]?.body ?? '{}')

  test('R-E1 R-B8 a child acts as the actor of its parent, under the same contract, and both pauses are governed', async () => {
    const { made, parent, begins, vote, judged } = await family()
    const { run, child } = await begins(parent, 'ann')
    await untilStatus(child, 'paused')
    expect(await startOf(child)).toMatchObject({ actor: 'ann', contract: made.contract.digest })
    await vote(child)
    expect(await run.result()).toMatchObject({ paid: true })
    expect((await kindsOf(run)).slice(1)).toEqual([
      'ChildStarted',
      'ChildEnded',
      'ResumeAuthorized',
      'StepCompleted',
      'FlowCompleted',
    ])
    expect(await judged(run, child)).toBe(2)
  })

  test('R-E3 R-B8 the actor lost the role while a child waits for people: the child executes nothing, and its parent neither', async () => {
    const { bank, court, parent, begins, vote, releaseCount } = await family()
    const { run, child } = await begins(parent, 'ann')
    await untilStatus(child, 'paused')
    await court.revoke('ann', 'analyst')
    await vote(child)
    expect((await rejection(child.result())).cause).toMatchObject({ code: 'resume_denied' })
    expect((await rejection(run.result())).cause).toMatchObject({ code: 'resume_denied' })
    expect([bank.requestCount, releaseCount()]).toEqual([0, 0])
  })

  test('R-E1 R-E4 a child of a run that no contract governs is bound like a run that starts now; one that acts as nobody may do nothing', async () => {
    const { made, plain, begins } = await family()
    const { child } = await begins(plain, 'ann')
    await untilStatus(child, 'paused')
    expect(await startOf(child)).toMatchObject({ actor: 'ann', contract: made.contract.digest })
  })

  test('R-E1 R-E3 a child that acts as nobody is denied whatever it wants', async () => {
    const { bank, plain, begins } = await family()
    const { run, child } = await begins(plain)
    await rejection(run.result())
    expect(await startOf(child)).toMatchObject({ actor: null, contract: null })
    expect(await kindsOf(child)).toContain('ActionDenied')
    expect(bank.requestCount).toBe(0)
  })

  test('R-E1 a run that takes over acts as the same actor under the same contract, and is asked again after each of its waits', async () => {
    const { rig, made, runtime, chain, bank, judged } = await family()
    await runtime.start(chain, { left: 2 }, { id: 'c', actor: 'ann' })
    const [first, second, third] = chainOf('c')
    for (const id of [first, second, third]) {
      await untilStatus(runtime.run(id), 'waiting')
      await rig.advance(days(1))
    }
    const last = runtime.run(third)
    await until(async () => (await last.row()).outcome !== 'open', 'it ends')
    const runs = (await runtime.runs()).items
    for (const { id } of runs)
      expect(await startOf(runtime.run(id))).toMatchObject({ actor: 'ann', contract: made.contract.digest })
    expect(bank.requestCount).toBe(1)
    expect(await judged(...runs.map(({ id }) => runtime.run(id)))).toBe(3)
  })

  test('C20 R-B8 cancelled while a child waits for people: the question is closed, the clean-up runs once, and an answer is too late', async () => {
    const { bank, parent, begins, vote, releaseCount } = await family()
    const { run, child } = await begins(parent, 'ann')
    await untilStatus(child, 'paused')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    expect((await child.row()).status).toBe('cancelled')
    expect(await rejection(vote(child) as Promise<unknown>)).toMatchObject({
      code: 'vote_refused',
      details: { reason: 'run_ended', stands: 'cancelled' },
    })
    expect([bank.requestCount, releaseCount()]).toEqual([0, 1])
    expect((await kindsOf(run)).at(-1)).toBe('FlowCancelled')
  })
})
