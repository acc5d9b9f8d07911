import type { Alteration, Amendment, Case } from './words.js'

/** What the votes are about that were asked for. */
export interface Question {
  readonly requestedAtMs: number
  readonly withinMs: number
  votes: string[]
}

/**
 * Who may what, by the words of the requirements alone and from nothing of what is tested: no function, no type and no table is shared
 * with the gate or with a verifier.
 */
export class WorldModel {
  readonly #roles = new Map<string, number>()
  readonly #stands = new Map<string, number>()
  readonly #behind = new Map<string, string>()
  readonly #quorum: number
  readonly #amounts: { readonly cents: number; readonly asked: number }
  #inForce: readonly Amendment[] = []
  objection: string | undefined
  nowMs = 0

  constructor({ quorum, style }: Pick<Case, 'quorum' | 'style'>, cents: number) {
    this.#quorum = quorum
    this.#amounts = { asked: cents, cents: style === 'ask-and-alter' ? cents - 1 : cents }
  }

  grant(principal: string, role: string, untilMs = Number.POSITIVE_INFINITY): void {
    this.#roles.set(`${principal} ${role}`, untilMs)
  }

  delegate(from: string, to: string, untilMs: number): void {
    this.#stands.set(`${from} ${to}`, untilMs)
  }

  take(alteration: Alteration): void {
    switch (alteration.kind) {
      case 'grant':
        return this.grant(alteration.principal, alteration.role)
      case 'revoke':
        return void this.#roles.delete(`${alteration.principal} ${alteration.role}`)
      case 'delegate':
        return this.delegate(alteration.from, alteration.to, Number.POSITIVE_INFINITY)
      case 'undelegate':
        return void this.#stands.delete(`${alteration.from} ${alteration.to}`)
      case 'link':
        return this.#link(alteration.principal, alteration.person)
      case 'amend':
        this.#inForce = alteration.amendments
        return
      case 'situation':
        this.objection = alteration.objection
    }
  }

  #link(principal: string, person: string): void {
    if (principal === person) this.#behind.delete(principal)
    // Whoever is behind somebody is not that one's identity as well.
    else if (this.person(person) !== principal) this.#behind.set(principal, person)
  }

  /** The human being behind an identity. */
  person(principal: string): string {
    const next = this.#behind.get(principal)
    return next === undefined ? principal : this.person(next)
  }

  holds(principal: string, role: string): boolean {
    return this.nowMs < (this.#roles.get(`${principal} ${role}`) ?? 0)
  }

  /** Whose decision a voter's is; undefined where it is nobody's. */
  #deciderOf(voter: string): string | undefined {
    if (this.holds(voter, 'treasurer')) return this.person(voter)
    for (const [pair, untilMs] of this.#stands) {
      const [from = '', to] = pair.split(' ')
      if (to === voter && this.nowMs < untilMs && this.holds(from, 'treasurer')) return this.person(from)
    }
    return undefined
  }

  #isAskers(voter: string): boolean {
    const asker = this.person('ann')
    return this.person(voter) === asker || this.#deciderOf(voter) === asker
  }

  /** Why a vote of this person does not count now. */
  objectionsToVote({ voter, isOfOther }: Ballot, question: Question): ReadonlySet<string> {
    const codes = new Set<string>()
    const decider = this.#deciderOf(voter)
    if (this.nowMs >= question.requestedAtMs + question.withinMs) codes.add('too_late')
    if (decider === undefined) codes.add('role_missing')
    if (this.#isAskers(voter)) codes.add('own_request')
    if (isOfOther) codes.add('other_digest')
    const isSame = (earlier: string): boolean =>
      this.person(earlier) === this.person(voter) || (decider !== undefined && this.#deciderOf(earlier) === decider)
    if (question.votes.some(isSame)) codes.add('voted_already')
    return codes
  }

  /** How many people have approved in a way that counts now: nobody twice, neither for somebody else nor by another identity. */
  #approvers({ votes }: Question): number {
    const deciders = new Set<string>()
    const hands = new Set<string>()
    for (const voter of votes) {
      const decider = this.#deciderOf(voter)
      if (decider === undefined || this.#isAskers(voter)) continue
      if (deciders.has(decider) || hands.has(this.person(voter))) continue
      deciders.add(decider)
      hands.add(this.person(voter))
    }
    return deciders.size
  }

  isApproved(question: Question): boolean {
    return this.#approvers(question) >= this.#quorum
  }

  /** Whether ann may go on with her run. */
  get isResumable(): boolean {
    return this.holds('ann', 'clerk') && (!this.#says('others may resume') || this.holds('ann', 'robot'))
  }

  #says(amendment: Amendment): boolean {
    return this.#inForce.includes(amendment)
  }

  /** Why the action may not happen now; what somebody saw when they looked is not among it. */
  objectionsToEffect(question: Question, isUsed: boolean): ReadonlySet<string> {
    const codes = new Set<string>()
    if (this.#says('the action is gone')) codes.add('unknown_action')
    if (!this.holds('ann', 'analyst')) codes.add('role_missing')
    // By the rule that was added robots may, whatever the other one says of them.
    const isRobot = this.holds('ann', 'robot')
    const isByAnother = isRobot && this.#says('one more rule')
    if (this.#says('the rule is for others') && !isRobot) codes.add('role_missing')
    if (this.#says('the condition is stricter') && !isByAnother) codes.add('condition_failed')
    if (this.#says('the schema is another')) codes.add('approval_other_action')
    // What is gone has another schema, too: none.
    if (this.#says('the action is gone')) codes.add('approval_other_action')
    if (this.#amounts.cents !== this.#amounts.asked) codes.add('approval_other_input')
    if (isUsed) codes.add('approval_used')
    if (this.#lapsed(question)) codes.add('approval_lapsed')
    if (this.#says('less may be spent')) codes.add('limit_exceeded')
    return codes
  }

  #lapsed(question: Question): boolean {
    if (this.#says('others have to approve')) return true
    return this.#approvers(question) < this.#quorum + (this.#says('more have to approve') ? 1 : 0)
  }
}

/** Somebody's vote. */
export interface Ballot {
  readonly voter: string
  /** Whether it names something else than what is shown. */
  readonly isOfOther: boolean
}
