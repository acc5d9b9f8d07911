import type { Checkpoint, Log } from '../../store/index.js'
import type { OutsidePlace } from '../index.js'

/** What checkpoints are brought outside with. */
export interface DeliveryParts {
  readonly log: Log
  readonly place: OutsidePlace
  readonly tell: Tell
}

/** Tells an operator something. */
export type Tell = (level: 'info' | 'warn' | 'error', message: string) => void

const pageSize = 100

/** Brings checkpoints to one place outside, in their order, each once as far as this process knows. A place that is away delays nobody. */
export class Delivery {
  readonly #parts: DeliveryParts
  /** The greatest size that is known to be there. */
  #keptSize: number
  #underway: Promise<void> | undefined
  #isAway = false

  constructor(parts: DeliveryParts, keptSize: number) {
    this.#parts = parts
    this.#keptSize = keptSize
  }

  /** Brings what is not there yet. Never rejects: what could not be brought is brought the next time. */
  deliver(): Promise<void> {
    this.#underway ??= this.#deliver().finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    await this.#underway
  }

  async #deliver(): Promise<void> {
    const { log, place, tell } = this.#parts
    try {
      for (;;) {
        const some = await log.checkpoints({ fromSize: this.#keptSize + 1, limit: pageSize })
        for (const checkpoint of some) await this.#keep(checkpoint)
        if (some.length < pageSize) break
      }
      if (this.#isAway) tell('info', `Checkpoints reach ${place.name} again.`)
      this.#isAway = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `Checkpoints do not reach ${place.name} (${reason}). Runs and sealing go on, and they are brought there once it is back.`
      if (!this.#isAway) tell('warn', message)
      this.#isAway = true
    }
  }

  async #keep(checkpoint: Checkpoint): Promise<void> {
    await this.#parts.place.keep(checkpoint)
    this.#keptSize = checkpoint.size
  }
}
