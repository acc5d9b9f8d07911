import type { Load } from '../advancing.js'
import type { Where } from '../where.js'

/** What a process of its own is to do. */
export type Order =
  /** Starts so many runs and brings all of them to rest. */
  | { readonly kind: 'park'; readonly file: string; readonly runs: number }
  /** Opens the file, does the one run that is due, and stays idle. */
  | { readonly kind: 'stay'; readonly file: string; readonly idleMs: number }
  /** Wakes runs of its own by signals, one after the other. */
  | { readonly kind: 'wake'; readonly file: string; readonly bareFile: string; readonly runs: readonly string[] }
  /** Works, and tells of each run that another process has woken. */
  | { readonly kind: 'serve'; readonly where: Where }
  /** Advances so many runs, all of them at once, by so many steps. */
  | { readonly kind: 'advance'; readonly file: string; readonly runs: number; readonly steps: number }
  /** Starts so many parents at once, each with a child that it waits for. */
  | { readonly kind: 'call'; readonly file: string; readonly pairs: number }
  /** Starts so many short runs, which nobody advances yet. */
  | { readonly kind: 'fill'; readonly where: Where; readonly runs: number; readonly steps: number }
  /** Advances short runs of so many steps, and tells how many of them it has done. */
  | { readonly kind: 'drain'; readonly where: Where; readonly steps: number }
  /** Writes a stretch of a load with a bare driver whenever it is told to go on. */
  | { readonly kind: 'bare'; readonly where: Where; readonly load: Load }
  /** Does so many runs of so many steps whenever it is told to go on, perhaps sealed meanwhile. */
  | {
      readonly kind: 'seal'
      readonly file: string
      readonly runs: number
      readonly steps: number
      readonly isSealed: boolean
    }

/** An order of one kind. */
export type OrderOf<Kind extends Order['kind']> = Extract<Order, { readonly kind: Kind }>

/** What a process found that works on parked runs and has nothing to do. Bytes and milliseconds. */
export interface Stayed {
  /** From the start of the process until the step of the one run that was due. */
  readonly startMs: number
  /** Of the heap after collection. */
  readonly heapBytes: number
  readonly residentBytes: number
  /** Share of one processor while nothing was to do. */
  readonly idlePercent: number
}

/** What waking runs came to, one after the other, and what one bare commit took after each. Milliseconds. */
export interface Woken {
  readonly latenciesMs: readonly number[]
  readonly bareMs: readonly number[]
}

/** What advancing many runs at once came to. */
export interface Advancing {
  /** Microseconds of this process for one step of any run. */
  readonly stepUs: number
  readonly heapPeakBytes: number
  readonly residentPeakBytes: number
  /** The longest that the event loop was kept. */
  readonly blockMs: number
}

/** What work came to that was sealed or not, since it began. */
export interface Worked {
  /** Milliseconds of the processors, of all threads of the process, also while nothing was asked of it. */
  readonly cpuMs: number
  readonly checkpointCount: number
}
