import { flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { drained, gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

describe.each(stores)('what comes late, on %s', (store) => {
  test('R-B2 what an attempt brings after its time limit is discarded, also while another step keeps the run in memory', async () => {
    const rig = new Rig(store)
    const late = gate<string>()
    const other = gate<string>()
    const slow = flow({
      name: 'slow',
      version: 1,
      run: (ctx) =>
        ctx.parallel([
          (branch) =>
            branch.step('slow', ({ attempt }) => (attempt === 1 ? late.promise : 'second'), {
              timeoutMs: 500,
              retry: { delayMsFirst: 1_000, jitter: 0 },
            }),
          (branch) => branch.step('other', () => other.promise),
        ]),
    })
    const life = await rig.live([slow])
    const run = await life.runtime.start(slow, null)
    await until(async () => (await run.row()).epoch === 1, 'it is taken')
    await drained()
    await rig.advance(500)
    await until(async () => (await kindsOf(run)).includes('StepAttemptFailed'), 'it times out')
    late.open('first')
    await drained()
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'StepAttemptFailed'])
    await rig.advance(1_000)
    other.open('done')
    expect(await run.result()).toEqual(['second', 'done'])
  })

  test('C03 R-B7 a step that loses a race while it waits for its retry still gets its outcome before the end', async () => {
    const rig = new Rig(store)
    const racing = flow({
      name: 'racing',
      version: 1,
      run: (ctx) =>
        Promise.race([
          ctx.step('loser', ({ attempt }) => (attempt < 3 ? Promise.reject(new Error('not yet')) : 'lost'), {
            retry: { delayMsFirst: 1_000, jitter: 0 },
          }),
          ctx.sleep(100).then(() => 'slept'),
        ]),
    })
    const life = await rig.live([racing])
    const run = await life.runtime.start(racing, null)
    await untilStatus(run, 'waiting')
    await rig.advance(100)
    await untilStatus(run, 'waiting')
    expect((await run.row()).outcome).toBe('open')
    expect(await rig.rest(run)).toMatchObject({ status: 'completed' })
    expect(await run.result()).toBe('slept')
    const kinds = await kindsOf(run)
    expect(kinds.filter((kind) => kind.startsWith('Step'))).toEqual([
      'StepAttemptFailed',
      'StepAttemptFailed',
      'StepCompleted',
    ])
    expect(kinds.at(-1)).toBe('FlowCompleted')
  })

  test('R-A6 nothing executes before the whole journal was handed over: where code differs late, nothing was executed', async () => {
    const rig = new Rig(store)
    const executed: string[] = []
    const declare = (second: string, beside: 'waits' | 'acts') =>
      flow({
        name: 'changing',
        version: 1,
        run: (ctx) =>
          ctx.parallel([
            async (branch) => {
              await branch.step('first', () => void executed.push('first'))
              await branch.step(second, () => void executed.push(second))
            },
            (branch) =>
              beside === 'waits' ? branch.signal('go') : branch.step('new', () => void executed.push('new')),
          ]),
      })
    const before = declare('second', 'waits')
    const one = await rig.live([before])
    const run = await one.runtime.start(before, null)
    await untilStatus(run, 'waiting')
    executed.length = 0
    const two = await rig.succeed(one, [declare('another', 'acts')])
    await two.runtime.run(run.id).signal('go')
    await untilStatus(two.runtime.run(run.id), 'stuck')
    expect(executed).toEqual([])
  })
})
