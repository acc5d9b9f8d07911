import { draftOf, type TimerSpec } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { type Host, type Op, OpBase, type OpPlace } from './op.js'

/** `ctx.sleep`: records what was asked for, and waits for it. */
export class SleepOp extends OpBase<void> implements Op {
  readonly verb = 'sleep'
  readonly hasEffect = false
  readonly #timer: TimerSpec

  constructor(host: Host, place: OpPlace, timer: TimerSpec) {
    super(host, place)
    this.#timer = timer
  }

  get dueMs(): number | undefined {
    return this.recorded?.timer?.dueMs
  }

  receive(): void {
    this.fulfil(undefined)
  }

  start(): void {
    const { id: op, name, verb } = this
    if (this.dueMs === undefined) this.host.record(draftOf('TimerSet', { op, verb, name, timer: this.#timer }))
    else this.host.wait(this)
  }

  onDue(): void {
    this.host.offer(this, draftOf('TimerFired', { op: this.id }), () => !this.settled && !this.host.ending)
  }

  describe(): WaitingFor {
    const untilMs = this.dueMs
    return { kind: 'timer', op: this.id, name: this.name, ...(untilMs === undefined ? {} : { untilMs }) }
  }
}
