import type { RunRow } from '../store/index.js'
import type { Call } from './command.js'
import { codeOf, messageOf } from './errors.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import { counted } from './text.js'

/** What became of one run. */
export interface Result {
  /** In a word, for programs: `requested`. */
  readonly outcome: string
  /** Whether something was done. */
  readonly isDone: boolean
  /** The same for people, after the run's id. */
  readonly said: string
}

/** The same thing done to many runs. */
export interface Bulk {
  /** `Cancelling` */
  readonly doing: string
  /** What is said where there are many: `Asked 3 runs to cancel`. */
  readonly summary: (count: number) => string
  readonly runs: readonly RunRow[]
  readonly act: (run: RunRow) => Promise<Result>
}

// So many at once share one commit.
const laneCount = 8

interface Tally {
  said: string | undefined
  done: number
  unchanged: number
  refused: number
  fault: unknown
}

/**
 * Does it to one run after the other, a few at a time. Ctrl-C stops after those under way; what was done is told, and
 * calling it again does the rest. What one run refuses does not stop the others; a fault of the store does.
 */
export async function actOnAll(call: Call, bulk: Bulk): Promise<ExitCode> {
  const tally: Tally = { said: undefined, done: 0, unchanged: 0, refused: 0, fault: undefined }
  const progress = call.terminal.progress(bulk.doing, bulk.runs.length)
  call.terminal.announceStop()
  const queue = bulk.runs[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    while (tally.fault === undefined && !call.terminal.interrupts.isInterrupted) {
      const next = queue.next()
      if (next.done === true) return
      await actOnOne(call, bulk, { run: next.value, tally })
      progress.add()
    }
  }
  await Promise.all(Array.from({ length: laneCount }, lane))
  progress.end()
  return conclude(call, bulk, tally)
}

async function actOnOne(
  call: Call,
  bulk: Bulk,
  { run, tally }: { readonly run: RunRow; readonly tally: Tally },
): Promise<void> {
  try {
    const { outcome, isDone, said } = await bulk.act(run)
    tally.said = said
    if (isDone) tally.done += 1
    else tally.unchanged += 1
    if (call.isJson) await call.terminal.tell(JSON.stringify({ run: run.id, outcome }))
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || code.startsWith('store_')) {
      tally.fault ??= error
      return
    }
    tally.refused += 1
    if (call.isJson) await call.terminal.tell(JSON.stringify({ run: run.id, outcome: 'refused', code }))
    call.terminal.say(`${run.id}: ${messageOf(error)}`)
  }
}

async function conclude(call: Call, bulk: Bulk, tally: Tally): Promise<ExitCode> {
  const { terminal, isJson } = call
  const left = bulk.runs.length - tally.done - tally.unchanged - tally.refused
  const summary = summaryOf(bulk, tally, left)
  if (isJson || left > 0) terminal.say(summary)
  else if (summary !== '') await terminal.tell(summary)
  if (tally.fault !== undefined) throw tally.fault
  if (left > 0) {
    terminal.say('Stopped. Give the same command again to do the rest.')
    return exitCodes.interrupted
  }
  return tally.refused > 0 ? exitCodes.refused : exitCodes.done
}

function summaryOf(bulk: Bulk, { done, unchanged, refused, said }: Tally, left: number): string {
  const [run] = bulk.runs
  if (bulk.runs.length === 1 && run !== undefined && left === 0) return said === undefined ? '' : `${run.id} ${said}.`
  const parts = [bulk.summary(done)]
  if (unchanged > 0) parts.push(`${counted(unchanged, 'run')} needed nothing`)
  if (refused > 0) parts.push(`${counted(refused, 'run')} refused`)
  if (left > 0) parts.push(`${counted(left, 'run')} not reached`)
  return `${parts.join('; ')}.`
}
