import { type FlowContext, flow, open, type Runtime } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import type { OrderOf, Stayed } from './orders.js'

const monthMs = 30 * 24 * 3_600_000

/** Flows whose runs wait for a long time, and one that does not. `woken` is called by whoever got its signal. */
export function parkedFlows(woken: (run: string) => void, probed: () => void = () => undefined) {
  const listener = flow({
    name: 'listener',
    version: 1,
    run: async (ctx: FlowContext): Promise<void> => {
      await ctx.signal('go')
      await ctx.step('woken', () => woken(ctx.runId))
    },
  })
  const sleeper = flow({ name: 'sleeper', version: 1, run: (ctx: FlowContext) => ctx.sleep(monthMs) })
  const parent = flow({ name: 'parent', version: 1, run: (ctx: FlowContext) => ctx.call(listener, null) })
  const probe = flow({ name: 'probe', version: 1, run: (ctx: FlowContext) => ctx.step('probe', probed) })
  return { listener, sleeper, parent, probe }
}

/** Id of a run that waits for a signal. */
export const listenerId = (index: number): string => `listener-${index}`

const batchSize = 1_000

/** Starts runs that come to rest: of ten four sleep, four wait for a signal, one for a child, which waits for a signal. */
export async function park({ file, runs }: OrderOf<'park'>): Promise<void> {
  const flows = parkedFlows(() => undefined)
  const { listener, sleeper, parent } = flows
  const runtime = await open({
    store: sqlite({ file }),
    flows: Object.values(flows),
    worker: { concurrency: 1_000 },
    log: () => undefined,
  })
  for (let from = 0; from < runs / 10; from += batchSize / 10) {
    const starts: Promise<unknown>[] = []
    for (let ten = from; ten < Math.min(from + batchSize / 10, runs / 10); ten += 1) {
      starts.push(runtime.start(parent, null))
      for (let i = 0; i < 4; i += 1) {
        starts.push(runtime.start(sleeper, null), runtime.start(listener, null, { id: listenerId(4 * ten + i) }))
      }
    }
    await Promise.all(starts)
    await atRest(runtime)
  }
  await runtime.close()
}

// Children among them: nothing is left that anybody could do.
async function atRest(runtime: Runtime): Promise<void> {
  for (;;) {
    const [ready, running, told] = await Promise.all([
      runtime.runs({ status: 'ready', limit: 1 }),
      runtime.runs({ status: 'running', limit: 1 }),
      runtime.outbox({ limit: 1 }),
    ])
    if (ready.items.length + running.items.length + told.items.length === 0) return
    await pause(5)
  }
}

/** Starts the one run that is due. */
export async function startProbe(file: string): Promise<void> {
  const { probe } = parkedFlows(() => undefined)
  const runtime = await open({ store: sqlite({ file }), flows: [probe], worker: false, log: () => undefined })
  await runtime.start(probe, null)
  await runtime.close()
}

/** Does the one run that is due, then nothing. */
export async function stay({ file, idleMs }: OrderOf<'stay'>): Promise<Stayed> {
  let startMs = 0
  let arrived: () => void = () => undefined
  const probed = new Promise<void>((resolve) => {
    arrived = () => {
      startMs = performance.now()
      resolve()
    }
  })
  const flows = Object.values(parkedFlows(() => undefined, arrived))
  const runtime = await open({ store: sqlite({ file }), flows, log: () => undefined })
  await probed
  await pause(500)
  const before = process.cpuUsage()
  const sinceMs = performance.now()
  await pause(idleMs)
  const { user, system } = process.cpuUsage(before)
  const idlePercent = (user + system) / 10 / (performance.now() - sinceMs)
  const heapBytes = await heapAfterCollection()
  const residentBytes = process.memoryUsage.rss()
  await runtime.close()
  return { startMs, heapBytes, residentBytes, idlePercent }
}

/** Bytes of the heap after everything was collected that nobody holds. */
export async function heapAfterCollection(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    global.gc?.()
    await pause(20)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Waits for milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
