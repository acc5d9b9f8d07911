import { flow } from 'constancia'
import { expect, test } from 'vitest'
import { until, untilStatus } from '../engine/rig.js'
import { bookingRules, tillContract, tillOf } from '../governance/till.js'
import { TillScene } from '../governance/till-scene.js'
import { describeTransacting } from '../governance/transacting.js'

describeTransacting('PostgreSQL')

const common = { name: 'booking', version: 1, resume: { roles: ['analyst'] }, models: 'none' } as const

interface Begun {
  readonly scene: TillScene
  readonly run: Awaited<ReturnType<TillScene['start']>>
}

async function begin(booked: (scene: TillScene, signal: AbortSignal) => unknown): Promise<Begun> {
  const scene = new TillScene('PostgreSQL')
  const { book } = tillOf('postgres', scene.table, { booked: (_, { signal }) => booked(scene, signal) })
  const booking = flow({
    ...common,
    run: (ctx) => ctx.do(book, { cents: 5 }).catch(({ code }: { code: string }) => code),
  })
  await scene.begin([booking], tillContract([booking], bookingRules(book)))
  return { scene, run: await scene.start(booking) }
}

test('R-E11 an action in PostgreSQL is undone if a revocation is committed while it is under way', async () => {
  let isRevoked = false
  const { scene, run } = await begin(async ({ court }) => {
    if (!isRevoked) await court.revoke('ann', 'analyst')
    isRevoked = true
  })
  expect(await run.result()).toBe('action_denied')
  expect((await run.events()).map(({ kind }) => kind)).toEqual(['FlowStarted', 'ActionDenied', 'FlowCompleted'])
  expect(await scene.rows()).toEqual([])
})

test('R-B2 an action in PostgreSQL that takes too long is undone and tried again, and is told', async () => {
  const signals: AbortSignal[] = []
  const { scene, run } = await begin((_, signal) => {
    signals.push(signal)
    return signals.length === 1 ? new Promise(() => undefined) : undefined
  })
  await until(() => signals.length === 1, 'it has begun')
  await scene.rig.advance(5_000)
  await untilStatus(run, 'waiting')
  expect(signals[0]?.aborted).toBe(true)
  expect(await scene.rows()).toEqual([])
  await scene.rig.rest(run)
  expect(await run.result()).toEqual({ count: 1 })
  const failed = (await run.events()).find(({ kind }) => kind === 'ActionAttemptFailed')
  expect(failed?.data).toMatch(/longer than 5000 ms/)
  expect(await scene.rows()).toEqual(['r/0'])
})
