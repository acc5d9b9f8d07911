import { type Host, type Op, OpBase, type OpPlace, type Outcome } from '../engine/index.js'
import type { WaitingFor } from '../store/index.js'
import { draftOf } from './kinds.js'

/** What is said to the user. */
export interface SayPlan {
  readonly template: string
  readonly language: string
  /** The text of the values. */
  readonly values: string
}

/** `ctx.say`: records a turn for the user, made of a template of the contract and values. */
export class SayOp extends OpBase<void> implements Op {
  readonly verb = 'say' as Op['verb']
  readonly hasEffect = false
  readonly dueMs = undefined
  readonly #plan: SayPlan

  constructor(host: Host, place: OpPlace, plan: SayPlan) {
    super(host, place)
    this.#plan = plan
  }

  start(): void {
    const { template, language, values } = this.#plan
    const body = { op: this.id, verb: this.verb, name: this.name, template, language, ...this.host.guarded?.tells }
    this.host.offer(this, draftOf('MessageSent', body, values), () => !this.settled && !this.host.ending)
  }

  onDue(): void {
    // It waits for nothing.
  }

  receive(_event: Outcome): void {
    this.fulfil()
  }

  describe(): WaitingFor {
    return { kind: 'retry', op: this.id, name: this.name }
  }
}
