import { type FlowContext, flow, open, type StoredEvent, type StoreFactory } from 'constancia'

/** How many runs go, all of them at once, through how many stretches of how many steps each. */
export interface Load {
  readonly runs: number
  readonly stretches: number
  readonly steps: number
}

/** What advancing them came to. */
export interface Advanced {
  /** Milliseconds of each stretch: from when every run has come to its beginning until the last of them is through. */
  readonly stretchMs: readonly number[]
  /** Each run's first event, which was there before. */
  readonly before: readonly StoredEvent[]
  /** The events that each stretch committed, in the order of the steps: each group has one event of each run. */
  readonly stretches: readonly (readonly (readonly StoredEvent[])[])[]
}

/** What is done before a stretch, while every run waits. */
export type Between = (stretch: number) => void | Promise<void>

/** What a step returns: about as much as the answer of a small call. */
export function resultOf(index: number): object {
  return { index, file: `src/part-${index % 40}/index.ts`, changed: index % 3 === 0, note: 'renamed two imports' }
}

/**
 * Advances runs step by step in a store, and reads their journals. `between` is called before each stretch, while every
 * run waits, with the stretch's number; its time counts for nothing.
 */
export async function advance(store: StoreFactory, load: Load, between?: Between): Promise<Advanced> {
  const { runs: runCount, stretches: stretchCount, steps: stepCount } = load
  const gate = new Gate(runCount, between)
  const walk = flow({
    name: 'walk',
    version: 1,
    run: async (ctx: FlowContext): Promise<void> => {
      for (let stretch = 0; stretch < stretchCount; stretch += 1) {
        await ctx.step('gather', () => gate.enter())
        for (let index = 0; index < stepCount; index += 1) await ctx.step('work', () => resultOf(index))
      }
      await ctx.step('gather', () => gate.enter())
    },
  })
  const runtime = await open({ store, flows: [walk], worker: { concurrency: runCount }, log: () => undefined })
  try {
    const runs = await Promise.all(Array.from({ length: runCount }, () => runtime.start(walk, null)))
    await Promise.all(runs.map((run) => run.result()))
    const journals = await Promise.all(runs.map((run) => run.events()))
    // Events of the same step have the same `seq`: 0 is the start, and each stretch has its steps and the one of the gate.
    const group = (seq: number): StoredEvent[] => journals.flatMap((events) => events.slice(seq, seq + 1))
    const groupsOf = (stretch: number): StoredEvent[][] =>
      Array.from({ length: stepCount + 1 }, (_, index) => group(1 + stretch * (stepCount + 1) + index))
    const stretches = Array.from({ length: stretchCount }, (_, stretch) => groupsOf(stretch))
    return { stretchMs: gate.stretchMs, before: group(0), stretches }
  } finally {
    await runtime.close()
  }
}

/** Where runs wait for each other; it takes the time from when they go until all of them are back. */
class Gate {
  readonly stretchMs: number[] = []
  readonly #runCount: number
  readonly #between: Between | undefined
  #waiting: (() => void)[] = []
  #startMs: number | undefined

  constructor(runCount: number, between: Between | undefined) {
    this.#runCount = runCount
    this.#between = between
  }

  enter(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === this.#runCount) this.#open().catch(reject)
    })
  }

  async #open(): Promise<void> {
    if (this.#startMs !== undefined) this.stretchMs.push(performance.now() - this.#startMs)
    await this.#between?.(this.stretchMs.length)
    const waiting = this.#waiting
    this.#waiting = []
    this.#startMs = performance.now()
    for (const go of waiting) go()
  }
}
