import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type FlowContext, flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from '../advancing.js'
import type { Advancing, OrderOf } from './orders.js'
import { pause } from './parked.js'

/** Advances runs that are all in flight at once: each of their steps waits for a timer. */
export async function advanceMany({ file, runs: runCount, steps }: OrderOf<'advance'>): Promise<Advancing> {
  const gate = new Barrier(runCount)
  const walk = flow({
    name: 'walk',
    version: 1,
    run: async (ctx: FlowContext): Promise<void> => {
      await ctx.step('gather', () => gate.enter())
      for (let index = 0; index < steps; index += 1) {
        await ctx.step('work', async () => {
          await pause(1)
          return resultOf(index)
        })
      }
    },
  })
  const runtime = await open({
    store: sqlite({ file }),
    flows: [walk],
    worker: { concurrency: runCount },
    log: () => undefined,
  })
  const runs = await Promise.all(Array.from({ length: runCount }, () => runtime.start(walk, null)))
  const results = runs.map((run) => run.result())
  await gate.full
  const watch = watching()
  const sinceMs = performance.now()
  gate.open()
  await Promise.all(results)
  const stepUs = ((performance.now() - sinceMs) * 1000) / (runCount * steps)
  const seen = watch()
  await runtime.close()
  return { stepUs, ...seen }
}

function watching(): () => Omit<Advancing, 'stepUs'> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  let heapPeakBytes = 0
  const look = (): void => {
    heapPeakBytes = Math.max(heapPeakBytes, process.memoryUsage().heapUsed)
  }
  const timer = setInterval(look, 50)
  delays.enable()
  return () => {
    look()
    clearInterval(timer)
    delays.disable()
    return { heapPeakBytes, residentPeakBytes: process.resourceUsage().maxRSS * 1024, blockMs: delays.max / 1e6 }
  }
}

/** Where everybody waits until all are there and it is opened. */
class Barrier {
  readonly full: Promise<void>
  #missing: number
  #isFull: () => void = () => undefined
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#missing = count
    this.full = new Promise((resolve) => {
      this.#isFull = resolve
    })
  }

  enter(): Promise<void> {
    this.#missing -= 1
    if (this.#missing === 0) this.#isFull()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  open(): void {
    for (const go of this.#waiting) go()
  }
}
