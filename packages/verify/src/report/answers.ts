import type { ActionSummary, ApprovalSummary, ReplayCheck, RunSummary } from '../governance/replay/index.js'
import { momentText } from './moment.js'

/** The four questions of an auditor about a run. */
export type AuditQuestion = 'approval' | 'authority' | 'actor' | 'once'

/** What a file has to say to one of them. */
export interface AuditAnswer {
  readonly question: AuditQuestion
  /** `none` where nothing in the run asks it; `unknown` where the file does not prove it either way. */
  readonly answer: 'yes' | 'no' | 'unknown' | 'none'
  /** In whole sentences, with who and when; what is told there is what the journal says, and it follows only where the answer is yes. */
  readonly text: string
}

/** What the replay has found in a run, the worst of each check. */
export type ReplayResults = ReadonlyMap<ReplayCheck, 'failed' | 'not_evaluated'>

const toldCountMax = 20
// UTF-16 units.
const textLengthMax = 8_000

/** Answers the four questions from what the journal of a run tells and what its replay found. */
export function answersOf(summary: RunSummary, results: ReplayResults): AuditAnswer[] {
  const { approvals, actions } = summary
  const done = actions.filter(({ authorizedAtMs }) => authorizedAtMs !== undefined)
  const relied = done.filter(({ approval }) => approval !== undefined)
  const actor = summary.started?.actor ?? 'nobody'
  const resultOf = (checks: readonly ReplayCheck[]) => worst(results, checks)
  return [
    answerOf('approval', resultOf(['approvals', 'law']), approvals.map(approvalText)),
    answerOf('authority', resultOf(['actions', 'approvals', 'law']), relied.map(authorityText)),
    answerOf(
      'actor',
      resultOf(['actions', 'resumes', 'law']),
      done.map((one) => actorText(one, actor)),
    ),
    answerOf('once', resultOf(['once']), done.map(onceText)),
  ]
}

/** The same where the file does not prove the run: nothing of it is an answer. */
export function unproven(answers: readonly AuditAnswer[], why: string): AuditAnswer[] {
  return answers.map(({ question, answer, text }) =>
    answer === 'none' || answer === 'no'
      ? { question, answer, text }
      : { question, answer: 'unknown', text: `${why} ${text}` },
  )
}

function worst(results: ReplayResults, checks: readonly ReplayCheck[]): 'yes' | 'no' | 'unknown' {
  const found = checks.map((check) => results.get(check))
  return found.includes('failed') ? 'no' : found.includes('not_evaluated') ? 'unknown' : 'yes'
}

function answerOf(question: AuditQuestion, answer: 'yes' | 'no' | 'unknown', told: readonly string[]): AuditAnswer {
  if (told.length === 0) return { question, answer: 'none', text: nothing[question] }
  const more = told.length > toldCountMax ? [`And ${told.length - toldCountMax} more.`] : []
  const text = [verdicts[question][answer], ...told.slice(0, toldCountMax), ...more].join(' ')
  return { question, answer, text: text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text }
}

const nothing: Record<AuditQuestion, string> = {
  approval: 'Nobody was asked to approve anything in this run.',
  authority: 'Nothing in this run was done on the strength of an approval.',
  actor: 'No action was authorised in this run.',
  once: 'No action was authorised in this run.',
}

const verdicts: Record<AuditQuestion, Record<'yes' | 'no' | 'unknown', string>> = {
  approval: {
    yes: 'The approval was real: each vote and what they came to follow from the roles and rules of then.',
    no: 'The approval does not follow from the roles and rules of then.',
    unknown: 'Whether the approval was real cannot be said: something that decides it is withheld or erased.',
  },
  authority: {
    yes: 'Who approved was still authorised when the action was authorised.',
    no: 'The action, or the approval that it rests on, does not follow from the roles and rules of then.',
    unknown:
      'Whether who approved was still authorised cannot be said: something that decides it is withheld or erased.',
  },
  actor: {
    yes: 'It executed as the right actor, by roles that were held then.',
    no: 'That it executed as the right actor does not follow from the roles and rules of then.',
    unknown: 'Whether it executed as the right actor cannot be said: something that decides it is withheld or erased.',
  },
  once: {
    yes: 'Each action is recorded as done at most once.',
    no: 'An action is recorded more often, or otherwise, than its protocol allows.',
    unknown:
      'Whether each action was done at most once cannot be said: something that decides it is withheld or erased.',
  },
}

function approvalText({ op, action, requestedAtMs, votes, outcome, resolvedAtMs }: ApprovalSummary): string {
  const what = action === null ? `A question (op ${op})` : `${action} (op ${op})`
  const asked = `${what} was put to people at ${momentText(requestedAtMs)}.`
  const said = votes.map(({ voter, choice, roles, atMs }) => {
    const role = roles.length === 0 ? 'no role' : roles.join(', ')
    return `${voter} said ${choice} as ${role} at ${momentText(atMs)}.`
  })
  const end =
    resolvedAtMs === undefined
      ? 'It is open.'
      : `It was ${outcome} at ${momentText(resolvedAtMs)}, ${waitText(resolvedAtMs - requestedAtMs)} later.`
  return [asked, ...said.slice(0, toldCountMax), end].join(' ')
}

function authorityText({ op, action, approval, authorizedAtMs }: ActionSummary): string {
  return `${action} (op ${op}) was authorised at ${momentText(authorizedAtMs ?? 0)} on the strength of the approval of op ${approval}.`
}

function actorText({ op, action, roles, authorizedAtMs }: ActionSummary, actor: string): string {
  const role = roles === undefined || roles.length === 0 ? 'no role' : roles.join(', ')
  return `${action} (op ${op}) was authorised for ${actor} as ${role} at ${momentText(authorizedAtMs ?? 0)}.`
}

function onceText({ op, action, attemptCount, completedCount, outcome }: ActionSummary): string {
  const attempts = attemptCount === 1 ? 'one attempt' : `${attemptCount} attempts`
  const completed = completedCount === 1 ? 'completed once' : `completed ${completedCount} times`
  const end = outcome === 'done' ? '' : `; it is ${outcome}`
  return `${action} (op ${op}): ${attempts}, ${completed}${end}.`
}

function waitText(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ] as const
  const [unitMs, unit] = units.find(([size]) => ms >= size) ?? [1_000, 'second']
  const count = Math.floor(ms / unitMs)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
