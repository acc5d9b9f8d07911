/** Who may do something next: a worker that lost its claim, whoever took its run over, or the world outside. */
export type Actor = 'zombie' | 'successor' | 'outside'

/** All the orders in which a few actors can do what each does one after the other, by going through them again and again. */
export class Schedules {
  #choices: number[] = []
  #isFirst = true
  /** How many were gone through to their end. */
  count = 0

  /** The next schedule; undefined after the last. */
  next(): Schedule | undefined {
    if (!this.#isFirst && !this.#turn()) return undefined
    this.#isFirst = false
    this.count += 1
    const schedule = new Schedule(this.#choices)
    return schedule
  }

  /** Takes what a schedule came to: where it had a choice, and between how many. */
  took(schedule: Schedule): void {
    this.#options = schedule.options
    this.#choices = schedule.taken
  }

  #options: readonly number[] = []

  // As a counter whose last digit moves on first, and whose digits end where their choices do.
  #turn(): boolean {
    for (let index = this.#choices.length - 1; index >= 0; index -= 1) {
      const choice = this.#choices[index] ?? 0
      if (choice + 1 >= (this.#options[index] ?? 0)) continue
      this.#choices = [...this.#choices.slice(0, index), choice + 1]
      return true
    }
    return false
  }
}

/** One order: it answers each choice, first as it was told to, and then always with the first. */
export class Schedule {
  readonly #told: readonly number[]
  readonly taken: number[] = []
  readonly options: number[] = []
  /** Who did what, in this order. */
  readonly told: string[] = []

  constructor(told: readonly number[]) {
    this.#told = told
  }

  choose<T>(options: readonly T[]): T {
    if (options.length === 1) return options[0] as T
    const choice = this.#told[this.taken.length] ?? 0
    this.taken.push(choice)
    this.options.push(options.length)
    return options[choice] as T
  }
}
