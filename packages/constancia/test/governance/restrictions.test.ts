import { days, flow, type GovernedRuntime, type ModelPolicy, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { nextRunId, parseRunId } from '../../dist/journal/index.js'
import { kindsOf, Rig, stores, until, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

/** What a generation does about models; `plain` is governed by nothing. */
type Models = ModelPolicy | 'plain'

interface Asking {
  readonly asks?: boolean
  /** Milliseconds that it sleeps afterwards. */
  readonly thenFor?: number
  readonly isFirst?: boolean
}

const analysts = { version: 1, resume: { roles: ['analyst'] } } as const

describe.each(stores)('on %s', (store) => {
  /** A run, its child, and the child of that one, which has a payment approved. Each takes a step afterwards. */
  async function family({ top, middle }: { readonly top: Models; readonly middle: Models }) {
    const rig = new Rig(store)
    const steps: string[] = []
    const bank = new Bank()
    const { transfer } = treasury(bank)
    const { pay } = treasury(bank)
    const asking = flow({
      version: 1,
      name: 'asking',
      resume: { roles: ['clerk', 'analyst'] },
      models: 'none',
      async run(ctx, { asks = true, thenFor = 0, isFirst = false }: Asking) {
        if (asks) await ctx.approval('treasury', { for: transfer.with(payment), roles: ['treasurer'] })
        if (thenFor > 0) await ctx.sleep(thenFor)
        return isFirst ? ctx.continueAsNew({ asks: false }) : 'asked'
      },
    })
    const generation = (name: string, models: Models, below: (ctx: never) => Promise<unknown>) => {
      const run = async (ctx: { step: (name: string, act: () => void) => Promise<void> }): Promise<unknown> => {
        const came = await below(ctx as never).catch((error: Error) => error.message)
        await ctx.step('rest', () => void steps.push(name))
        return came
      }
      return models === 'plain'
        ? flow({ name, version: 1, run: run as never })
        : flow({ ...analysts, name, models, run: run as never })
    }
    return { rig, bank, pay, asking, generation, steps, top, middle }
  }

  const payment = { to: 'acme', cents: 5_000 }

  /** The three of them, under way until the youngest asks people. */
  async function begin(given: { readonly top: Models; readonly middle: Models; readonly input?: Asking }) {
    const { rig, bank, pay, asking, generation, steps, top, middle } = await family(given)
    type Calls = { call: (flow: unknown, input: unknown) => Promise<unknown> }
    const parent = generation('middle', middle, (ctx: Calls) => ctx.call(asking, given.input ?? {}))
    const oldest = generation('top', top, (ctx: Calls) => ctx.call(parent, undefined))
    const governed = [asking, parent, oldest].filter((one) => one !== undefined && 'resume' in one) as never[]
    const { contract } = treasury(bank, {
      change: (one) => ({
        ...one,
        roles: { ...one.roles, clerk: 'helps' },
        flows: [...one.flows, ...governed],
      }),
    })
    const life = await rig.live([pay, asking, parent, oldest], { contract })
    const court = new Court(() => life.store)
    await court.activate(contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const runtime = life.runtime as GovernedRuntime
    const run: Run = await runtime.start(oldest as never, undefined as never, { id: 'r', actor: 'ann' })
    const [child, grandchild] = [runtime.run('r~0'), runtime.run('r~0~0')]
    const approve = () => court.vote(grandchild, 'tom', { resolves: 'approved' })
    return { rig, court, life, runtime, run, child, grandchild, approve, steps }
  }

  const waits = (run: Run): Promise<void> =>
    until(async () => (await run.row()).waitingFor[0]?.kind === 'message', `${run.id} waits for a message`)

  /** What the end of its child says in the journal of a run. */
  const told = async (run: Run): Promise<unknown> =>
    JSON.parse((await run.events()).findLast(({ kind }) => kind === 'ChildEnded')?.body ?? '{}')

  const completed = { op: '0', outcome: 'completed' }

  test.each([
    ['none', 'none'],
    ['after-approval', 'after-approval'],
    ['plain', 'none'],
  ] as const)('R-E5 R-E6 a family of %s over %s goes on by itself after an approval', async (top, middle) => {
    const { run, child, grandchild, approve, steps } = await begin({ top, middle })
    await untilStatus(grandchild, 'paused')
    await approve()
    await run.result()
    expect(steps).toEqual(['middle', 'top'])
    expect([await told(child), await told(run)]).toEqual([
      { ...completed, restricts: true },
      { ...completed, restricts: true },
    ])
    for (const one of [run, child]) expect(await kindsOf(one)).not.toContain('ResumeDeferred')
  })

  test.each(['none', 'after-approval', 'plain'] as const)(
    'R-E5 what may call a model waits for its user after an approval in a child of its child, over one that is %s',
    async (middle) => {
      const { run, child, grandchild, approve, steps, runtime } = await begin({ top: 'deferred', middle })
      await untilStatus(grandchild, 'paused')
      await approve()
      await waits(run)
      expect((await kindsOf(run)).slice(-3)).toEqual(['ChildEnded', 'ResumeDeferred', 'MessageSent'])
      expect([steps, (await child.row()).status]).toEqual([['middle'], 'completed'])
      expect(await runtime.governance.proceed({ run: 'r', by: 'ann' })).toEqual({ kind: 'resumed' })
      await run.result()
      expect(steps).toEqual(['middle', 'top'])
    },
  )

  test('R-E5 one message is enough: what went on with it restricts nobody above it any more', async () => {
    const { run, child, grandchild, approve, steps, runtime } = await begin({ top: 'deferred', middle: 'deferred' })
    await untilStatus(grandchild, 'paused')
    await approve()
    await waits(child)
    expect(steps).toEqual([])
    expect(await runtime.governance.proceed({ run: child.id, by: 'ann' })).toEqual({ kind: 'resumed' })
    await run.result()
    expect([await told(child), await told(run)]).toEqual([{ ...completed, restricts: true }, completed])
    expect(await kindsOf(run)).not.toContain('ResumeDeferred')
  })

  test('R-E5 C19 a child that is cancelled while it waits for a message restricts its parent all the same', async () => {
    const { run, child, grandchild, approve, steps } = await begin({ top: 'deferred', middle: 'deferred' })
    await untilStatus(grandchild, 'paused')
    await approve()
    await waits(child)
    await child.cancel()
    await waits(run)
    expect(await told(run)).toEqual({ op: '0', outcome: 'cancelled', restricts: true })
    expect(steps).toEqual([])
  })

  test('R-E5 a child that is ended by force after an approval restricts its parent', async () => {
    const input = { thenFor: days(1) }
    const { run, child, grandchild, approve, steps } = await begin({ top: 'none', middle: 'deferred', input })
    await untilStatus(grandchild, 'paused')
    await approve()
    await untilStatus(grandchild, 'waiting')
    await grandchild.cancel({ force: true })
    await waits(child)
    expect([steps, (await run.row()).status]).toEqual([[], 'waiting'])
  })

  test('R-E3 R-E5 a child that may not go on after an approval restricts its parent', async () => {
    const { rig, court, child, grandchild, approve, steps } = await begin({
      top: 'none',
      middle: 'deferred',
      input: { thenFor: days(1) },
    })
    await untilStatus(grandchild, 'paused')
    await approve()
    await untilStatus(grandchild, 'waiting')
    await court.revoke('ann', 'analyst')
    await rig.advance(days(1))
    await until(async () => (await kindsOf(child)).includes('FlowFailed'), 'the child is denied')
    // What its own child told it is in its journal; whether it may go on at all is asked first.
    expect(await told(child)).toEqual({ op: '0', outcome: 'failed', restricts: true })
    expect(steps).toEqual([])
  })

  test('R-E5 the last of runs that took over from each other passes on what people decided in the first', async () => {
    const input = { isFirst: true }
    const { run, child, grandchild, approve, steps, runtime } = await begin({ top: 'none', middle: 'deferred', input })
    await untilStatus(grandchild, 'paused')
    await approve()
    await waits(child)
    expect((await runtime.run(nextRunId(parseRunId('r~0~0'))).row()).status).toBe('completed')
    expect(await told(child)).toEqual({ ...completed, restricts: true })
    expect([steps, (await run.row()).status]).toEqual([[], 'waiting'])
  })

  test('R-E5 a child in which nobody decided anything restricts nobody', async () => {
    const input = { asks: false, thenFor: days(1) }
    const { rig, run, child, grandchild, steps } = await begin({ top: 'deferred', middle: 'deferred', input })
    await untilStatus(grandchild, 'waiting')
    await rig.advance(days(1))
    await run.result()
    expect([await told(child), await told(run)]).toEqual([completed, completed])
    expect(steps).toEqual(['middle', 'top'])
  })
})
