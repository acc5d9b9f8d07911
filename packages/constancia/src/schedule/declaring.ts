import { type Flow, type Logger, type Run, type Runtime, stderrLogger } from '../engine/index.js'
import { bodyOf, ConstanciaError, decodeValue, type StoredEvent } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import type { Schedule } from './schedule.js'
import { runIdOf } from './schedule-flow.js'
import { declaredSignal, readSpec, type ScheduleInput } from './spec.js'

/** A schedule, and the flow that keeps it. */
export interface Kept {
  readonly schedule: Schedule
  readonly flow: Flow<ScheduleInput, unknown>
}

/**
 * Makes sure that the run of a schedule exists and knows what is declared here. Whoever declares the same at the same time declares
 * it once: the number of declarations before it is in the delivery id, so that A, B and A again are three.
 */
export async function declare(runtime: Runtime, { schedule, flow }: Kept, log: Logger = stderrLogger): Promise<void> {
  const { name, spec } = schedule
  const id = runIdOf(name)
  try {
    const row = (await existing(runtime, id)) ?? (await (await runtime.start(flow, { schedule: name }, { id })).row())
    if (row.flow !== flow.name) throw occupied(id, row.flow)
    const latest = await latestOf(runtime, row)
    const told = latest === undefined ? undefined : await toldTo(runtime.run(latest.id))
    if (latest?.outcome !== 'open' || told === undefined)
      return log('warn', stopped(name, latest?.outcome), { run: id })
    if (told.digest === spec.digest) return
    const delivery = `declared:${told.count}:${spec.digest}`
    await runtime.run(id).signal(declaredSignal, spec, { delivery })
  } catch (error) {
    if (!isCode(error, 'run_ended', 'run_purged')) throw error
    log('warn', stopped(name), { run: id })
  }
}

async function existing(runtime: Runtime, id: string): Promise<RunRow | undefined> {
  try {
    return await runtime.run(id).row()
  } catch (error) {
    if (isCode(error, 'unknown_run')) return undefined
    throw error
  }
}

// Of the run that has taken over in the end: the journals of those before it may be gone.
async function latestOf(runtime: Runtime, row: RunRow): Promise<RunRow | undefined> {
  const latest = row.latest ?? row.continuedAs
  return latest === undefined || latest === row.id ? row : existing(runtime, latest)
}

/** How often a schedule's run was told what is declared, and what it was told last; from the journal of the latest of its runs. */
async function toldTo(run: Run): Promise<{ readonly count: number; readonly digest: string | undefined }> {
  const events = await run.events()
  const state = inputOf(events[0])?.state
  let count = state?.declaredCount ?? 0
  let digest = state?.spec.digest
  for (const event of events) {
    if (event.kind !== 'SignalReceived' || bodyOf(event, 'SignalReceived').name !== declaredSignal) continue
    count += 1
    // Of a schedule that is over it may have been erased.
    if (event.data !== undefined) digest = readSpec(decodeValue(event.data))?.digest ?? digest
  }
  return { count, digest }
}

function inputOf(started: StoredEvent | undefined): ScheduleInput | undefined {
  return started?.data === undefined ? undefined : (decodeValue(started.data) as ScheduleInput)
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ConstanciaError && codes.includes(error.code)
}

function stopped(name: string, outcome = 'cancelled'): string {
  return (
    `Schedule ${name} is not due any more: its run ${runIdOf(name)} has ended as ${outcome}. ` +
    'That is for good; declare it under another name to have it again, or take it out of the schedules.'
  )
}

function occupied(id: string, flow: string): ConstanciaError {
  const message = `Run ${id} belongs to flow ${flow}, so the schedule of that name was not begun. Give the schedule another name.`
  return new ConstanciaError('run_exists', message)
}
