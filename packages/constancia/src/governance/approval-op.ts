import type { DeclaredApproval } from '@constancia/verify/governance'
import type { Host, Op, OpPlace, Outcome } from '../engine/index.js'
import { type Draft, decodeValue, encodeValue, type OpId } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { type AskedApproval, askedApproval } from './approvals/pending.js'
import { questionOf } from './approvals/shown.js'
import { requestOf, wakeOf } from './approvals/waiting.js'
import type { AnyProposed } from './contract/action.js'
import { folded, GovernedOp } from './governed-op.js'
import type { Government } from './government.js'

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
export class ApprovalOp<P extends AnyProposed | undefined> extends GovernedOp<Decision<P>> implements Op {
  readonly verb = 'approval' as Op['verb']
  readonly hasEffect = false
  readonly #plan: ApprovalPlan
  readonly #askedIn = folded(askedApproval)

  constructor(host: Host, place: OpPlace, plan: ApprovalPlan) {
    super(host, place)
    this.#plan = plan
  }

  get #asked(): AskedApproval | undefined {
    return this.#askedIn(this.events)
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
    if (this.#asked === undefined) this.write(this, () => [this.#request()])
    else if (this.dueMs !== undefined) this.host.wait(this)
  }

  onDue(): void {
    const asked = this.#asked
    if (asked !== undefined) this.writeOverdue(this, asked)
  }

  describe(): WaitingFor {
    return this.describeAsking(this.#asked)
  }

  #request(): Draft {
    const { policy, proposed, question, government } = this.#plan
    const { limits } = this.host.parts
    const what = `input of what approval ${JSON.stringify(this.name)} is about`
    const inputText = proposed === undefined ? undefined : encodeValue(proposed.input, { limits, what })
    const contract = government.basis.inForce?.digest ?? '-'
    const asked = { about: this.about, contract, rule: null, policy, action: proposed?.action, inputText, question }
    return requestOf(asked, this.host)
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
