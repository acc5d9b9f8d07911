import { type FlowContext, flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from '../advancing.js'
import { storeAt, type Where } from '../where.js'
import { Apart } from './apart.js'
import type { OrderOf } from './orders.js'

const log = (): void => undefined

// `done` is called in each of its steps.
function shortFlow(steps: number, done: () => void = () => undefined) {
  const one = (index: number): object => {
    done()
    return resultOf(index)
  }
  return flow({
    name: 'short',
    version: 1,
    run: async (ctx: FlowContext) => {
      for (let index = 1; index < steps; index += 1) await ctx.step('one', () => one(index))
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

/** Advances short runs; tells how many of their steps it has done, now and then. */
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
  /**
   * So many steps each process does before the clock starts, and before the queue is at its end so many are left that none is
   * without work: neither the start of a process counts nor its end. 0 counts everything from the first claim to the last end.
   */
  readonly uncountedSteps: number
}

/** Steps a second that so many processes do which take short runs from a queue. Rejects where the queue is too short for that. */
export async function drainWith(queue: Queue): Promise<number> {
  const { where, runs, steps, processCount, uncountedSteps } = queue
  const workers = Array.from({ length: processCount }, () => new Apart<number>({ kind: 'drain', where, steps }))
  await Promise.all(workers.map((worker) => worker.next())) // All of them are up.
  const progress = new Progress(workers)
  for (const worker of workers) worker.go()
  const last = runs * steps - uncountedSteps * processCount
  await progress.until((counts) => counts.every((count) => count >= uncountedSteps) || sumOf(counts) >= last)
  const [since, sinceMs] = [progress.total, performance.now()]
  if (since >= last && uncountedSteps > 0)
    throw new Error('The queue was empty before all of its workers were at work.')
  await progress.until((counts) => sumOf(counts) >= last)
  const rate = ((progress.total - since) / (performance.now() - sinceMs)) * 1000
  await Promise.all(workers.map((worker) => worker.end()))
  return rate
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** How many steps workers have done. */
class Progress {
  readonly #counts: number[]
  #isOver: (counts: readonly number[]) => boolean = () => false
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined

  constructor(workers: readonly Apart<number>[]) {
    this.#counts = workers.map(() => 0)
    for (const [index, worker] of workers.entries())
      this.#follow(worker, index).catch((error: unknown) => this.#settle?.reject(error))
  }

  get total(): number {
    return sumOf(this.#counts)
  }

  /** Resolves once the counts are so. Rejects when a worker ends before. */
  async until(isOver: (counts: readonly number[]) => boolean): Promise<void> {
    if (isOver(this.#counts)) return
    this.#isOver = isOver
    await new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.#settle = undefined
  }

  async #follow(worker: Apart<number>, index: number): Promise<void> {
    for (;;) {
      this.#counts[index] = await worker.next()
      if (this.#isOver(this.#counts)) this.#settle?.resolve()
    }
  }
}
