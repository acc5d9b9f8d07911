import {
  askedApproval,
  bodyOf,
  questionOf,
  type RunKind,
  type ToldErasure,
  type ToldRefusal,
} from '../governance/index.js'
import type { StoredEvent } from '../journal/index.js'
import type { RunRow } from '../store/index.js'

/** What can be asked of the journals: what people decided, what was done, which runs went on, what was refused, and what was erased. */
export const questions = ['decisions', 'actions', 'resumes', 'refusals', 'erasures'] as const

/** One of {@link questions}. */
export type AuditQuestion = (typeof questions)[number]

/** One answer: somebody decided, did, resumed or was refused something. Every row has the same columns, so that all of them fit one table. */
export interface AuditRow {
  readonly question: AuditQuestion
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  readonly run: string
  readonly flow: string
  readonly op: string
  /** The action, the question to people, or the name of what was waited for. */
  readonly subject: string
  /** A principal; empty where nobody did it, such as a deadline. */
  readonly by: string
  /** By which of their roles, as the event says. */
  readonly roles: readonly string[]
  readonly outcome: string
  /** From when it was asked for, or begun, until then; undefined where that is not known. Milliseconds. */
  readonly waitedMs: number | undefined
  /** Reasons in words; empty where there are none, or they were erased. */
  readonly note: string
}

/** What the journal of a run answers, in its order. */
export function auditRows(run: RunRow, events: readonly StoredEvent[]): readonly AuditRow[] {
  const ops = new Map<string, StoredEvent[]>()
  const rows: AuditRow[] = []
  for (const event of events) {
    const { op = '-' } = JSON.parse(event.body) as { readonly op?: string }
    const about = ops.get(op) ?? []
    about.push(event)
    ops.set(op, about)
    const row = rowOf(run, event, about)
    if (row !== undefined) rows.push(row)
  }
  return rows
}

type Taker = (event: StoredEvent, about: readonly StoredEvent[], run: RunRow) => Partial<AuditRow>

const takers: { readonly [K in RunKind]?: Taker } = {
  ApprovalVoted: (event, about) => {
    const { voter, choice, roles, amended } = bodyOf(event, 'ApprovalVoted')
    const outcome = amended === null ? choice : `${choice} with changes`
    const note = askedApproval(about)?.votes.findLast((vote) => vote.voter === voter)?.note ?? ''
    return { ...decision(about), by: voter, roles, outcome, waitedMs: since(about, 'ApprovalRequested', event), note }
  },
  ApprovalWithdrawn: (event, about) => ({
    ...decision(about),
    by: bodyOf(event, 'ApprovalWithdrawn').voter,
    outcome: 'withdraw',
  }),
  ApprovalResolved: (event, about) => ({
    ...decision(about),
    outcome: bodyOf(event, 'ApprovalResolved').outcome,
    waitedMs: since(about, 'ApprovalRequested', event),
  }),
  OutcomeStated: (event, about) => {
    const { stater, roles, outcome } = bodyOf(event, 'OutcomeStated')
    const waitedMs = since(about, 'OutcomeUnknown', event)
    return { question: 'decisions', by: stater, roles, outcome: outcome.replace('_', '-'), waitedMs }
  },
  ActionAuthorized: (event, _, run) => {
    const { roles, attempt } = bodyOf(event, 'ActionAuthorized')
    const outcome = attempt === 1 ? 'authorized' : `authorized, attempt ${attempt}`
    return { question: 'actions', by: run.actor ?? '', roles, outcome }
  },
  ActionDenied: (event, _, run) => {
    const { roles, code } = bodyOf(event, 'ActionDenied')
    return { question: 'actions', by: run.actor ?? '', roles, outcome: `denied: ${code}` }
  },
  ActionCompleted: (event, about, run) => ended('completed', { event, about, run }),
  ActionFailed: (event, about, run) => ended(`failed: ${bodyOf(event, 'ActionFailed').code}`, { event, about, run }),
  OutcomeUnknown: (event, about, run) => ended('unknown', { event, about, run }),
  ResumeAuthorized: (event, about, run) => ({
    ...resumption(event, about, run),
    roles: bodyOf(event, 'ResumeAuthorized').roles,
    outcome: 'resumed',
  }),
  ResumeDeferred: (event, about, run) => ({ ...resumption(event, about, run), outcome: 'deferred' }),
  ResumeDenied: (event, about, run) => ({
    ...resumption(event, about, run),
    roles: bodyOf(event, 'ResumeDenied').roles,
    outcome: 'denied',
  }),
}

function rowOf(run: RunRow, event: StoredEvent, about: readonly StoredEvent[]): AuditRow | undefined {
  const found =
    event.kind === 'FlowFailed' ? failedResume(run, event) : takers[event.kind as RunKind]?.(event, about, run)
  if (found === undefined) return undefined
  const { op = '-', name = run.flow } = JSON.parse(event.body) as { readonly op?: string; readonly name?: string }
  const usual = { subject: name, by: '', roles: [], outcome: '', waitedMs: undefined, note: '' }
  return { question: 'actions', ...usual, ...found, atMs: event.at, run: run.id, flow: run.flow, op }
}

function failedResume(run: RunRow, { body }: StoredEvent): Partial<AuditRow> | undefined {
  const { code } = JSON.parse(body) as { readonly code: string }
  return code === 'resume_denied' ? { question: 'resumes', by: run.actor ?? '', outcome: code } : undefined
}

// What people were asked about.
function decision(about: readonly StoredEvent[]): Partial<AuditRow> {
  const asked = askedApproval(about)
  if (asked === undefined || asked.shownText === '') return { question: 'decisions' }
  const { action, question } = questionOf(asked.shownText)
  return { question: 'decisions', subject: action ?? (question === '' ? asked.name : question) }
}

interface Told {
  readonly event: StoredEvent
  readonly about: readonly StoredEvent[]
  readonly run: RunRow
}

function ended(outcome: string, { event, about, run }: Told): Partial<AuditRow> {
  const waitedMs = since(about, 'ActionAuthorized', event)
  return { question: 'actions', by: run.actor ?? '', outcome, waitedMs }
}

function resumption(event: StoredEvent, about: readonly StoredEvent[], run: RunRow): Partial<AuditRow> {
  return { question: 'resumes', by: run.actor ?? '', waitedMs: since(about, 'ApprovalRequested', event) }
}

function since(about: readonly StoredEvent[], kind: RunKind, { at }: StoredEvent): number | undefined {
  const begun = about.findLast((event) => event.kind === kind)
  return begun === undefined ? undefined : at - begun.at
}

/** A refusal as a row. */
export function refusalRow({ atMs, by, body, reason = '' }: ToldRefusal): AuditRow {
  const about =
    'run' in body
      ? { run: body.run, op: body.op, subject: body.choice.replace('_', '-') }
      : { run: '', op: '', subject: [body.change, ...Object.values(body.about)].join(' ') }
  const who = by.replace(/^principal:/, '')
  return {
    question: 'refusals',
    atMs,
    flow: '',
    ...about,
    by: who,
    roles: [],
    outcome: body.code,
    waitedMs: undefined,
    note: reason,
  }
}

/** An erasure as rows, one for each stream. */
export function erasureRows({ atMs, by, texts, principal, reason = '' }: ToldErasure): readonly AuditRow[] {
  const streams = [...new Set(texts.map(({ stream }) => stream))]
  return streams.map((stream) => ({
    question: 'erasures',
    atMs,
    run: stream.startsWith('run/') ? stream.slice('run/'.length) : '',
    flow: '',
    op: '',
    subject: principal === null ? stream : `${stream}, of ${principal}`,
    by: by.replace(/^principal:/, ''),
    roles: [],
    outcome: 'erased',
    waitedMs: undefined,
    note: reason,
  }))
}
