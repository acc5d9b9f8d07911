import { type FlowContext, flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from '../advancing.js'
import { storeAt, type Where } from '../where.js'
import { Apart } from './apart.js'
import type { OrderOf } from './orders.js'

const log = (): void => undefined

// `done` is called in the last of its steps.
function shortFlow(steps: number, done: () => void = () => undefined) {
  return flow({
    name: 'short',
    version: 1,
    run: async (ctx: FlowContext) => {
      for (let index = 1; index < steps; index += 1) await ctx.step('one', () => resultOf(index))
      return ctx.step('last', () => {
        done()
        return 1
      })
    },
  })
}

/** Pairs of a parent and its child that were started and ended, a second. */
export async function callMany({ file, pairs }: OrderOf<'call'>): Promise<number> {
  const child = shortFlow(1)
  const parent = flow({ name: 'parent', version: 1, run: (ctx: FlowContext) => ctx.call(child, null) })
  const runtime = await open({ store: sqlite({ file }), flows: [child, parent], log })
  const sinceMs = performance.now()
  const runs = await Promise.all(Array.from({ length: pairs }, () => runtime.start(parent, null)))
  await Promise.all(runs.map((run) => run.result()))
  const rate = (pairs / (performance.now() - sinceMs)) * 1000
  await runtime.close()
  return rate
}

/** Starts runs that nobody advances. */
export async function fill({ where, runs, steps }: OrderOf<'fill'>): Promise<void> {
  const short = shortFlow(steps)
  const runtime = await open({ store: storeAt(where), flows: [short], worker: false, log })
  for (let from = 0; from < runs; from += 1_000)
    await Promise.all(Array.from({ length: Math.min(1_000, runs - from) }, () => runtime.start(short, null)))
  await runtime.close()
}

/** Advances short runs; tells how many it has done, now and then. */
export async function drain(
  { where, steps }: OrderOf<'drain'>,
  tell: (count: number) => void,
): Promise<() => Promise<void>> {
  let count = 0
  let told = 0
  const short = shortFlow(steps, () => {
    count += 1
  })
  const timer = setInterval(() => {
    if (count > told) tell(count)
    told = count
  }, 2)
  const runtime = await open({ store: storeAt(where), flows: [short], log })
  return async () => {
    clearInterval(timer)
    await runtime.close()
  }
}

/** A queue of short runs, and by how many processes it is emptied. */
export interface Queue {
  readonly where: Where
  readonly runs: number
  readonly steps: number
  readonly processCount: number
}

/** Short runs a second that so many processes take from a queue. */
export async function drainWith({ where, runs, steps, processCount }: Queue): Promise<number> {
  const workers = Array.from({ length: processCount }, () => new Apart<number>({ kind: 'drain', where, steps }))
  await Promise.all(workers.map((worker) => worker.next())) // All of them are up.
  const counts = workers.map(() => 0)
  const total = (): number => counts.reduce((sum, count) => sum + count, 0)
  const sinceMs = performance.now()
  for (const worker of workers) worker.go()
  await new Promise<void>((resolve, reject) => {
    const follow = async (worker: Apart<number>, index: number): Promise<void> => {
      while (total() < runs) {
        counts[index] = await worker.next()
        if (total() >= runs) resolve()
      }
    }
    for (const [index, worker] of workers.entries()) follow(worker, index).catch(reject)
  })
  const rate = (runs / (performance.now() - sinceMs)) * 1000
  await Promise.all(workers.map((worker) => worker.end()))
  return rate
}
