import type { StoredEvent } from './event.js'
import type { OpId } from './ids.js'
import { bodyOf, type Restricts } from './kinds.js'

/**
 * Whether people have decided something in a run or in its children that no message of its user followed, as its journal
 * tells: a fold. A decision whose wait was put off until the next message, and let go on since, restricts nobody any more.
 */
export class Restriction {
  // Ops with a decision that no message followed.
  readonly #decided = new Set<OpId>()
  readonly #deferred = new Set<OpId>()
  readonly #children = new Set<OpId>()
  #isChild = false
  #isInherited = false
  #isCancelled = false

  /** Adds the next event. */
  add(event: Pick<StoredEvent, 'kind' | 'body' | 'data'>): void {
    switch (event.kind) {
      case 'FlowStarted': {
        const { parent, restricts } = bodyOf(event, 'FlowStarted')
        this.#isChild = parent !== undefined
        this.#isInherited = restricts === true
        return
      }
      case 'ChildEnded': {
        const { op, restricts } = bodyOf(event, 'ChildEnded')
        if (restricts === true) this.#children.add(op)
        if (restricts === true) this.#decided.add(op)
        return
      }
      case 'ApprovalResolved':
        this.#decided.add(opOf(event))
        return
      case 'ResumeDeferred':
        this.#deferred.add(opOf(event))
        return
      case 'ResumeAuthorized':
        // Of a run that is to end, no message lets it go on.
        if (this.#deferred.size > 0 && !this.#isCancelled) this.#lift(opOf(event))
        return
      case 'CancelRequested':
        this.#isCancelled = true
    }
  }

  #lift(op: OpId): void {
    if (this.#deferred.has(op)) this.#decided.delete(op)
  }

  /** Whether the end of the child that this op started brought a restriction along. */
  isFromChildOf(op: OpId): boolean {
    return this.#children.has(op)
  }

  /** What the next event says that goes to whoever waits for the end of the run; nothing where nobody does. */
  get facts(): Restricts {
    return this.#isChild && (this.#isInherited || this.#decided.size > 0) ? { restricts: true } : {}
  }
}

function opOf({ body }: Pick<StoredEvent, 'body'>): OpId {
  return (JSON.parse(body) as { readonly op: OpId }).op
}
