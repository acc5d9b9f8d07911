import { type ApprovalFold, journalError, type OpId, type RunId, withRoles } from '../journal/index.js'

/** An approval as a list shows it. */
export interface ApprovalRow extends Omit<ApprovalFold, 'status'> {
  readonly run: RunId
  readonly flow: string
  /** Who the run acts for. */
  readonly actor: string | undefined
  readonly status: ApprovalStatus
}

/** What has become of an approval: what it came to, or `closed` where its run ended while it was open. */
export type ApprovalStatus = ApprovalFold['status'] | 'closed'

/** Which approvals to list. */
export interface ApprovalQuery {
  readonly run?: RunId
  /** Those that this role may decide. */
  readonly role?: string
  readonly status?: ApprovalStatus
  /** At most 1,000; 100 unless set. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

/** The place of an approval in a list: by when it was asked for, then by run and op. */
export interface ApprovalPlace {
  readonly requestedAtMs: number
  readonly run: RunId
  readonly op: OpId
}

/** Where the page after this approval begins. */
export function approvalCursor({ requestedAtMs, run, op }: ApprovalPlace): string {
  return `${requestedAtMs}/${run}/${op}`
}

/** Reads `next` of the page before. Throws `invalid_id` for what is no such place. */
export function approvalPlaceOf(after: string): ApprovalPlace {
  const [, at = '', run = '', op = ''] = /^([0-9]{1,15})\/([^/]{1,200})\/([0-9.]{1,200})$/.exec(after) ?? []
  if (at !== '') return { requestedAtMs: Number(at), run: run as RunId, op: op as OpId }
  throw journalError(
    'invalid_id',
    `${JSON.stringify(after.slice(0, 40))} is not where a page can begin. Nothing was read; pass on "next" of the page before.`,
  )
}

/** An approval as tables keep it, beside what the row of its run says. Moments are UTC milliseconds since 1970. */
export interface ApprovalRecord {
  readonly run: RunId
  readonly op: OpId
  readonly name: string
  readonly flow: string
  readonly actor: string | null
  readonly action: string | null
  readonly roles: readonly string[]
  /** Those that it was escalated to. */
  readonly more_roles: readonly string[]
  readonly quorum: number
  readonly votes: number
  readonly requested_at: number
  readonly deadline: number | null
  readonly escalates_at: number | null
  readonly status: ApprovalStatus
  readonly shown: string
}

/** What a list shows of it. */
export function approvalRowOf(record: ApprovalRecord): ApprovalRow {
  const { run, op, name, flow, quorum, status, shown } = record
  return {
    run,
    op,
    name,
    flow,
    actor: record.actor ?? undefined,
    action: record.action ?? undefined,
    roles: withRoles(record.roles, record.more_roles),
    quorum,
    voteCount: record.votes,
    requestedAtMs: record.requested_at,
    deadlineMs: record.deadline ?? undefined,
    escalatesAtMs: record.escalates_at ?? undefined,
    status,
    shown,
  }
}
