import {
  type AnyFlow,
  type OpenOptions as EngineOptions,
  engineError,
  open as openEngine,
  type Runtime,
  stderrLogger,
} from '../engine/index.js'
import { declare, type Kept } from './declaring.js'
import type { Schedule } from './schedule.js'
import { type OccurrenceStarter, scheduleFlow } from './schedule-flow.js'
import { selfOf } from './self.js'

/** What {@link open} takes. */
export interface OpenOptions extends EngineOptions {
  /** What `schedule()` declared. Their flows need not be among `flows`. */
  readonly schedules?: readonly Schedule[]
}

/**
 * Opens a store and, unless told otherwise, a worker on it. Keeps the process alive until it is closed. When it resolves, every
 * schedule of `schedules` is declared durably, unless this process only looks (`worker: false`): what was declared differently before
 * is replaced from now on. Throws faults of the store, each of which says what to do, `invalid_option`, and `run_exists` where the id of a
 * schedule's run belongs to another flow.
 */
export async function open(options: OpenOptions): Promise<Runtime> {
  const { schedules = [], ...rest } = options
  const log = options.parts?.log ?? options.log ?? stderrLogger
  requireDistinct(schedules)
  const flows = withFlowsOf(schedules, options.flows)
  // A worker may find a schedule due before the runtime is there to start runs with.
  const opened = deferred<Runtime>()
  const start = starterOf(flows, opened.promise)
  const warn = (message: string): void => log('warn', message, {})
  const kept = schedules.map((schedule): Kept => {
    return { schedule, flow: scheduleFlow({ name: schedule.name, start, warn }) }
  })
  const isKnown = options.worker === false || options.parts?.self !== undefined
  const self = isKnown ? {} : { self: selfOf() }
  const parts = { ...self, ...options.parts }
  const runtime = await openEngine({ ...rest, parts, flows: [...flows, ...kept.map(({ flow }) => flow)] })
  opened.resolve(runtime)
  if (options.worker === false) return runtime
  try {
    await Promise.all(kept.map((one) => declare(runtime, one, log)))
  } catch (error) {
    await runtime.close()
    throw error
  }
  return runtime
}

function starterOf(flows: readonly AnyFlow[], runtime: Promise<Runtime>): OccurrenceStarter {
  return async ({ id, flow, input, actor }) => {
    const found = flows.find(({ name, version }) => name === flow.name && version === flow.version)
    if (found === undefined) {
      const message = `This process has no flow ${flow.name}@${flow.version}, which schedule run ${id} is of. It is tried again, here or elsewhere; open a process that has it.`
      throw engineError('unknown_flow', message)
    }
    await (await runtime).start(found, input, { id, ...(actor === null ? {} : { actor }) })
  }
}

function withFlowsOf(schedules: readonly Schedule[], flows: readonly AnyFlow[]): AnyFlow[] {
  return [...new Set([...flows, ...schedules.map(({ flow }) => flow)])]
}

function requireDistinct(schedules: readonly Schedule[]): void {
  const names = new Set<string>()
  for (const { name } of schedules) {
    if (names.has(name)) {
      throw engineError(
        'invalid_option',
        `Two schedules are named ${name}. Nothing was opened; give one of them another name.`,
      )
    }
    names.add(name)
  }
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
