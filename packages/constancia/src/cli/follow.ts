import type { Runtime } from '../engine/index.js'
import type { StoredEvent } from '../journal/index.js'
import { type RunRow, systemClock } from '../store/index.js'
import type { Call } from './command.js'

/** Whom to follow, from where on. */
export interface Followed {
  readonly runtime: Runtime
  readonly row: RunRow
  readonly knownCount: number
}

/** Takes what is new: the run now, its whole journal, and the first event that was not there before. */
export type OnNews = (row: RunRow, events: readonly StoredEvent[], fromSeq: number) => Promise<void>

const everyMs = 300

/** Looks for new events of a run until it has ended or somebody wants us to stop. */
export async function follow(call: Call, { runtime, row, knownCount }: Followed, onNews: OnNews): Promise<void> {
  let [now, known] = [row, knownCount]
  while (now.outcome === 'open' && !call.terminal.interrupts.isInterrupted && !call.terminal.readerLeft) {
    await pause(everyMs, call.terminal.interrupts.signal)
    now = await runtime.run(row.id).row()
    if (now.head.seq + 1 <= known) continue
    const events = await runtime.run(row.id).events()
    await onNews(now, events, known)
    known = events.length
  }
}

/** Waits so long, or until somebody wants us to stop. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      disarm()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const disarm = systemClock.after(delayMs, over)
    signal.addEventListener('abort', over)
    if (signal.aborted) over()
  })
}
