import { ErasedPlaces, type GovernanceBodies } from '@constancia/verify/governance'
import type { StoredEvent } from '../../journal/index.js'
import { type Store, sealedLast } from '../../store/index.js'

const pageSize = 500

/** What governance says was erased, up to the event that is sealed, and beyond it. */
export class Erasures {
  /** The last event of governance that is sealed. */
  readonly sealedSeq: number
  readonly #sealed = new ErasedPlaces()

  constructor(sealedSeq: number) {
    this.sealedSeq = sealedSeq
  }

  /** Takes an event of governance that is sealed. */
  add({ kind, body }: StoredEvent): void {
    if (kind === 'Erased') this.#sealed.add(JSON.parse(body) as GovernanceBodies['Erased'])
  }

  /** Whether what an event carried was erased by an event of governance that is not sealed yet. Rejects with faults of the store. */
  async isUnsealed(store: Pick<Store, 'read'>, { stream, seq }: StoredEvent): Promise<boolean> {
    if (this.#sealed.has(stream, seq)) return false
    for (let fromSeq = this.sealedSeq + 1; ; fromSeq += pageSize) {
      const events = await store.read(sealedLast, { fromSeq, limit: pageSize })
      const later = new ErasedPlaces()
      for (const event of events)
        if (event.kind === 'Erased') later.add(JSON.parse(event.body) as GovernanceBodies['Erased'])
      if (later.has(stream, seq)) return true
      if (events.length < pageSize) return false
    }
  }
}
