import type { Run } from '../engine/index.js'
import { ConstanciaError } from '../journal/index.js'
import type { DiaryWriter } from './kill-diary.js'
import type { StartOrder } from './kill-words.js'
import { deliveryId } from './script.js'

/** Sends the scripted signals of one run, in their order, as soon as its journal is long enough. Every life sends them again. */
export class KillSender {
  readonly #start: StartOrder
  readonly #diary: DiaryWriter
  #run: Run | undefined
  #eventCount = 0
  #sentCount = 0
  #busy = false
  #stopped = false

  constructor(start: StartOrder, diary: DiaryWriter) {
    this.#start = start
    this.#diary = diary
  }

  /** The run was started: signals can be sent from now on. */
  begin(run: Run, eventCount: number): void {
    this.#run = run
    this.grown(eventCount)
  }

  /** The journal has at least so many events. */
  grown(eventCount: number): void {
    this.#eventCount = Math.max(this.#eventCount, eventCount)
    if (!this.#busy) void this.#send()
  }

  /** Sends nothing more: the run has ended. */
  stop(): void {
    this.#stopped = true
  }

  async #send(): Promise<void> {
    this.#busy = true
    for (let next = this.#due(); next !== undefined; next = this.#due()) {
      const delivery = deliveryId(this.#sentCount)
      this.#sentCount += 1
      if (await this.#deliver(next.name, next.payload, delivery)) this.#diary.delivered(this.#start.id, delivery)
    }
    this.#busy = false
  }

  #due(): StartOrder['signals'][number] | undefined {
    const next = this.#stopped ? undefined : this.#start.signals[this.#sentCount]
    return this.#run !== undefined && next !== undefined && (next.afterEvents ?? 1) <= this.#eventCount
      ? next
      : undefined
  }

  // A run that has ended takes no more signals: a life that came late has nothing to send.
  async #deliver(name: string, payload: unknown, delivery: string): Promise<boolean> {
    try {
      await this.#run?.signal(name, payload, { delivery })
      return true
    } catch (error) {
      if (error instanceof ConstanciaError && error.code === 'run_ended') return false
      throw error
    }
  }
}
