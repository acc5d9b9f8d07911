import { decodeValue, draftOf, type TimerSpec } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import type { Outcome } from './history.js'
import { type Host, type Op, OpBase, type OpPlace } from './op.js'
import { parseWith, type Schema } from './schema.js'

/** What a wait with a limit brings: the signal, or word that it did not come in time. */
export type Received<T> = { readonly kind: 'received'; readonly value: T } | { readonly kind: 'timed_out' }

/** What a wait for a signal asks for. */
export interface SignalPlan<T> {
  readonly schema: Schema<T> | undefined
  /** Undefined: for ever. */
  readonly timer: TimerSpec | undefined
}

/** `ctx.signal`: waits for the next signal of a name that nobody has read. */
export class SignalOp<T> extends OpBase<Received<T>> implements Op {
  readonly verb = 'signal'
  readonly hasEffect = false
  readonly #plan: SignalPlan<T>

  constructor(host: Host, place: OpPlace, plan: SignalPlan<T>) {
    super(host, place)
    this.#plan = plan
    host.awaitSignal(this)
  }

  get dueMs(): number | undefined {
    return this.recorded?.timer?.dueMs
  }

  receive(event: Outcome): void {
    if (event.kind === 'TimerFired') return this.fulfil({ kind: 'timed_out' })
    try {
      const value = parseWith(this.#plan.schema, decodeValue(event.data ?? ''), `Signal ${JSON.stringify(this.name)}`)
      return this.fulfil({ kind: 'received', value })
    } catch (error) {
      return this.fail(error)
    }
  }

  start(): void {
    const { id: op, name, verb } = this
    const { timer } = this.#plan
    if (timer === undefined) return
    if (this.dueMs === undefined) this.host.record(draftOf('TimerSet', { op, verb, name, timer }))
    else this.host.wait(this)
  }

  onDue(): void {
    // A signal that is in the journal before the timer's end wins, even if it was not handed over yet.
    const wanted = (): boolean => !this.settled && !this.host.ending && !this.host.hasSignalFor(this)
    this.host.offer(this, draftOf('TimerFired', { op: this.id }), wanted)
  }

  describe(): WaitingFor {
    const untilMs = this.dueMs
    return { kind: 'signal', op: this.id, name: this.name, ...(untilMs === undefined ? {} : { untilMs }) }
  }
}
