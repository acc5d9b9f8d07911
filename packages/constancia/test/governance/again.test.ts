import { expect, test } from 'vitest'
import { untilStatus } from '../engine/rig.js'
import { Bench } from './bench.js'

const silent = (): Promise<never> => new Promise(() => undefined)

/** An intent that is open, of a process that is gone, and another process that takes it up. */
async function openIntent(): Promise<Bench> {
  const bench = await Bench.of('memory')
  bench.destination.fails = [silent]
  await bench.begins('direct')
  for (const voter of ['tom', 'del']) expect(await bench.votes(voter)).toBeUndefined()
  while (bench.destination.requestCount === 0) await new Promise(setImmediate)
  await bench.dies()
  return bench
}

test('R-E8 R-E11 what is revoked while somebody looks at the situation anew counts: an open intent is not dispatched again', async () => {
  const bench = await openIntent()
  let lookCount = 0
  bench.destination.looking = async () => {
    lookCount += 1
    await bench.court.revoke('ann', 'analyst')
  }
  await bench.opens()
  await untilStatus(bench.run, 'paused')
  expect(lookCount).toBe(1)
  expect(bench.destination.requestCount).toBe(1)
  expect((await bench.reasons()).join()).toContain('in doubt')
  await bench.judged()
})

test('R-E9 R-F5 an open intent is not dispatched again where the contract in force lets a run use less by now', async () => {
  const bench = await openIntent()
  await bench.opens({ works: false })
  await bench.court.activate(bench.office.declared((one) => ({ ...one, limits: { runMs: 1 } }), '2'))
  await bench.dies()
  await bench.opens()
  await untilStatus(bench.run, 'paused')
  expect(bench.destination.requestCount).toBe(1)
  expect((await bench.reasons()).join()).toContain('runMs')
})

test('R-A6 R-B6 an open intent that nothing objects to is dispatched again, once', async () => {
  const bench = await openIntent()
  await bench.opens()
  await bench.rig.rest(bench.run)
  expect((await bench.run.row()).status).toBe('completed')
  expect(bench.destination.requestCount).toBe(2)
  expect(bench.destination.done.size).toBe(1)
})
