import { deadlineOf } from '@constancia/verify/governance'
import { type Op, OpBase, type Outcome, type Ruling } from '../engine/index.js'
import type { Draft } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { type AskedApproval, pendingOf } from './approvals/pending.js'
import { type About, draftOf } from './kinds.js'

const nothing: readonly Outcome[] = []

/** What the ops of governance have in common: what they are is folded from the events about them, and they may ask people. */
export abstract class GovernedOp<T> extends OpBase<T> {
  abstract readonly verb: Op['verb']

  /** The events of governance about it, in the order of the journal: another list whenever there is another event. */
  protected get events(): readonly Outcome[] {
    return this.recorded?.added ?? nothing
  }

  protected get about(): About {
    return { op: this.id, verb: this.verb, name: this.name }
  }

  protected get nowMs(): number {
    const { governing, clock } = this.host.parts
    return governing?.basis.nowMs ?? clock.now()
  }

  /** Writes what is decided when it is about to be written; nothing, once another event is about it or nobody wants it any more. */
  protected write(op: Op, decide: () => Ruling): void {
    const before = this.events
    const isWanted = (): boolean => op.drains === true || (!this.settled && !this.host.ending)
    this.host.decide(op, decide, () => this.events === before && isWanted())
  }

  /**
   * Writes, when the time of an approval has come, that its deadline has passed, or that more may decide. The database's clock says whether
   * it has come, as it does for votes; by another one it may seem so, and then it is waited for again.
   */
  protected writeOverdue(op: Op, asked: AskedApproval): void {
    const before = this.events
    const isWanted = (): boolean => this.events === before && !this.settled && !this.host.ending
    const overdue = (): readonly Draft[] => {
      const { nowMs } = this
      if (nowMs >= (op.dueMs ?? Infinity)) return [this.#overdue(asked, nowMs)]
      this.host.wait(op)
      return []
    }
    this.host.decideExactly(op, overdue, isWanted)
  }

  #overdue(asked: AskedApproval, nowMs: number): Draft {
    const deadlineMs = deadlineOf(pendingOf(asked, null))
    const { about } = this
    if (deadlineMs !== undefined && nowMs >= deadlineMs)
      return draftOf('ApprovalResolved', { ...about, outcome: 'expired', ...this.host.guarded?.tells })
    return draftOf('ApprovalEscalated', { ...about, roles: asked.request.policy.escalation?.roles ?? [] })
  }

  /** What a list shows while people are asked. */
  protected describeAsking(asked: AskedApproval | undefined): WaitingFor {
    const untilMs = asked && deadlineOf(pendingOf(asked, null))
    return { kind: 'approval', op: this.id, name: this.name, ...(untilMs === undefined ? {} : { untilMs }) }
  }
}

/** A fold over events that is computed once for each list of them. */
export function folded<T>(fold: (events: readonly Outcome[]) => T): (events: readonly Outcome[]) => T {
  let last: { readonly events: readonly Outcome[]; readonly value: T } | undefined
  return (events) => {
    if (last?.events !== events) last = { events, value: fold(events) }
    return last.value
  }
}
