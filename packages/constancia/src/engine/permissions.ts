import type { Draft, OpId } from '../journal/index.js'
import type { Addition } from './appender.js'
import { deferredIn, type Guard, type GuardedRun, isHeldBack, type Pause } from './guard.js'
import type { Delivery } from './handover.js'
import type { OpRecord } from './history.js'

/** What permissions are asked about. */
export interface PermissionsInput {
  readonly guard: Guard | undefined
  readonly next: () => Delivery | undefined
  readonly record: (op: OpId) => OpRecord | undefined
  readonly run: () => GuardedRun | undefined
  readonly push: (addition: Addition) => void
}

/** Whether the outcome that is next may reach the flow: that of a pause does once the guard has let it. */
export class Permissions {
  readonly #input: PermissionsInput
  #asked: string | undefined

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** The pause whose outcome is next and has no permission yet. */
  get heldBack(): Pause | undefined {
    const { guard, next, record } = this.#input
    if (guard === undefined) return undefined
    const delivery = next()
    if (delivery?.op === undefined || !isHeldBack(guard, delivery.event, record(delivery.op.id))) return undefined
    const { id: op, verb, name } = delivery.op
    return { op, verb, name, endedBy: delivery.event.kind }
  }

  /** A pause whose permission is put off: nothing executes before it is given, unless the run is to end. */
  get deferred(): Pick<Pause, 'op' | 'name'> | undefined {
    const { guard, run } = this.#input
    const guarded = run()
    if (guard === undefined || guarded === undefined || guarded.isCancelled()) return undefined
    return deferredIn(guarded, guard)
  }

  /** Asks once for a pause: the permission is written, or the end of the run. */
  ask(pause: Pause): void {
    const { guard, run, push } = this.#input
    if (guard === undefined) return
    const guarded = run()
    if (guarded === undefined) return
    // Once, and once more where it was put off and the run is to end.
    const asked = `${pause.op} ${guarded.isCancelled()}`
    if (this.#asked === asked) return
    this.#asked = asked
    const decide = (): readonly Draft[] => guard.afterPause(guarded, pause)
    const isCurrent = (): boolean => this.heldBack?.op === pause.op && this.deferred === undefined
    push({ decide, op: undefined, wanted: isCurrent })
  }
}
