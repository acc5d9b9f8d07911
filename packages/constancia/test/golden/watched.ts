import type { AnyFlow, AttemptInfo, Branch, Continuation, Flow, FlowContext, StepOptions } from '../../dist/index.js'
import type { Store } from '../../dist/store/index.js'
import { memory, memoryDisk, type NewCrashDisk } from '../../dist/testing/index.js'

/** One call of a step's function. */
export interface StepCall {
  readonly name: string
  readonly key: string
  readonly attempt: number
  /** Whether an outcome of this op was in the journal already, and the caller owned the run. */
  readonly isRepeated: boolean
}

/** Sees every call of a step's function, and what was in the journal at that moment. */
export class Watcher {
  readonly calls: StepCall[] = []
  /** What the flow last returned or threw. */
  outcome: unknown
  // Keys of steps.
  #completed = new Set<string>()
  readonly #epochs = new Map<string, number>()

  /** Disks in memory whose appends it sees. */
  readonly newDisk: NewCrashDisk = async () => {
    this.#completed = new Set()
    this.#epochs.clear()
    const disk = memoryDisk()
    return { factory: async (parts) => this.#listen(await memory(disk)(parts)), dispose: async () => undefined }
  }

  /** Whether an outcome of the step with this key is in the journal. */
  isStored(key: string): boolean {
    return this.#completed.has(key)
  }

  /** The same flow, watched. */
  watch<Input, Output>(flow: Flow<Input, Output>): Flow<Input, Output> {
    const run = async (ctx: FlowContext, input: Input): Promise<Output | Continuation> => {
      const isRoot = /^crash-test(~r\d+)?$/.test(ctx.runId)
      try {
        const output = await flow.run(this.#context(ctx), input)
        if (isRoot) this.outcome = output
        return output
      } catch (error) {
        if (isRoot) this.outcome = error
        throw error
      }
    }
    return { ...flow, run }
  }

  #listen(store: Store): Store {
    const append = store.append.bind(store)
    store.append = async (request) => {
      const answer = await append(request)
      if (answer.kind !== 'appended') return answer
      for (const { kind, body } of answer.events) {
        if (kind === 'StepCompleted' || kind === 'StepFailed')
          this.#completed.add(`${request.claim.run}/${(JSON.parse(body) as { op: string }).op}`)
      }
      return answer
    }
    const claim = store.claim.bind(store)
    store.claim = async (request) => {
      const answer = await claim(request)
      for (const { run, epoch } of answer.claims) this.#epochs.set(run, epoch)
      return answer
    }
    return store
  }

  #context(ctx: FlowContext): FlowContext {
    const branchOf =
      (branch: Branch<unknown>): Branch<unknown> =>
      (own) =>
        branch(this.#context(own))
    return {
      runId: ctx.runId,
      step: <T>(name: string, run: (attempt: AttemptInfo) => T | Promise<T>, options?: StepOptions) =>
        ctx.step(
          name,
          (attempt) => {
            this.#called(name, attempt)
            return run(attempt)
          },
          options,
        ),
      sleep: (until) => ctx.sleep(until),
      signal: ctx.signal.bind(ctx),
      parallel: ((branches: readonly Branch<unknown>[]) =>
        ctx.parallel(branches.map(branchOf))) as FlowContext['parallel'],
      call: (flow, input) => ctx.call(flow, input),
      patched: (id) => ctx.patched(id),
      get eventCount() {
        return ctx.eventCount
      },
      continueAsNew: (input: unknown, flow?: AnyFlow) => ctx.continueAsNew(input, flow),
      map: (items, branch, options) =>
        ctx.map(items, (item, own, index) => branch(item, this.#context(own), index), options),
      now: () => ctx.now(),
      random: () => ctx.random(),
      uuid: () => ctx.uuid(),
      log: (message, fields) => ctx.log(message, fields),
    }
  }

  #called(name: string, { key, attempt, epoch }: AttemptInfo): void {
    const run = key.slice(0, key.indexOf('/'))
    this.calls.push({ name, key, attempt, isRepeated: epoch === this.#epochs.get(run) && this.#completed.has(key) })
  }
}
