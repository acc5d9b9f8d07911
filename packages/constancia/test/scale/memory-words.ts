/** How many runs the process is to work through. */
export interface MemoryOrder {
  readonly file: string
  /** Short ones in all; what the process holds is looked at after a quarter and a half of them as well. */
  readonly shortCount: number
  readonly parkedCount: number
  readonly cancelledCount: number
}

/** What the process holds at one moment. */
export interface Held {
  /** Bytes of the heap after collection. */
  readonly heapBytes: number
  /** Timers, handles and requests under way, by their kinds. */
  readonly resources: Readonly<Record<string, number>>
  /** Listeners of the process and of whatever abort signal is still reachable from a flow. */
  readonly listenerCount: number
}

/** What it held after which of its work. */
export interface MemoryReport {
  /** Before the store was opened. */
  readonly unopened: Held
  /** After a few runs of every kind. */
  readonly begun: Held
  readonly quarter: Held
  readonly half: Held
  readonly whole: Held
  readonly parked: Held
  readonly cancelled: Held
  /** After the runtime was closed. */
  readonly closed: Held
  /** Of the runs that were cancelled, how many have ended so. */
  readonly cancelledCount: number
}
