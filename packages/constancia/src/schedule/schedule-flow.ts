import { type Flow, type FlowContext, flow, minutes } from '../engine/index.js'
import { ConstanciaError } from '../journal/index.js'
import { decideDue } from './due.js'
import { nextOccurrence, type Span, type Timetable } from './occurrence.js'
import { timetableOf } from './schedule.js'
import { declaredSignal, readSpec, type ScheduleInput, type ScheduleState, type Spec } from './spec.js'

/** One run that a schedule starts. */
export interface OccurrenceStart {
  /** `<name>:<its moment in UTC>`. */
  readonly id: string
  readonly flow: { readonly name: string; readonly version: number }
  readonly input: unknown
  readonly actor: string | null
}

/** Starts the run of an occurrence. Starting the same id again must change nothing, as `start` of a runtime does. */
export type OccurrenceStarter = (occurrence: OccurrenceStart) => Promise<void>

/** What {@link scheduleFlow} takes. */
export interface ScheduleFlowOptions {
  /** The name of the schedule. */
  readonly name: string
  readonly start: OccurrenceStarter
  /** Told what an operator should know. */
  readonly warn?: (message: string) => void
  /** After so many events its run is continued by another one; 1,000 unless set. */
  readonly eventCountMax?: number
  /** For tests: the run ends when it was due so often. Never unless set. */
  readonly dueCountMax?: number
}

/** The flow of a schedule's own run is named so. */
export const flowNameOf = (schedule: string): string => `schedule.${schedule}`

/** The id of a schedule's own run. */
export const runIdOf = (schedule: string): string => `schedule:${schedule}`

/** The id of the run that an occurrence starts. */
export const occurrenceIdOf = (schedule: string, momentMs: number): string =>
  `${schedule}:${new Date(momentMs).toISOString().replace('.000Z', 'Z')}`

// Its journal is read by whatever version of this file comes later: a change to the order of its words needs a version of its own.
const version = 1

/**
 * The flow that keeps a schedule: it waits until the schedule is due or declared anew, starts what is due, and goes on. Everything that
 * depends on the database of time zones is decided inside a step, from the journal's time, so that a newer database never changes what
 * a replay sees.
 */
export function scheduleFlow(options: ScheduleFlowOptions): Flow<ScheduleInput, unknown> {
  // A start that fails because of the moment (the store is down, this process does not have the flow) is tried until it succeeds.
  const retry = { attemptsMax: 1_000_000, delayMsMax: minutes(5) }
  const read = readerOf(options.name)
  const run = (ctx: FlowContext, input: ScheduleInput): Promise<unknown> => new Keeper(ctx, options, read).keep(input)
  const kept = flow<ScheduleInput, unknown>({ name: 'schedule', version, retry, run })
  return { ...kept, name: flowNameOf(options.name) }
}

// Reading a pattern and a zone takes longer than asking them; what was read last is kept.
function readerOf(name: string): TimetableReader {
  let last: { readonly spec: Spec; readonly timetable: Timetable } | undefined
  return (spec) => {
    if (last?.spec.cron !== spec.cron || last.spec.timeZone !== spec.timeZone) {
      last = { spec, timetable: timetableOf(spec, name) }
    }
    return last.timetable
  }
}

type TimetableReader = (spec: Spec) => Timetable

interface Declared {
  readonly spec: Spec
  readonly atMs: number
}

class Keeper {
  readonly #ctx: FlowContext
  readonly #options: ScheduleFlowOptions
  readonly #read: TimetableReader
  readonly #declared: Declared[] = []
  #declaredCount = 0
  #declaration: Promise<void> = Promise.resolve()
  #timer: { readonly atMs: number; readonly fired: Promise<void> } | undefined

  constructor(ctx: FlowContext, options: ScheduleFlowOptions, read: TimetableReader) {
    this.#ctx = ctx
    this.#read = read
    this.#options = options
  }

  async keep(input: ScheduleInput): Promise<unknown> {
    this.#listen()
    this.#declaredCount = input.state?.declaredCount ?? 0
    let state = input.state ?? (await this.#begin())
    for (let dueCount = 0; ; ) {
      const declared = this.#declared.shift()
      if (declared !== undefined) state = await this.#advance(state, declared)
      else if (this.#ctx.eventCount >= (this.#options.eventCountMax ?? 1_000)) {
        // Also what was no declaration counts: whoever counts signals in its journal must come to the same number.
        const handed = { ...state, declaredCount: this.#declaredCount }
        return this.#ctx.continueAsNew({ schedule: this.#options.name, state: handed })
      } else if (await this.#isDue(state)) {
        state = await this.#advance(state, { spec: state.spec, atMs: this.#ctx.now() })
        dueCount += 1
        if (dueCount === this.#options.dueCountMax) return state.cursorMs
      }
    }
  }

  // One wait for declarations is open all the time, so that none is handed to a wait that nobody looks at any more.
  #listen(): void {
    this.#declaration = this.#ctx.signal(declaredSignal).then((payload) => {
      const spec = readSpec(payload)
      this.#declaredCount += 1
      if (spec !== undefined) this.#declared.push({ spec, atMs: this.#ctx.now() })
      this.#listen()
    })
    this.#declaration.catch(() => undefined) // A cancelled run hears of it where it waits.
  }

  async #begin(): Promise<ScheduleState> {
    while (this.#declared.length === 0) await this.#declaration
    const { spec, atMs } = this.#declared.shift() as Declared
    return this.#advance({ spec, declaredCount: 0, cursorMs: atMs, nextMs: null }, { spec, atMs })
  }

  /** Waits. True when the schedule is due, false when it was declared anew. */
  async #isDue({ nextMs }: ScheduleState): Promise<boolean> {
    const declared = this.#declaration.then(() => false)
    if (nextMs === null) return declared
    if (this.#timer?.atMs !== nextMs) this.#timer = { atMs: nextMs, fired: this.#ctx.sleep(new Date(nextMs)) }
    const isDue = await Promise.race([declared, this.#timer.fired.then(() => true)])
    if (isDue) this.#timer = undefined
    return isDue
  }

  /** Starts what is due under what was declared so far, up to a moment; from there on the declaration is another one, or the same. */
  async #advance(state: ScheduleState, { spec, atMs }: Declared): Promise<ScheduleState> {
    const untilMs = Math.max(state.cursorMs, atMs)
    const span = { afterMs: state.cursorMs, untilMs }
    const { nextMs } = await this.#ctx.step('start what is due', () => this.#startDue(state.spec, spec, span))
    return { spec, declaredCount: this.#declaredCount, cursorMs: untilMs, nextMs }
  }

  async #startDue(before: Spec, after: Spec, span: Span): Promise<DueReport> {
    const { name } = this.#options
    const { startMs, skippedMs } = decideDue(this.#read(before), before, span)
    const started: string[] = []
    const refused: Refusal[] = []
    for (const momentMs of startMs) {
      const id = occurrenceIdOf(name, momentMs)
      const refusal = await this.#start({ id, flow: before.flow, input: before.input, actor: before.actor })
      if (refusal === undefined) started.push(id)
      else refused.push(refusal)
    }
    const nextMs = nextOccurrence(this.#read(after), span.untilMs) ?? null
    const skipped =
      skippedMs === undefined ? [] : [skippedMs.first, skippedMs.last].map((ms) => occurrenceIdOf(name, ms))
    return { started, refused, skipped, nextMs }
  }

  // What fails because of the run itself would fail again: the schedule notes it and goes on.
  async #start(occurrence: OccurrenceStart): Promise<Refusal | undefined> {
    try {
      await this.#options.start(occurrence)
      return undefined
    } catch (error) {
      if (!(error instanceof ConstanciaError) || !lastingCodes.has(error.code)) throw error
      const { id } = occurrence
      this.#options.warn?.(
        `Schedule ${this.#options.name} could not start run ${id}, and goes on without it. ${error.message}`,
      )
      return { id, code: error.code, message: error.message.slice(0, 1_000) }
    }
  }
}

/** What one step of a schedule did, as its journal keeps it. */
interface DueReport {
  /** Ids of the runs that were started. */
  readonly started: readonly string[]
  readonly refused: readonly Refusal[]
  /** The first and the last occurrence that were left out; empty if none was. */
  readonly skipped: readonly string[]
  readonly nextMs: number | null
}

interface Refusal {
  readonly id: string
  readonly code: string
  readonly message: string
}

const lastingCodes = new Set(['invalid_value', 'not_serializable', 'value_too_large', 'run_exists', 'run_purged'])
