import type { FamilyFacts } from './facts.js'
import { type PointKind, pointKinds } from './places.js'

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

/** How many trials struck at one kind of place, and how many of them came out different. */
export interface TrialCount {
  readonly trial: TrialKind
  readonly place: PointKind
  readonly tried: number
  readonly failed: number
}

const columns: readonly (readonly [trial: TrialKind, title: string])[] = [
  ['crash', 'one crash'],
  ['pair', 'a second crash'],
  ['takeover', 'slow, taken over'],
]

/** What a crash test tried, and what came of it. */
export class CrashReport {
  readonly flow: string
  /** What the run without a crash wrote, and all that came of it. */
  readonly facts: FamilyFacts
  /** How many events that were. */
  readonly eventCount: number
  readonly failures: TrialFailure[] = []
  /** Writes of slow workers that were refused because another had taken over. */
  refusedCount = 0
  readonly #counts = new Map<string, TrialCount>()

  constructor(flow: string, facts: FamilyFacts) {
    this.flow = flow
    this.facts = facts
    this.eventCount = [...facts.values()].flat().length
  }

  /** What was tried, by kind of trial and place. */
  get counts(): readonly TrialCount[] {
    return [...this.#counts.values()]
  }

  /** Trials in which a fault really struck. */
  get triedCount(): number {
    return sum(this.counts)
  }

  /** Trials of one kind. */
  countOf(trial: TrialKind): number {
    return sum(this.counts.filter((count) => count.trial === trial))
  }

  /** Adds one trial; a pair counts at the place of its second crash. */
  add(trial: TrialKind, place: PointKind, failure: TrialFailure | undefined): void {
    const key = `${trial}\n${place}`
    const { tried = 0, failed = 0 } = this.#counts.get(key) ?? {}
    this.#counts.set(key, { trial, place, tried: tried + 1, failed: failed + (failure === undefined ? 0 : 1) })
    if (failure !== undefined) this.failures.push(failure)
  }

  /** The counts for people: a row a kind of place, a column a kind of trial. */
  table(): string {
    const outcome = this.failures.length === 0 ? 'all alike' : `${this.failures.length} DIFFER`
    const title = `${this.flow}: ${this.eventCount} events, ${this.triedCount} trials, ${outcome}`
    const places = pointKinds.filter((place) => this.counts.some((count) => count.place === place))
    const shown = columns.filter(([trial]) => this.countOf(trial) > 0)
    const rows = [
      ['the process ends', ...shown.map(([, heading]) => heading)],
      ...places.map((place) => [place, ...shown.map(([trial]) => this.#cell(trial, place))]),
    ]
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
    const line = (row: readonly string[]): string =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
    return [title, ...rows.map((row) => `  ${line(row)}`)].join('\n')
  }

  #cell(trial: TrialKind, place: PointKind): string {
    const { tried = 0, failed = 0 } = this.#counts.get(`${trial}\n${place}`) ?? {}
    if (failed > 0) return `${failed} of ${tried} DIFFER`
    return tried === 0 ? '-' : String(tried)
  }
}

function sum(counts: readonly TrialCount[]): number {
  return counts.reduce((total, { tried }) => total + tried, 0)
}
