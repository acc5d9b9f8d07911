import type { Place } from './place.js'
import type { Row } from './row.js'

/** What a part of the benchmarks needs. */
export interface Measuring {
  readonly place: Place
  /** A few steps of everything, to see that it works. */
  readonly isQuick: boolean
  /** Told of each thing that was measured, for whoever waits. */
  readonly tell: (what: string) => void
}

/** What a part of the benchmarks found. */
export interface Chapter {
  readonly rows: readonly Row[]
  /** How often it was measured, in a sentence. */
  readonly rounds: string
  /** What it was measured on, beside the machine. */
  readonly server?: string
}
