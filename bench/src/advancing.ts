import { type FlowContext, flow, open, type StoredEvent, type StoreFactory } from 'constancia'

/** How many runs go through how many steps each, all of them at once. */
export interface Load {
  readonly runs: number
  readonly steps: number
}

/** What advancing them came to. */
export interface Advanced {
  /** From when every run had begun until the last step of the last of them. */
  readonly ms: number
  /** Each run's first event, which was there by then. */
  readonly before: readonly StoredEvent[]
  /** The events that were committed in that time, in the order of the steps: each group has one event of each run. */
  readonly groups: readonly (readonly StoredEvent[])[]
}

/** What a step returns: about as much as the answer of a small call. */
export function resultOf(index: number): object {
  return { index, file: `src/part-${index % 40}/index.ts`, changed: index % 3 === 0, note: 'renamed two imports' }
}

/** Advances runs step by step in a store, and reads their journals. */
export async function advance(store: StoreFactory, load: Load): Promise<Advanced> {
  const gate = new Gate(load)
  const walk = flow({
    name: 'walk',
    version: 1,
    run: async (ctx: FlowContext): Promise<number> => {
      await ctx.step('gather', () => gate.enter())
      for (let index = 0; index < load.steps; index += 1) await ctx.step('work', () => resultOf(index))
      return ctx.step('arrive', () => gate.leave())
    },
  })
  const runtime = await open({ store, flows: [walk], worker: { concurrency: load.runs }, log: () => undefined })
  try {
    const runs = await Promise.all(Array.from({ length: load.runs }, () => runtime.start(walk, null)))
    await Promise.all(runs.map((run) => run.result()))
    const journals = await Promise.all(runs.map((run) => run.events()))
    // Step by step, which is the order of `seq`: the first step is that of the gate, the last has no part in the time.
    const group = (seq: number): StoredEvent[] => journals.flatMap((events) => events.slice(seq, seq + 1))
    const groups = Array.from({ length: load.steps + 1 }, (_, index) => group(index + 1))
    return { ms: gate.ms, before: group(0), groups }
  } finally {
    await runtime.close()
  }
}

/** Lets runs go when all of them are there, and takes the time until all of them have come through. */
class Gate {
  readonly #runs: number
  #entered = 0
  #left = 0
  #startMs = 0
  #endMs = 0
  readonly #opened: Promise<number>
  #open!: (count: number) => void

  constructor({ runs }: Load) {
    this.#runs = runs
    this.#opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  get ms(): number {
    return this.#endMs - this.#startMs
  }

  enter(): Promise<number> {
    this.#entered += 1
    if (this.#entered === this.#runs) {
      this.#startMs = performance.now()
      this.#open(this.#runs)
    }
    return this.#opened
  }

  leave(): number {
    this.#left += 1
    if (this.#left === this.#runs) this.#endMs = performance.now()
    return this.#left
  }
}
