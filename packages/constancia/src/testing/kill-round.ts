import { join } from 'node:path'
import { type Diary, readDiary } from './kill-diary.js'
import { KillLife, type KillLifeEnd } from './kill-life.js'
import { type Fate, type KillPlan, undisturbed } from './kill-plan.js'
import type { KillReport } from './kill-report.js'
import type { StartOrder } from './kill-words.js'

/** What a round is made of. */
export interface RoundInput {
  readonly flows: string
  readonly starts: readonly StartOrder[]
  /** URL of the module that opens the store; a SQLite file unless set. */
  readonly stores: string | undefined
  /** Where the store is. */
  readonly address: unknown
  /** A folder of its own, for the diaries and the mark. */
  readonly folder: string
  readonly workers: number
  readonly concurrency: number
  readonly leaseMs: number
  readonly lifeMsMax: number
  readonly plan: KillPlan
  readonly report: KillReport
  /** Kills and stops that are still to be done, in all. */
  readonly budget: { kills: number; stops: number }
}

/** One store, and processes that work on it until every run has ended: wherever one is ended, another takes its place. */
export class KillRound {
  readonly diaries: Diary[] = []
  readonly #input: RoundInput
  readonly #lives = new Set<KillLife>()
  #lifeCount = 0
  #isOver = false
  #failure: string | undefined

  constructor(input: RoundInput) {
    this.#input = input
  }

  /** Plays the round. Returns why it came to no end, or undefined; every process is gone then. */
  async play(): Promise<string | undefined> {
    await Promise.all(Array.from({ length: this.#input.workers }, () => this.#lane()))
    return this.#failure
  }

  async #lane(): Promise<void> {
    while (!this.#isOver) {
      const fate = this.#nextFate()
      this.#lifeCount += 1
      const diaryPath = join(this.#input.folder, `life-${this.#lifeCount}.txt`)
      const life = this.#begin(fate, diaryPath)
      const end = await life.over
      this.#lives.delete(life)
      const diary = readDiary(diaryPath)
      this.diaries.push(diary)
      this.#count(fate, end, diary)
    }
  }

  #begin(fate: Fate, diary: string): KillLife {
    const { flows, stores, address, folder, starts, leaseMs, concurrency, lifeMsMax } = this.#input
    const order = { address, mark: join(folder, 'mark'), diary, starts, leaseMs, concurrency, doom: fate.doom }
    const life = new KillLife({ flows, stores, order, fate, lifeMsMax })
    this.#lives.add(life)
    return life
  }

  // Stops first, as long as both are wanted, one of them for some kills.
  #nextFate(): Fate {
    const { budget, plan, workers } = this.#input
    if (budget.stops > 0 && workers > 1 && this.#lifeCount % workers === 0) {
      budget.stops -= 1
      budget.kills -= 1
      return plan.stop()
    }
    if (budget.kills <= 0) return undisturbed
    budget.kills -= 1
    return plan.kill()
  }

  #count(fate: Fate, end: KillLifeEnd, diary: Diary): void {
    const { report, budget } = this.#input
    report.lifeCount += 1
    report.acknowledgedCount += diary.stored.length
    report.refusedCount += diary.refused.length
    if (end.kind === 'failed')
      return this.#fail(`Life ${this.#lifeCount} of round ${report.roundCount + 1} failed: ${end.why}`)
    if (end.wasStopped) report.stopCount += 1
    else if (fate.stop !== undefined) budget.stops += 1
    if (end.kind === 'ended') {
      this.#isOver = true
      if (fate.doom !== undefined) budget.kills += 1
      return
    }
    if (fate.doom?.kind === 'itself' && diary.struck !== end.place) {
      return this.#fail(`A process was ended by SIGKILL, but not by this test, which meant to end it ${end.place}.`)
    }
    report.addKill(end.place)
  }

  #fail(why: string): void {
    this.#failure ??= why
    this.#isOver = true
    for (const life of this.#lives) life.end()
  }
}
