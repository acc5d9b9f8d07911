import { bodyOf, type Draft, draftOf, type OpId, type RunId, type StoredEvent } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'

interface Child {
  readonly run: RunId
  isCancelRequested: boolean
}

/** The children of one run that have not ended, as its journal tells. */
export class Children {
  readonly #open = new Map<OpId, Child>()

  /** How many have not ended. */
  get openCount(): number {
    return this.#open.size
  }

  /** Adds the next event. */
  add(event: StoredEvent): void {
    switch (event.kind) {
      case 'ChildStarted': {
        const { op, child } = bodyOf(event, 'ChildStarted')
        this.#open.set(op, { run: child, isCancelRequested: false })
        return
      }
      case 'ChildCancelRequested': {
        const child = this.#open.get(bodyOf(event, 'ChildCancelRequested').op)
        if (child !== undefined) child.isCancelRequested = true
        return
      }
      case 'ChildEnded':
        this.#open.delete(bodyOf(event, 'ChildEnded').op)
    }
  }

  /** Whether the child of this op is still to be cancelled. */
  isToCancel(op: OpId): boolean {
    return this.#open.get(op)?.isCancelRequested === false
  }

  /** What asks children to end, but for those that stay and those that were asked, in the order in which they started. */
  cancellations(isToStay: (op: OpId) => boolean): { readonly op: OpId; readonly draft: Draft }[] {
    return [...this.#open]
      .filter(([op, child]) => !child.isCancelRequested && !isToStay(op))
      .map(([op, { run: child }]) => ({ op, draft: draftOf('ChildCancelRequested', { op, child }) }))
  }

  /** What a list shows while the run waits for them. */
  describe(): WaitingFor[] {
    return [...this.#open].map(([op, { run }]) => ({ kind: 'child', op, name: run }))
  }
}
