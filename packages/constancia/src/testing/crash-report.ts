import type { PointKind } from './world.js'

/** What a trial did to a run. */
export type TrialKind = 'crash' | 'pair' | 'takeover'

/** A trial that did not come out as the run without a crash. */
export interface TrialFailure {
  readonly trial: TrialKind
  /** Places struck, counted from 0 within their life. */
  readonly struckAt: readonly number[]
  readonly place: PointKind
  readonly why: string
}

interface Row {
  tried: number
  failed: number
}

/** What a crash test tried, and what came of it. */
export class CrashReport {
  readonly flow: string
  readonly eventCount: number
  readonly failures: TrialFailure[] = []
  /** Writes of slow workers that were refused because another had taken over. */
  refusedCount = 0
  readonly #rows = new Map<string, Row>()

  constructor(flow: string, eventCount: number) {
    this.flow = flow
    this.eventCount = eventCount
  }

  /** Trials in which a fault really struck. */
  get triedCount(): number {
    return [...this.#rows.values()].reduce((sum, row) => sum + row.tried, 0)
  }

  /** Trials of one kind. */
  countOf(trial: TrialKind): number {
    return [...this.#rows].filter(([key]) => key.startsWith(`${trial}\n`)).reduce((sum, [, row]) => sum + row.tried, 0)
  }

  /** Adds one trial. */
  add(trial: TrialKind, place: PointKind, failure: TrialFailure | undefined): void {
    const key = `${trial}\n${place}`
    const row = this.#rows.get(key) ?? { tried: 0, failed: 0 }
    this.#rows.set(key, row)
    row.tried += 1
    if (failure === undefined) return
    row.failed += 1
    this.failures.push(failure)
  }

  /** The counts, one row a kind of place, for people. */
  table(): string {
    const titles: Record<string, string> = {
      crash: 'crash',
      pair: 'two crashes, the second',
      takeover: 'slow, another takes over',
    }
    const lines = [...this.#rows].map(([key, row]) => {
      const [trial = '', place = ''] = key.split('\n')
      return [`${titles[trial] ?? trial} ${place}`, String(row.tried), row.failed === 0 ? 'ok' : `${row.failed} FAILED`]
    })
    const width = Math.max(...lines.map(([what = '']) => what.length), 24)
    const body = lines.map(
      ([what = '', tried = '', outcome = '']) => `  ${what.padEnd(width)}  ${tried.padStart(6)}  ${outcome}`,
    )
    return [`${this.flow}: ${this.eventCount} events, ${this.triedCount} trials`, ...body].join('\n')
  }
}
