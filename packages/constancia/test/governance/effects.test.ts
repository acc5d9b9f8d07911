import { type ContractDeclaration, hours, NotDispatched, once, PermanentError, verify } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, stores, until, untilStatus } from '../engine/rig.js'
import { begin, bodyOf, failureOf } from './scene.js'

describe.each(stores)('on %s', (store) => {
  test('R-B6 an idempotent action is tried again with the same key; when attempts are used up a person has to say what came of it', async () => {
    const { rig, bank, court, pay } = await begin(store)
    const broken = (): never => {
      throw new Error('The line was cut.')
    }
    bank.fails = [broken, broken, broken]
    const run = await pay(500)
    await until(() => bank.requestCount === 1, 'the first attempt')
    await rig.advance(5_000)
    await untilStatus(run, 'paused')
    expect(bank.requestCount).toBe(3)
    expect((await run.row()).waitingFor).toMatchObject([{ kind: 'statement', op: '0' }])
    await court.state(run, 'done', { receipt: 'by hand' })
    expect(await run.result()).toEqual({ receipt: 'by hand' })
    expect((await kindsOf(run)).slice(-5)).toEqual([
      'OutcomeUnknown',
      'OutcomeStated',
      'ResumeAuthorized',
      'ActionCompleted',
      'FlowCompleted',
    ])
  })

  test('R-F5 R-B6 an action that is tried again counts once: a limit that it keeps to does not end it', async () => {
    const change = (one: ContractDeclaration): ContractDeclaration => ({ ...one, limits: { actions: 1, cents: 500 } })
    const { rig, bank, pay } = await begin(store, { change })
    bank.fails = [() => Promise.reject(new Error('The line was cut.'))]
    const run = await pay(500)
    await until(() => bank.requestCount === 1, 'the first attempt')
    await rig.advance(2_000)
    expect(await run.result()).toEqual({ receipt: 'r-r/0' })
    expect((await run.events()).filter(({ kind }) => kind === 'ActionAuthorized')).toHaveLength(2)
  })

  test('R-B6 what a person says was not done passes the gate again, with the same key', async () => {
    const { bank, court, pay } = await begin(store, { effect: once() })
    bank.fails = [() => Promise.reject(new Error('The line was cut.'))]
    const run = await pay(500)
    await untilStatus(run, 'paused')
    await court.state(run, 'not_done')
    expect(await run.result()).toEqual({ receipt: 'r-r/0' })
    expect(bank.requestCount).toBe(2)
    expect((await run.events()).filter(({ kind }) => kind === 'ActionAuthorized')).toHaveLength(2)
  })

  test('R-B6 only proof is a failure under once: a request that was not sent is repeated, a refusal is final', async () => {
    const { rig, bank, pay } = await begin(store, { effect: once() })
    bank.fails = [
      () => Promise.reject(new NotDispatched('Nobody listens.')),
      () => Promise.reject(new PermanentError('No such account.')),
    ]
    const run = await pay(500)
    await until(() => bank.requestCount === 1, 'the first attempt')
    await rig.advance(2_000)
    expect(await failureOf(run)).toMatchObject({ message: 'No such account.' })
    expect(await bodyOf(run, 'ActionFailed')).toMatchObject({ attempt: 2, reason: 'refused' })
  })

  test('R-B6 under verify the destination is asked, after an earlier request can no longer land, and only then it is repeated', async () => {
    const { rig, bank, pay } = await begin(store, { effect: verify({ settlesMs: hours(1) }) })
    const before = rig.clock.now()
    bank.fails = [() => Promise.reject(new Error('The line was cut.'))]
    const run = await pay(500)
    await until(() => bank.requestCount === 1, 'the first attempt')
    bank.done.set('r/0', { to: 'acme', cents: 500 }) // It landed all the same.
    await untilStatus(run, 'waiting')
    expect((await run.row()).wakeAtMs).toBeGreaterThanOrEqual(before + hours(1))
    await rig.advance(hours(1))
    expect(await run.result()).toEqual({ receipt: 'r-r/0' })
    expect(bank.requestCount).toBe(1)
    expect(await bodyOf(run, 'ActionCompleted')).toMatchObject({ found: true })
  })

  test.each(['once', 'verify', 'idempotent'])(
    'R-B6 a process that dies after it has sent: what happens next is what %s promises',
    async (protocol) => {
      const effect = protocol === 'once' ? once() : protocol === 'verify' ? verify({ settlesMs: hours(1) }) : undefined
      const { rig, bank, life, pay, made } = await begin(store, effect === undefined ? {} : { effect })
      bank.fails = [() => new Promise<never>(() => undefined)]
      await pay(500)
      await until(() => bank.requestCount === 1, 'it was sent')
      bank.done.set('r/0', { to: 'acme', cents: 500 })
      const next = await rig.succeed(life, [made.direct], { contract: made.contract })
      const run = next.runtime.run('r')
      if (protocol === 'once') {
        await untilStatus(run, 'paused')
        expect(bank.requestCount).toBe(1)
        return
      }
      if (protocol === 'verify') await untilStatus(run, 'waiting')
      await rig.advance(hours(1))
      expect(await run.result()).toEqual({ receipt: 'r-r/0' })
      expect(bank.requestCount).toBe(protocol === 'verify' ? 1 : 2)
      expect((await kindsOf(run)).slice(1)).toEqual(['ActionAuthorized', 'ActionCompleted', 'FlowCompleted'])
    },
  )

  test('R-A9 R-E11 an intent that was found open is not dispatched again once the actor may not: a person says what came of it', async () => {
    const { rig, bank, life, court, pay, made } = await begin(store, {
      change: (one) => ({ ...one, flows: one.flows.map((flow) => ({ ...flow, resume: 'anyone' as const })) }),
    })
    bank.fails = [() => new Promise<never>(() => undefined)]
    await pay(500)
    await until(() => bank.requestCount === 1, 'it was sent')
    await court.revoke('ann', 'analyst')
    const next = await rig.succeed(life, [made.direct], { contract: made.contract })
    await untilStatus(next.runtime.run('r'), 'paused')
    expect(bank.requestCount).toBe(1)
    expect((await kindsOf(next.runtime.run('r'))).at(-1)).toBe('OutcomeUnknown')
  })

  test('R-B6 C19 a run that is cancelled while an effect is under way ends only when it is known what came of it', async () => {
    const { bank, pay } = await begin(store)
    let land = (): void => undefined
    bank.fails = [() => new Promise<never>((resolve) => (land = resolve as never))]
    const run = await pay(500)
    await until(() => bank.requestCount === 1, 'it was sent')
    await run.cancel()
    await until(async () => (await kindsOf(run)).includes('CancelRequested'), 'it is to end')
    expect((await run.row()).outcome).toBe('open')
    land()
    await untilStatus(run, 'cancelled')
    expect((await kindsOf(run)).slice(1)).toEqual([
      'ActionAuthorized',
      'CancelRequested',
      'ActionCompleted',
      'FlowCancelled',
    ])
  })
})
