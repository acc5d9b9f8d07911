import type { Law } from '../law.js'
import type { LawHistory } from '../law-history.js'
import { isReplayed, type ReplayedKind, runForms } from '../reading/forms.js'
import { readAs } from '../reading/read.js'
import type { RunBodies } from '../run-bodies.js'
import { checkAuthorization, checkCompletion, checkDenial, checkStatement, noteIntent } from './actions.js'
import {
  checkEscalation,
  checkExpected,
  checkRequest,
  checkResolution,
  checkVote,
  checkWithdrawal,
  noteApproval,
} from './approvals.js'
import { type Finding, Findings, principalOf, type ReplayCheck, type ReplayEvent } from './finding.js'
import { checksOf, isDecision, isOwnersKind, isPeoplesKind } from './kinds.js'
import { checkAttempt, checkOnce, effectKinds, noteEffect } from './once.js'
import { checkResumption, noteResumption } from './resumes.js'
import { type Decision, RunState, type Started, type Told } from './run-state.js'
import { type RunSummary, SummaryFold } from './summary.js'

/** How far the law may have gone on before a decision was written that does not know it: a store takes so long at the very most. */
const staleMsMax = 60_000

/**
 * Replays the journal of one run: computes each decision anew from the law of then and compares it with what is recorded. Give it all events, in
 * order, of a stream whose hashes were verified. It keeps what the journal says of ops that are not over, and no more texts than that.
 */
export class RunReplay {
  readonly #findings = new Findings()
  readonly #state: RunState
  readonly #summary = new SummaryFold()
  readonly #decided = new Map<string, number>()

  constructor(run: string, history: LawHistory) {
    this.#state = new RunState(run, history, this.#findings)
  }

  /** How many decisions of each kind were computed anew. */
  get decided(): ReadonlyMap<string, number> {
    return this.#decided
  }

  /** What an auditor asks about the run. */
  get summary(): RunSummary {
    return this.#summary.whole
  }

  /** Takes the next event of the run. */
  add(event: ReplayEvent): void {
    this.#take(event)
    this.#state.seenSeq = Math.max(this.#state.seenSeq, event.governanceSeq ?? -1)
  }

  /** The journal has ended: what was found in it. */
  end(): readonly Finding[] {
    checkExpected(this.#state, undefined, undefined)
    return this.#findings.all
  }

  #take(event: ReplayEvent): void {
    const { kind } = event
    const body = isReplayed(kind) ? this.#read(event, kind) : undefined
    checkExpected(this.#state, event, body)
    if (body === undefined) return
    switch (kind) {
      case 'FlowStarted':
        this.#state.started = { ...(body as unknown as Started), atMs: event.at }
        return
      case 'CancelRequested':
        this.#state.cancelSeq ??= event.seq
        return
      case 'ChildEnded': {
        const { op, restricts } = body as unknown as { readonly op: string; readonly restricts?: true }
        if (restricts === true) this.#state.restricted.add(op)
        return
      }
      default:
        this.#judge(event, body as RunBodies[keyof RunBodies])
    }
  }

  #read(event: ReplayEvent, kind: ReplayedKind): object | undefined {
    const { seq, body } = event
    const checks = checksOf(kind)
    if (body === undefined) return this.#miss(checks, seq, `What event ${seq} (${kind}) says is withheld.`)
    const read = readAs<object>(body, runForms[kind])
    if (read.kind === 'read') return read.value
    const why = `What event ${seq} (${kind}) says is not known: ${read.why}.`
    if (read.kind === 'unknown_name') return this.#miss(checks, seq, why)
    this.#findings.fail(checks[0] as ReplayCheck, seq, why)
    return this.#miss(checks.slice(1), seq, why)
  }

  #miss(checks: readonly ReplayCheck[], seq: number, why: string): undefined {
    for (const check of checks) this.#findings.unsure(check, seq, why)
    this.#findings.miss()
    return undefined
  }

  #judge(event: ReplayEvent, body: RunBodies[keyof RunBodies]): void {
    const run = this.#state
    const { started } = run
    const kind = event.kind as keyof RunBodies
    const check = checksOf(kind as ReplayedKind)[0] as ReplayCheck
    // Without its first event, which some other check misses, nothing can be said.
    if (started === undefined) {
      for (const one of checksOf(kind as ReplayedKind))
        this.#findings.unsure(one, event.seq, 'How the run began is not known.')
      return
    }
    const op = run.op(body.op, body)
    const told: Told = { event, body, op, run, started }
    const wrong = wronglyAbout(told)
    if (wrong !== undefined) this.#findings.fail(check, event.seq, wrong)
    const law = isDecision(kind) ? this.#lawOf(told, check) : undefined
    if (effectKinds.has(kind)) checkOnce(told)
    if (kind === 'ActionCompleted') checkCompletion(told as Told<'ActionCompleted'>)
    if (kind === 'ApprovalResolved') checkResolution(told as Told<'ApprovalResolved'>)
    if (kind === 'ApprovalEscalated') checkEscalation(told as Told<'ApprovalEscalated'>)
    if (law !== undefined) {
      this.#decided.set(kind, (this.#decided.get(kind) ?? 0) + 1)
      decide({ ...told, law })
    }
    note(told)
    this.#summary.add(told)
  }

  // Undefined where it is not known.
  #lawOf({ event, body, run }: Told, check: ReplayCheck): Law | undefined {
    const { seq, at, governanceSeq = -1, kind } = event
    if (governanceSeq < run.seenSeq) {
      this.#findings.fail(check, seq, `${kind} was decided by an older law than an event before it had seen.`)
    }
    const nextMs = run.history.momentOf(governanceSeq + 1)
    if (nextMs !== undefined && nextMs < at - staleMsMax) {
      const why = `${kind} was decided by what held after event ${governanceSeq} of governance, and the law had gone on long before.`
      this.#findings.fail(check, seq, why)
    }
    const then = run.history.at(governanceSeq)
    if (then.kind === 'unknown') {
      return this.#miss(checksOf(kind as ReplayedKind), seq, `${kind}: ${then.why}.`)
    }
    const { contract } = body as { readonly contract?: string }
    const inForce = then.law.inForce?.digest ?? '-'
    if (contract !== undefined && contract !== inForce) {
      this.#findings.fail(
        check,
        seq,
        `${kind} names contract ${contract.slice(0, 12)}, and ${inForce.slice(0, 12)} was in force.`,
      )
    }
    return then.law
  }
}

function wronglyAbout({ event, body, op }: Told): string | undefined {
  const { kind, by } = event
  if (body.verb !== op.verb || body.name !== op.name)
    return `${kind} calls op ${body.op} something else than events before it.`
  const isEffect = effectKinds.has(kind)
  const isApproval = kind.startsWith('Approval')
  if (isEffect && body.verb !== 'do') return `${kind} is about an op that does nothing.`
  if (isApproval && body.verb !== 'do' && body.verb !== 'approval') return `${kind} is about an op that asks nobody.`
  if (isPeoplesKind(kind) && principalOf(by) === undefined)
    return `${kind} is by ${by}, and only people say such things.`
  if (isOwnersKind(kind) && !by.startsWith('claim:')) return `${kind} is by ${by}, and not by an owner of the run.`
  return undefined
}

function decide(told: Decision): void {
  switch (told.event.kind) {
    case 'ActionAuthorized':
      checkAttempt(told as Decision<'ActionAuthorized'>)
      return checkAuthorization(told as Decision<'ActionAuthorized'>)
    case 'ActionDenied':
      return checkDenial(told as Decision<'ActionDenied'>)
    case 'OutcomeStated':
      return checkStatement(told as Decision<'OutcomeStated'>)
    case 'ApprovalRequested':
      return checkRequest(told as Decision<'ApprovalRequested'>)
    case 'ApprovalVoted':
      return checkVote(told as Decision<'ApprovalVoted'>)
    case 'ApprovalWithdrawn':
      return checkWithdrawal(told as Decision<'ApprovalWithdrawn'>)
    case 'ResumeAuthorized':
    case 'ResumeDeferred':
    case 'ResumeDenied':
      return checkResumption(told as Decision<'ResumeAuthorized'>)
  }
}

function note(told: Told): void {
  const { kind } = told.event
  if (kind.startsWith('Approval')) noteApproval(told)
  if (kind === 'ActionAuthorized') noteIntent(told as Told<'ActionAuthorized'>)
  if (effectKinds.has(kind)) noteEffect(told)
  if (kind.startsWith('Resume')) noteResumption(told)
}
