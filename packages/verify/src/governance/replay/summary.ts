import type { RunBodies } from '../run-bodies.js'
import type { Started, Told } from './run-state.js'

/** What an auditor asks about a run, as its journal tells it; whether it follows, the findings say. Moments are UTC milliseconds since 1970. */
export interface RunSummary {
  readonly started: Started | undefined
  /** The first thousand. */
  readonly actions: readonly ActionSummary[]
  readonly approvals: readonly ApprovalSummary[]
  readonly resumes: readonly ResumeSummary[]
  readonly actionCount: number
  readonly approvalCount: number
  readonly resumeCount: number
}

/** An op that was to have an effect. */
export interface ActionSummary {
  readonly op: string
  readonly action: string
  readonly seq: number
  /** The op whose approval it used, and by which roles of its actor it was authorised last; undefined where it never was. */
  approval: string | undefined
  roles: readonly string[] | undefined
  authorizedAtMs: number | undefined
  attemptCount: number
  completedCount: number
  outcome: 'open' | 'done' | 'denied' | 'failed' | 'unknown'
}

/** An op in which people were asked. */
export interface ApprovalSummary {
  readonly op: string
  readonly action: string | null
  readonly seq: number
  readonly requestedAtMs: number
  readonly votes: {
    readonly voter: string
    readonly choice: string
    readonly roles: readonly string[]
    readonly atMs: number
  }[]
  outcome: RunBodies['ApprovalResolved']['outcome'] | 'open'
  resolvedAtMs: number | undefined
}

/** A pause that somebody let the run go on from. */
export interface ResumeSummary {
  readonly op: string
  readonly seq: number
  readonly atMs: number
  readonly roles: readonly string[]
}

const toldCountMax = 1_000
// Of one op: nobody reads more of them.
const toldOfOneMax = 20

/** Folds what an auditor asks about. */
export class SummaryFold {
  #started: Started | undefined
  readonly #actions = new Map<string, ActionSummary>()
  readonly #approvals = new Map<string, ApprovalSummary>()
  readonly #resumes: ResumeSummary[] = []
  readonly #counts = { actions: 0, approvals: 0, resumes: 0 }

  /** What was told so far. */
  get whole(): RunSummary {
    return {
      started: this.#started,
      actions: [...this.#actions.values()],
      approvals: [...this.#approvals.values()],
      resumes: this.#resumes,
      actionCount: this.#counts.actions,
      approvalCount: this.#counts.approvals,
      resumeCount: this.#counts.resumes,
    }
  }

  /** Takes an event about an op. */
  add({ event, body, started }: Told): void {
    this.#started = started
    const { kind, seq, at } = event
    if (kind === 'ResumeAuthorized') {
      const { op, roles } = body as RunBodies['ResumeAuthorized']
      this.#counts.resumes += 1
      if (this.#resumes.length < toldCountMax)
        this.#resumes.push({ op, seq, atMs: at, roles: roles.slice(0, toldOfOneMax) })
    }
    if (kind.startsWith('Approval')) this.#addApproval({ event, body } as Told)
    if (kind.startsWith('Action') || kind.startsWith('Outcome')) this.#addAction({ event, body } as Told)
  }

  #addApproval({ event: { kind, seq, at }, body }: Pick<Told, 'event' | 'body'>): void {
    if (kind === 'ApprovalRequested') {
      const { op, action } = body as RunBodies['ApprovalRequested']
      this.#counts.approvals += 1
      if (this.#approvals.size >= toldCountMax) return
      const asked = { op, action, seq, requestedAtMs: at, votes: [], outcome: 'open', resolvedAtMs: undefined } as const
      this.#approvals.set(op, { ...asked, votes: [] })
      return
    }
    const asked = this.#approvals.get(body.op)
    if (asked === undefined) return
    if (kind === 'ApprovalVoted') {
      const { voter, choice, roles } = body as RunBodies['ApprovalVoted']
      if (asked.votes.length < toldOfOneMax)
        asked.votes.push({ voter, choice, roles: roles.slice(0, toldOfOneMax), atMs: at })
    }
    if (kind === 'ApprovalResolved') {
      asked.outcome = (body as RunBodies['ApprovalResolved']).outcome
      asked.resolvedAtMs = at
    }
  }

  #addAction({ event: { kind, seq, at }, body }: Pick<Told, 'event' | 'body'>): void {
    const { op, name: action } = body
    const effect = this.#actions.get(op) ?? this.#begin(op, action, seq)
    if (effect === undefined) return
    switch (kind) {
      case 'ActionAuthorized': {
        const { approval, roles } = body as RunBodies['ActionAuthorized']
        effect.approval = approval
        effect.roles = roles.slice(0, toldOfOneMax)
        effect.authorizedAtMs = at
        effect.attemptCount += 1
        effect.outcome = 'open'
        return
      }
      case 'ActionCompleted':
        effect.completedCount += 1
        effect.outcome = 'done'
        return
      case 'ActionDenied':
        effect.outcome = 'denied'
        return
      case 'ActionFailed':
        effect.outcome = 'failed'
        return
      case 'OutcomeUnknown':
        effect.outcome = 'unknown'
    }
  }

  #begin(op: string, action: string, seq: number): ActionSummary | undefined {
    this.#counts.actions += 1
    if (this.#actions.size >= toldCountMax) return undefined
    const begun: ActionSummary = {
      op,
      action,
      seq,
      approval: undefined,
      roles: undefined,
      authorizedAtMs: undefined,
      attemptCount: 0,
      completedCount: 0,
      outcome: 'open',
    }
    this.#actions.set(op, begun)
    return begun
  }
}
