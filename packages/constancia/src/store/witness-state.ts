/** The last checkpoint of a log that a witness has cosigned. */
export interface WitnessedHead {
  /** The name of the log. */
  readonly origin: string
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly root: string
  /** The signed note, as the log sent it. */
  readonly note: string
  /** When it was cosigned first, in seconds since 1970. */
  readonly seconds: number
}

/** A checkpoint that was signed by a log and does not go on from what was cosigned: what an auditor shows to others. */
export interface Contradiction extends WitnessedHead {
  /** `fork`: the same size as was cosigned, and another root. `unproven`: nothing showed that it goes on from there. */
  readonly kind: 'fork' | 'unproven'
}

/** What a witness remembers. Everything is synchronous, and durable when it returns. */
export interface WitnessState {
  /** The last one of a log; undefined where none was cosigned. */
  last(origin: string): WitnessedHead | undefined
  /** The last one of each log, by their names. */
  all(): WitnessedHead[]
  /** Keeps the next one of a log if the last one is still of `oldSize` leaves (0 for none), compared in the same transaction: otherwise false, and nothing is kept. */
  advance(next: WitnessedHead, oldSize: number): boolean
  /** Keeps a contradiction, each checkpoint once and the first hundred of a log. */
  contradict(contradiction: Contradiction): void
  contradictions(): Contradiction[]
  /** Lets others work on it. */
  close(): void
}
