import { setTimeout as pause } from 'node:timers/promises'
import { type ConstanciaError, type FlowContext, flow, type Run } from 'constancia'

/** What the runs of a test tell it, from inside its own process. */
export interface Desk {
  /** The signals whose steps have begun, in that order. */
  readonly begun: number[]
  /** What the first step waits for besides its 50 ms. */
  readonly go: Promise<void>
}

/** How a run reads its signals. */
export interface Reading {
  /** Events after which it goes on as a new run. */
  readonly eventCountMax: number
  /** How many signals there are in all. */
  readonly total: number
}

// Steps of 50 ms one after the other could handle 20 signals a second; so many at once handle 640.
const openMax = 32

/** Handles each signal with a step of 50 ms, many of them at once, and goes on as a new run when its journal is long. */
export function floodedFlow(desk: Desk, { eventCountMax, total }: Reading) {
  return flow({
    name: 'flooded',
    version: 1,
    run: async (ctx: FlowContext, handled: number) => {
      const open: Promise<void>[] = []
      let count = handled
      while (count < total && ctx.eventCount < eventCountMax) {
        const value = await ctx.signal<number>('n')
        count += 1
        open.push(
          ctx.step('handle', async () => {
            desk.begun.push(value)
            await Promise.all([pause(50), value === 0 ? desk.go : undefined])
          }),
        )
        if (open.length === openMax) await open.shift()
      }
      await Promise.all(open)
      return count < total ? ctx.continueAsNew(count) : count
    },
  })
}

/** What became of a flood, as its sender saw it. */
export interface Flood {
  /** How often a signal was refused for now. */
  readonly refusedCount: number
  /** Other codes that it was refused with. */
  readonly codes: readonly string[]
}

/** How signals are sent. */
export interface Sending {
  readonly total: number
  readonly perSecond: number
  /** Asked before each signal: the sender waits for as long as what it sent is so far behind. */
  readonly isTooFar?: (sent: number) => boolean
  /** Called whenever a signal is refused for now. */
  readonly onRefused?: () => void
}

/** Sends numbered signals at a rate, each after the one before it was taken; one that is refused for now is sent again. */
export async function flood(run: Run, { total, perSecond, isTooFar, onRefused }: Sending) {
  const startMs = performance.now()
  const codes: string[] = []
  let refusedCount = 0
  for (let n = 0; n < total; ) {
    await pause(Math.max(0, startMs + (n * 1000) / perSecond - performance.now()))
    while (isTooFar?.(n)) await pause(5)
    const code = await run.signal('n', n, { delivery: `d${n}` }).then(
      () => undefined,
      (error: ConstanciaError) => error.code,
    )
    if (code === undefined) n += 1
    else if (code === 'too_many_signals') {
      refusedCount += 1
      onRefused?.()
    } else codes.push(code)
    if (code !== undefined) await pause(10)
    if (codes.length > 0) break
  }
  return { refusedCount, codes } satisfies Flood
}

/** Steps one after the other, each of which says how long it took from the end of the one before it; milliseconds. */
export function tickingFlow(latenciesMs: number[], isOver: () => boolean) {
  return flow({
    name: 'ticking',
    version: 1,
    run: async (ctx: FlowContext) => {
      while (!(await ctx.step('is over', isOver))) {
        const sinceMs = await ctx.step('ask', () => performance.now())
        await ctx.step('answer', () => void latenciesMs.push(performance.now() - sinceMs))
        await ctx.step('pause', () => pause(20).then(() => undefined))
      }
    },
  })
}

/** So much or less are a quarter of some numbers: what the rest of the machine does shows in the others. NaN of few. */
export function lowerQuartile(values: readonly number[]): number {
  return values.length < 8 ? Number.NaN : ([...values].sort((a, b) => a - b)[values.length >> 2] ?? Number.NaN)
}
