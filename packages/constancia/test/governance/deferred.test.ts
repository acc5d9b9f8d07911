import { flow, type GovernedRuntime, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, leaseMs, Rig, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

describe.each(stores)('on %s', (store) => {
  async function begin(models: 'deferred' | 'after-approval' | 'none') {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank, { models })
    // It might call a model, and asks people first.
    const asking = flow({
      name: 'pay-directly',
      version: 1,
      resume: { roles: ['analyst'] },
      models,
      async run(ctx, { cents }: { readonly cents: number }) {
        const decision = await ctx.approval('treasury', {
          for: made.transfer.with({ to: 'acme', cents }),
          roles: ['treasurer'],
        })
        return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
      },
    })
    const flows = { asking, direct: made.direct }
    const open = async (name: keyof typeof flows) => {
      const life = await rig.live([flows[name]], { contract: made.contract })
      return { life, governance: (life.runtime as GovernedRuntime).governance, court: new Court(() => life.store) }
    }
    const start = async (name: keyof typeof flows) => {
      const { life, court, governance } = await open(name)
      await court.activate(made.contract)
      await court.grant('ann', 'analyst')
      await court.grant('tom', 'treasurer')
      const run: Run = await life.runtime.start(flows[name], { cents: 5_000 }, { id: 'r', actor: 'ann' })
      await untilStatus(run, 'paused')
      await court.vote(run, 'tom', { resolves: 'approved' })
      return { life, court, governance, run }
    }
    return { rig, bank, open, start }
  }

  const waits = (run: Run): Promise<void> =>
    until(async () => (await run.row()).waitingFor[0]?.kind === 'message', 'it waits for a message')

  describe.each(['asking', 'direct'] as const)('a flow that is %s', (name) => {
    test('R-E5 what may call a model executes nothing after an approval: the user is told, and their next message lets it go on', async () => {
      const { rig, bank, start, open } = await begin('deferred')
      const { run, life } = await start(name)
      await waits(run)
      expect((await run.row()).status).toBe('paused')
      expect((await kindsOf(run)).slice(-2)).toEqual(['ResumeDeferred', 'MessageSent'])
      expect(bank.requestCount).toBe(0)
      // Whoever takes it up executes nothing either, and says nothing again.
      await life.crash()
      rig.clock.advance(leaseMs + 1)
      const next = await open(name)
      expect(await next.governance.proceed({ run: 'r', by: 'ann' })).toEqual({ kind: 'resumed' })
      await next.life.runtime.run('r').result()
      expect(bank.requestCount).toBe(1)
      const kinds = await kindsOf(next.life.runtime.run('r'))
      expect(kinds.filter((kind) => kind.startsWith('Resume'))).toEqual(['ResumeDeferred', 'ResumeAuthorized'])
      expect(await next.governance.proceed({ run: 'r', by: 'ann' })).toEqual({ kind: 'nothing_waits' })
    })

    test('R-E7 roles are read again with the message: whoever may not go on is told so, and the run stays paused', async () => {
      const { bank, start } = await begin('deferred')
      const { run, court, governance } = await start(name)
      await waits(run)
      await court.revoke('ann', 'analyst')
      const denied = { kind: 'denied', wanted: ['analyst'] }
      expect(await governance.proceed({ run: 'r', by: 'ann' })).toEqual(denied)
      expect(await governance.proceed({ run: 'r', by: 'ann' })).toEqual(denied)
      expect((await kindsOf(run)).filter((kind) => kind === 'ResumeDenied')).toHaveLength(1)
      await waits(run)
      await court.grant('ann', 'analyst')
      expect(await governance.proceed({ run: 'r', by: 'ann' })).toEqual({ kind: 'resumed' })
      await run.result()
      expect(bank.requestCount).toBe(1)
    })

    test('R-E1 nobody but the actor of a run lets it go on', async () => {
      const { bank, start } = await begin('deferred')
      const { run, governance } = await start(name)
      await waits(run)
      await expect(governance.proceed({ run: 'r', by: 'tom' })).rejects.toMatchObject({ code: 'not_permitted' })
      await expect(governance.proceed({ run: 'other', by: 'ann' })).rejects.toMatchObject({ code: 'unknown_run' })
      expect(bank.requestCount).toBe(0)
    })

    test('C19 a run that waits for a message can be cancelled, and executes nothing', async () => {
      const { bank, start } = await begin('deferred')
      const { run } = await start(name)
      await waits(run)
      await run.cancel()
      await untilStatus(run, 'cancelled')
      expect(bank.requestCount).toBe(0)
    })

    test.each(['none', 'after-approval'] as const)('R-E5 R-E6 with models: %s it goes on by itself', async (models) => {
      const { bank, start } = await begin(models)
      const { run } = await start(name)
      await run.result()
      expect(bank.requestCount).toBe(1)
      expect(await kindsOf(run)).not.toContain('ResumeDeferred')
    })
  })
})
