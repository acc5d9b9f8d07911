import { describe, expect, test } from 'vitest'
import { days, type Flow, type FlowContext, flow, type RunId } from '../../dist/index.js'
import { type CrashReport, crashTest } from '../../dist/testing/index.js'

function flowOf(run: (ctx: FlowContext) => Promise<unknown>): Flow<undefined, unknown> {
  return flow<undefined>({ name: 'under-test', version: 1, run })
}

describe('a family of runs', () => {
  const parentOf = (child: Flow<undefined, unknown>): Flow<undefined, unknown> =>
    flow<undefined>({ name: 'parent', version: 1, run: async (ctx) => (await ctx.call(child, undefined)) ?? 0 })

  test('R-B8 a child is compared as well, by its id', async () => {
    let lives = 0
    const destination = {
      reset: () => {
        lives = 0
      },
      accepted: () => ({}),
    }
    const child = flowOf((ctx) => {
      lives += 1
      return ctx.step('count', () => (lives === 1 ? 'first' : 'second')).then(() => 'counted')
    })
    const outcome = crashTest({ flow: parentOf(child), input: undefined, flows: [child], destination })
    await expect(outcome).rejects.toThrow(
      /in run crash-test~0, event 1 is StepCompleted .* "second" where the run without a crash has .* "first"/,
    )
  })

  test('R-B8 T1 what runs tell each other has places of its own, and whoever waits for a signal is named', async () => {
    const child = flowOf((ctx) => ctx.step('one', () => 1))
    const report = await crashTest({ flow: parentOf(child), input: undefined, flows: [child] })
    const told = report.counts.filter(({ place }) => place === 'around a dispatch')
    // The start of the child and its end, before and after.
    expect(told.map(({ trial, tried }) => `${trial} ${tried}`)).toEqual(['crash 4', 'takeover 8'])
    expect([...report.facts.keys()].sort()).toEqual(['crash-test', 'crash-test~0'])
    const waiting = flowOf((ctx) => ctx.signal('go'))
    const stalled = crashTest({ flow: parentOf(waiting), input: undefined, flows: [waiting] })
    await expect(stalled).rejects.toThrow(/does not end: the run waits for signal "go", which the test does not script/)
  })

  test('R-B8 a signal may be addressed to a child, and a cancellation has places of its own', async () => {
    const child = flowOf((ctx) => ctx.signal('go'))
    const options = { flow: parentOf(child), input: undefined, flows: [child] }
    const signalled = await crashTest({ ...options, signals: [{ name: 'go', payload: 7, to: '0' }] })
    expect(signalled.facts.get('crash-test' as RunId)?.at(-1)).toMatchObject({ kind: 'FlowCompleted', data: '7' })
    const cancelled = await crashTest({ ...options, cancel: { afterEvents: 2 } })
    expect(cancelled.counts).toContainEqual({ trial: 'crash', place: 'around a cancellation', tried: 2, failed: 0 })
    expect(cancelled.facts.get('crash-test~0' as RunId)?.at(-1)).toMatchObject({ kind: 'FlowCancelled' })
  })

  test('R-A7 new code comes when it is told to, in every trial', async () => {
    const code = (what: string): Flow<undefined, unknown> =>
      flowOf(async (ctx) => {
        await ctx.step('first', () => what)
        await ctx.sleep(days(1))
        return ctx.step('second', () => what)
      })
    const upgrade = { afterEvents: 3, flows: [code('new')] }
    const report = await crashTest({ flow: code('old'), input: undefined, upgrade, pairs: true })
    const steps = report.facts.get('crash-test' as RunId)?.filter(({ kind }) => kind === 'StepCompleted')
    expect(steps?.map(({ data }) => data)).toEqual(['"old"', '"new"'])
  })

  test('only every n-th pair is tried where that is asked for, at all places', async () => {
    const one = flowOf((ctx) => ctx.step('one', () => 1))
    const all = await crashTest({ flow: one, input: undefined, pairs: true, takeovers: false })
    const some = await crashTest({ flow: one, input: undefined, pairs: true, takeovers: false, everyNthPair: 3 })
    expect(some.countOf('pair')).toBeLessThan(all.countOf('pair') / 2)
    expect(some.countOf('pair')).toBeGreaterThan(all.countOf('pair') / 4)
    const places = (report: CrashReport): string[] =>
      report.counts.map(({ trial, place }) => `${trial} ${place}`).sort()
    expect(places(some)).toEqual(places(all))
  })
})
