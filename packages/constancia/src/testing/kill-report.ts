import type { KillPlace } from './kill-plan.js'

/** What a kill test did, and what came of it. Everything is counted when it has really happened. */
export class KillReport {
  /** The fates follow from it. */
  readonly seed: number
  readonly failures: string[] = []
  /** Outputs of the runs by id, of the round in which nobody was killed; every round had the same. */
  outputs: ReadonlyMap<string, unknown> = new Map()
  roundCount = 0
  lifeCount = 0
  /** Processes that were stopped for longer than their lease, and went on. */
  stopCount = 0
  /** Appends refused because another worker had taken the run. */
  refusedCount = 0
  /** Events that a process was told are stored. All of them are. */
  acknowledgedCount = 0
  /** Events in the journals. */
  eventCount = 0
  /** What reached the destination, repetitions included. */
  requestCount = 0
  /** What the destination accepted, in all rounds. */
  acceptedCount = 0
  /** Milliseconds from the first life to the last. */
  durationMs = 0
  readonly #byPlace = new Map<KillPlace, number>()

  constructor(seed: number) {
    this.seed = seed
  }

  /** Processes whose end was SIGKILL. */
  get killCount(): number {
    return [...this.#byPlace.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Those among them that were ended at one place. */
  killsAt(place: KillPlace): number {
    return this.#byPlace.get(place) ?? 0
  }

  /** Adds one process whose end was SIGKILL. */
  addKill(place: KillPlace): void {
    this.#byPlace.set(place, this.killsAt(place) + 1)
  }

  /** The counts, for people. */
  table(): string {
    const perLife = Math.round(this.durationMs / Math.max(1, this.lifeCount))
    const head = `${this.killCount} processes ended by SIGKILL, ${this.lifeCount} in all, ${this.roundCount} rounds, ${perLife} ms each, seed ${this.seed}`
    const places = [...this.#byPlace]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([place, count]) => [`killed ${place}`, count] as const)
    const rows = [
      ...places,
      ['stopped while others took over', this.stopCount],
      ['appends refused to those who came late', this.refusedCount],
      ['events acknowledged', this.acknowledgedCount],
      ['events in the journals', this.eventCount],
      ['requests at the destination', this.requestCount],
      ['effects accepted', this.acceptedCount],
      ['differences', this.failures.length],
    ] as const
    const width = Math.max(...rows.map(([what]) => what.length))
    return [head, ...rows.map(([what, count]) => `  ${what.padEnd(width)}  ${String(count).padStart(8)}`)].join('\n')
  }
}
