import type { Checkpoint, Log } from '../../store/index.js'
import type { OutsidePlace } from '../index.js'
import { Errand, type Tell } from './errand.js'

/** What checkpoints are brought outside with. */
export interface DeliveryParts {
  readonly log: Log
  readonly place: OutsidePlace
  readonly tell: Tell
}

const pageSize = 100

/** Brings checkpoints to one place outside, in their order, each once as far as this process knows. A place that is away delays nobody. */
export class Delivery {
  readonly #parts: DeliveryParts
  /** The greatest size that is known to be there. */
  #keptSize: number
  readonly #errand: Errand

  constructor(parts: DeliveryParts, keptSize: number) {
    this.#parts = parts
    this.#keptSize = keptSize
    const { name } = parts.place
    this.#errand = new Errand({
      tell: parts.tell,
      act: () => this.#bring(),
      works: `Checkpoints reach ${name} again.`,
      fails: (reason) =>
        `Checkpoints do not reach ${name} (${reason}). Runs and sealing go on, and they are brought there once it is back.`,
    })
  }

  /** Brings what is not there yet. Never rejects: what could not be brought is brought the next time. */
  deliver(): Promise<void> {
    return this.#errand.run()
  }

  /** Resolves once nothing is under way. */
  settled(): Promise<void> {
    return this.#errand.settled()
  }

  async #bring(): Promise<void> {
    for (;;) {
      const some = await this.#parts.log.checkpoints({ fromSize: this.#keptSize + 1, limit: pageSize })
      for (const checkpoint of some) await this.#keep(checkpoint)
      if (some.length < pageSize) return
    }
  }

  async #keep(checkpoint: Checkpoint): Promise<void> {
    await this.#parts.place.keep(checkpoint)
    this.#keptSize = checkpoint.size
  }
}
