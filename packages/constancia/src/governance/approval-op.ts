import { type DeclaredApproval, deadlineOf } from '@constancia/verify'
import { type Host, type Op, OpBase, type OpPlace, type Outcome } from '../engine/index.js'
import { type Draft, decodeValue, encodeValue, type OpId } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { type AskedApproval, askedApproval, pendingOf } from './approvals/pending.js'
import { questionOf } from './approvals/shown.js'
import { requestOf, wakeOf } from './approvals/waiting.js'
import type { AnyProposed } from './contract/action.js'
import type { Government } from './government.js'
import { type About, draftOf } from './kinds.js'

/** What people are asked. */
export interface ApprovalPlan {
  readonly policy: DeclaredApproval
  readonly proposed: AnyProposed | undefined
  readonly question: string
  readonly government: Government
}

/** What people said. */
export type Decision<P extends AnyProposed | undefined = AnyProposed | undefined> =
  | {
      readonly outcome: 'approved'
      /** Exactly what was approved, or its approved amendment, for `ctx.do`; undefined for a plain question. */
      readonly action: P
      readonly isAmended: boolean
      readonly votes: readonly SaidVote[]
    }
  | { readonly outcome: 'rejected' | 'expired' | 'lapsed'; readonly votes: readonly SaidVote[] }

/** One person's answer. */
export interface SaidVote {
  readonly voter: string
  readonly choice: 'approve' | 'reject'
  readonly note: string | undefined
}

/** `ctx.approval`: asks people, and waits for what they say. */
export class ApprovalOp<P extends AnyProposed | undefined> extends OpBase<Decision<P>> implements Op {
  readonly verb = 'approval' as Op['verb']
  readonly hasEffect = false
  readonly #plan: ApprovalPlan

  constructor(host: Host, place: OpPlace, plan: ApprovalPlan) {
    super(host, place)
    this.#plan = plan
  }

  get #asked(): AskedApproval | undefined {
    return askedApproval(this.recorded?.added ?? [])
  }

  get dueMs(): number | undefined {
    const asked = this.#asked
    return asked === undefined ? undefined : wakeOf(asked, this.recorded)
  }

  receive(_event: Outcome): void {
    const asked = this.#asked
    if (asked?.resolved === undefined) throw new Error(`Approval ${this.id} was handed over and is not in the journal.`)
    this.fulfil(decisionOf(asked, this.#plan.proposed) as Decision<P>)
  }

  start(): void {
    if (this.#asked === undefined) this.#write(() => [this.#request()])
    else if (this.dueMs !== undefined) this.host.wait(this)
  }

  onDue(): void {
    this.#write(() => [this.#overdue()])
  }

  describe(): WaitingFor {
    const asked = this.#asked
    const untilMs = asked === undefined ? undefined : deadlineOf(pendingOf(asked, null))
    return { kind: 'approval', op: this.id, name: this.name, ...(untilMs === undefined ? {} : { untilMs }) }
  }

  get #about(): About {
    return { op: this.id, verb: this.verb, name: this.name }
  }

  #write(decide: () => readonly Draft[]): void {
    const before = this.recorded?.added?.length ?? 0
    const wanted = (): boolean => !this.settled && !this.host.ending && (this.recorded?.added?.length ?? 0) === before
    this.host.decide(this, decide, wanted)
  }

  #request(): Draft {
    const { policy, proposed, question, government } = this.#plan
    const { limits } = this.host.parts
    const what = `input of what approval ${JSON.stringify(this.name)} is about`
    const inputText = proposed === undefined ? undefined : encodeValue(proposed.input, { limits, what })
    const contract = government.basis.inForce?.digest ?? '-'
    const asked = { about: this.#about, contract, rule: null, policy, action: proposed?.action, inputText, question }
    return requestOf(asked, this.host)
  }

  #overdue(): Draft {
    const asked = this.#asked
    const about = this.#about
    const deadlineMs = asked === undefined ? undefined : deadlineOf(pendingOf(asked, null))
    const isLate = deadlineMs !== undefined && this.host.parts.clock.now() >= deadlineMs
    if (isLate) return draftOf('ApprovalResolved', { ...about, outcome: 'expired' })
    return draftOf('ApprovalEscalated', { ...about, roles: this.#plan.policy.escalation?.roles ?? [] })
  }
}

function decisionOf(
  { op, votes: cast, resolved, shownText }: AskedApproval,
  proposed: AnyProposed | undefined,
): Decision {
  const votes = cast.map(({ voter, choice, note }) => ({ voter, choice, note }))
  const outcome = resolved?.outcome ?? 'lapsed'
  if (outcome !== 'approved') return { outcome, votes }
  const amended = resolved?.amendedText
  return {
    outcome,
    action: approvedAction({ proposed, text: amended ?? questionOf(shownText).input, op }),
    isAmended: amended !== undefined,
    votes,
  }
}

function approvedAction(given: {
  readonly proposed: AnyProposed | undefined
  /** What was approved, as its text. */
  readonly text: string | null
  readonly op: OpId
}): AnyProposed | undefined {
  const { proposed, text, op } = given
  if (proposed === undefined || text === null) return undefined
  return { action: proposed.action, input: decodeValue(text), approvedBy: op }
}
