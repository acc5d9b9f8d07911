import type { Draft } from '../../../dist/journal/index.js'
import type { Case } from './words.js'
import type { Ballot, Question, WorldModel } from './world-model.js'

/** What was refused, and why. */
export interface Refusal {
  readonly code: string
  readonly kind: string
}

/**
 * Judges each event of a case at the moment at which it is stored, by the model of the world as it is then: what was let through must
 * have no objection, and what was refused must have the one that is named.
 */
export class Judgement {
  readonly refusals: Refusal[] = []
  /** How often something was let through by a check. */
  passedCount = 0
  readonly #model: WorldModel
  readonly #given: Case
  #question: Question | undefined
  #usedBy: string | undefined
  /** What somebody saw who looked at the situation last. */
  seen: string | undefined
  /** An intent that was allowed and of which nothing is known. */
  #openIntent = false
  #isResolved = false
  /** What must come next from whoever owns the run, because its actor may not go on. */
  mustDeny = false
  /** Whose vote is on its way. */
  voting: Ballot | undefined

  constructor(model: WorldModel, given: Case) {
    this.#model = model
    this.#given = given
  }

  get isResolved(): boolean {
    return this.#isResolved
  }

  /** What is about to be stored with these drafts. */
  stores(drafts: readonly Draft[], byOwner: boolean): void {
    const kinds = drafts.map(({ kind }) => kind)
    const denies = drafts.some(({ kind, body }) => kind === 'FlowFailed' && codeOf(body) === 'resume_denied')
    if (byOwner && this.mustDeny && !denies && drafts.length > 0 && !this.#model.isResumable) {
      this.#fail(`its actor may not resume it, and ${kinds.join()} came`)
    }
    if (denies) this.mustDeny = false
    for (const [index, draft] of drafts.entries()) this.#take(draft, drafts[index + 1])
  }

  #take({ kind, body, data }: Draft, next: Draft | undefined): void {
    const facts = JSON.parse(body) as Record<string, string>
    switch (kind) {
      case 'ApprovalRequested':
        this.#question = { requestedAtMs: this.#model.nowMs, withinMs: this.#withinMs, votes: [] }
        return
      case 'ApprovalVoted':
        return this.#voted(String(facts['voter']), next)
      case 'ApprovalWithdrawn':
        this.#asked.votes = this.#asked.votes.filter((voter) => voter !== facts['voter'])
        return
      case 'ApprovalResolved':
        return this.#resolved(String(facts['outcome']))
      case 'VoteRefused':
        return this.#refusedVote(String(facts['code']))
      case 'ResumeAuthorized':
        if (!this.#model.isResumable) this.#fail('it was let go on, and its actor may not')
        this.mustDeny = false
        this.passedCount += 1
        return
      case 'FlowFailed':
        if (facts['code'] !== 'resume_denied') return
        if (this.#model.isResumable) this.#fail('it was not let go on, and its actor may')
        this.refusals.push({ kind, code: 'resume_denied' })
        return
      case 'ActionAuthorized':
        return this.#authorized(String(facts['op']))
      case 'ActionDenied':
        return this.#denied(String(facts['code']), String(facts['op']))
      case 'OutcomeUnknown':
        return this.#unknown(data)
      case 'ActionCompleted':
      case 'ActionFailed':
      case 'ActionAttemptFailed':
        this.#openIntent = false
    }
  }

  #withinMs = 0

  /** How long people have to decide. */
  set withinMs(ms: number) {
    this.#withinMs = ms
  }

  get #asked(): Question {
    if (this.#question === undefined) return this.#fail('nobody was asked')
    return this.#question
  }

  #voted(voter: string, next: Draft | undefined): void {
    const isOfOther = this.voting?.isOfOther === true
    const codes = this.#model.objectionsToVote({ voter, isOfOther }, this.#asked)
    if (codes.size > 0) this.#fail(`the vote of ${voter} counted in spite of ${[...codes]}`)
    this.#asked.votes.push(voter)
    this.passedCount += 1
    const isBrought = next?.kind === 'ApprovalResolved'
    if (this.#model.isApproved(this.#asked) !== isBrought) this.#fail(`the vote of ${voter} brought ${next?.kind}`)
  }

  #resolved(outcome: string): void {
    this.#isResolved = true
    if (outcome === 'approved' && !this.#model.isApproved(this.#asked)) this.#fail('it was approved by too few')
    const isLate = this.#model.nowMs >= this.#asked.requestedAtMs + this.#asked.withinMs
    if (outcome === 'expired') {
      if (!isLate) this.#fail('it expired early')
      this.refusals.push({ kind: 'ApprovalResolved', code: 'expired' })
    }
  }

  #refusedVote(code: string): void {
    if (this.voting === undefined) return this.#fail('a vote was refused that nobody gave')
    const codes = new Set(this.#model.objectionsToVote(this.voting, this.#asked))
    // Each vote wakes the run, and whoever may not go on with it ends it there.
    if (this.refusals.some(({ kind }) => kind === 'FlowFailed')) codes.add('run_ended')
    if (!codes.has(code))
      this.#fail(`the vote of ${this.voting.voter} was refused for ${code}, and not for ${[...codes]}`)
    this.refusals.push({ kind: 'VoteRefused', code })
  }

  #objections(op: string): ReadonlySet<string> {
    const isUsed = this.#usedBy !== undefined && this.#usedBy !== op
    const codes = new Set(this.#model.objectionsToEffect(this.#asked, isUsed))
    if (this.seen !== undefined) codes.add('situation_changed')
    return codes
  }

  #authorized(op: string): void {
    const codes = this.#objections(op)
    if (codes.size > 0) this.#fail(`it was authorised in spite of ${[...codes]}`)
    this.#usedBy = op
    this.#openIntent = true
    this.passedCount += 1
  }

  #denied(code: string, op: string): void {
    const isExpired = code === 'approval_expired' && this.refusals.some((one) => one.code === 'expired')
    const codes = this.#objections(op)
    if (!codes.has(code) && !isExpired) this.#fail(`it was denied for ${code}, and not for ${[...codes]}`)
    this.refusals.push({ kind: 'ActionDenied', code })
  }

  // Where an effect can be had again with its key, it is in doubt only if it may not be had again.
  #unknown(data: string | undefined): void {
    this.#openIntent = false
    if (this.#given.protocol === 'idempotent') {
      const codes = this.#objections(this.#usedBy ?? '-')
      if (codes.size === 0 && this.#model.isResumable) this.#fail(`it is in doubt, and may be done: ${data}`)
      this.refusals.push({ kind: 'OutcomeUnknown', code: [...codes].sort()[0] ?? 'resume_denied' })
    }
  }

  /** What is being sent. An intent that was found open is sent again only while nothing objects. */
  sends(isFound: boolean): void {
    if (!this.#openIntent) this.#fail('something was sent that was not authorised')
    if (this.mustDeny) this.#fail('something was sent although its actor may not resume it')
    if (!isFound) return
    const codes = this.#objections(this.#usedBy ?? '-')
    if (codes.size > 0) this.#fail(`it was sent again in spite of ${[...codes]}`)
  }

  #fail(what: string): never {
    const altered = [...this.#given.altered].map(([place, done]) => `${place}: ${JSON.stringify(done)}`)
    const { seed, style, protocol, mishap } = this.#given
    throw new Error(`Seed ${seed} (${style}, ${protocol}, ${mishap}): ${what}.\n${altered.join('\n')}`)
  }
}

function codeOf(body: string): unknown {
  return (JSON.parse(body) as { readonly code?: unknown }).code
}
