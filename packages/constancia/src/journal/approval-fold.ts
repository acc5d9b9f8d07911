import type { StoredEvent } from './event.js'
import type { OpId } from './ids.js'

/** An approval as the journal of its run tells it. */
export interface ApprovalFold {
  readonly op: OpId
  readonly name: string
  /** What it would allow; undefined for a plain question. */
  readonly action: string | undefined
  /** Who may decide: those of the request, then those that it was escalated to. */
  readonly roles: readonly string[]
  /** How many different people have to. */
  readonly quorum: number
  /** Votes that were taken and not withdrawn. */
  readonly voteCount: number
  /** UTC milliseconds since 1970, as all of these. */
  readonly requestedAtMs: number
  readonly deadlineMs: number | undefined
  /** Undefined where it is not escalated, or was already. */
  readonly escalatesAtMs: number | undefined
  /** What it came to; `open` while it has come to nothing. */
  readonly status: ApprovalOutcome | 'open'
  /** The digest of what is shown. */
  readonly shown: string
}

/** What an approval came to. */
export type ApprovalOutcome = 'approved' | 'rejected' | 'expired' | 'lapsed'

/** What an event does to an approval. */
export interface ApprovalChange {
  readonly op: OpId
  /** It is asked for, whatever it was before. */
  readonly begun?: ApprovalFold
  /** So many votes more, or less. */
  readonly voteCount?: 1 | -1
  /** These roles may decide as well. */
  readonly escalatedTo?: readonly string[]
  readonly outcome?: ApprovalOutcome
}

interface Asked {
  readonly op: OpId
  readonly name: string
  readonly action: string | null
  readonly shown: string
  readonly policy: {
    readonly roles: readonly string[]
    readonly quorum: number
    readonly withinMs: number | null
    readonly escalation: { readonly afterMs: number } | null
  }
}

/** What an event does to the approvals of its run; undefined for most kinds. Pure. */
export function approvalChangeOf({
  kind,
  body,
  at,
}: Pick<StoredEvent, 'kind' | 'body' | 'at'>): ApprovalChange | undefined {
  if (!kind.startsWith('Approval')) return undefined
  const { op } = JSON.parse(body) as { readonly op: OpId }
  switch (kind) {
    case 'ApprovalRequested':
      return { op, begun: begun(JSON.parse(body) as Asked, at) }
    case 'ApprovalVoted':
      return { op, voteCount: 1 }
    case 'ApprovalWithdrawn':
      return { op, voteCount: -1 }
    case 'ApprovalEscalated':
      return { op, escalatedTo: (JSON.parse(body) as { readonly roles: readonly string[] }).roles }
    case 'ApprovalResolved':
      return { op, outcome: (JSON.parse(body) as { readonly outcome: ApprovalOutcome }).outcome }
    default:
      return undefined
  }
}

function begun({ op, name, action, shown, policy }: Asked, atMs: number): ApprovalFold {
  const { roles, quorum, withinMs, escalation } = policy
  return {
    op,
    name,
    action: action ?? undefined,
    roles,
    quorum,
    voteCount: 0,
    requestedAtMs: atMs,
    deadlineMs: withinMs === null ? undefined : atMs + withinMs,
    escalatesAtMs: escalation === null ? undefined : atMs + escalation.afterMs,
    status: 'open',
    shown,
  }
}

/** One step of the fold that is an approval's projection; undefined while it was not asked for. Pure. */
export function foldApproval(fold: ApprovalFold | undefined, change: ApprovalChange): ApprovalFold | undefined {
  if (change.begun !== undefined) return change.begun
  if (fold === undefined) return undefined
  const { voteCount = 0, escalatedTo, outcome } = change
  return {
    ...fold,
    voteCount: fold.voteCount + voteCount,
    roles: escalatedTo === undefined ? fold.roles : withRoles(fold.roles, escalatedTo),
    escalatesAtMs: escalatedTo === undefined ? fold.escalatesAtMs : undefined,
    status: outcome ?? fold.status,
  }
}

/** Roles, and those of the others that are not among them, in order. Pure. */
export function withRoles(roles: readonly string[], others: readonly string[]): readonly string[] {
  return [...roles, ...others.filter((role) => !roles.includes(role))]
}
