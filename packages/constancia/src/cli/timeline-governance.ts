import { bodyOf, questionOf, type RunKind } from '../governance/index.js'
import type { StoredEvent } from '../journal/index.js'
import { durationText } from './durations.js'
import { orText } from './principals.js'
import { quoted } from './rows.js'
import { printable } from './text.js'
import type { Told } from './told.js'
import { dataLine } from './values.js'

type Teller = (event: StoredEvent) => Told

/** Tells an event of governance; undefined for any other. */
export function tellGoverned(event: StoredEvent): Told | undefined {
  return Object.hasOwn(tellers, event.kind) ? tellers[event.kind as RunKind](event) : undefined
}

const tellers: Readonly<Record<RunKind, Teller>> = {
  ActionAuthorized: (event) => {
    const { name, attempt, rule, roles, approval } = bodyOf(event, 'ActionAuthorized')
    const approved = approval === undefined ? '' : `, op ${approval} approved`
    const text = `authorised ${quoted(name)}: rule ${rule + 1}, ${listText(roles)}${approved}${attemptText(attempt)}`
    return { text, mood: 'good' }
  },
  ActionDenied: (event) => {
    const { name, code, roles } = bodyOf(event, 'ActionDenied')
    const held = roles.length === 0 ? '' : `, actor holds ${listText(roles)}`
    return { text: `${quoted(name)} denied [${printable(code)}]${held}`, mood: 'bad' }
  },
  ActionCompleted: (event) => {
    const { name, attempt, found } = bodyOf(event, 'ActionCompleted')
    const how = found === true ? ' done, as its destination says' : ' done'
    return { text: `${quoted(name)}${how}${attemptText(attempt)}`, mood: 'good' }
  },
  ActionAttemptFailed: (event) => {
    const { name, attempt, code, delayMs } = bodyOf(event, 'ActionAttemptFailed')
    const data = `${dataLine(event)} [${printable(code)}]; next after ${durationText(delayMs)}`
    return { text: `${quoted(name)} attempt ${attempt} failed`, data, mood: 'bad' }
  },
  ActionFailed: (event) => {
    const { name, attempt, code, reason } = bodyOf(event, 'ActionFailed')
    const why = reason === 'attempts_used_up' ? `after ${attempt} attempts` : `(${reason.replaceAll('_', ' ')})`
    return {
      text: `${quoted(name)} failed ${printable(why)}`,
      data: `${dataLine(event)} [${printable(code)}]`,
      mood: 'bad',
    }
  },
  OutcomeUnknown: (event) => {
    const { name, attempt } = bodyOf(event, 'OutcomeUnknown')
    return { text: `nobody knows whether ${quoted(name)} happened${attemptText(attempt)}`, mood: 'wait' }
  },
  OutcomeStated: (event) => {
    const { name, outcome, roles } = bodyOf(event, 'OutcomeStated')
    const text = `${quoted(name)} stated as ${outcome.replace('_', ' ')}, as ${listText(roles)}`
    return { text, mood: outcome === 'done' ? 'good' : 'bad' }
  },
  ApprovalRequested: (event) => {
    const { name, action, policy } = bodyOf(event, 'ApprovalRequested')
    const { roles, quorum, withinMs } = policy
    const who = quorum === 1 ? orText(roles) : `${quorum} people who are ${orText(roles)}`
    const about = action === null || action === name ? quoted(name) : `${quoted(name)} (${printable(action)})`
    const within = withinMs === null ? '' : `, within ${durationText(withinMs)}`
    return { text: `asks ${who}: ${about}${within}`, data: questionLine(event), mood: 'wait' }
  },
  ApprovalVoted: (event) => {
    const { choice, roles, amended } = bodyOf(event, 'ApprovalVoted')
    const how = amended === null ? '' : ' with changes'
    const verb = choice === 'approve' ? 'approved' : 'rejected'
    return { text: `${verb}${how} as ${listText(roles)}`, mood: choice === 'approve' ? 'good' : 'bad' }
  },
  ApprovalWithdrawn: () => ({ text: 'vote taken back', mood: 'plain' }),
  ApprovalEscalated: (event) => ({
    text: `waited long enough: ${orText(bodyOf(event, 'ApprovalEscalated').roles)} may decide as well`,
    mood: 'wait',
  }),
  ApprovalResolved: (event) => {
    const { name, outcome } = bodyOf(event, 'ApprovalResolved')
    const how = event.dataCommit === undefined ? '' : ' with changes'
    return { text: `${quoted(name)} ${outcome}${how}`, mood: outcome === 'approved' ? 'good' : 'bad' }
  },
  ResumeAuthorized: (event) => {
    const { roles } = bodyOf(event, 'ResumeAuthorized')
    return { text: roles.length === 0 ? 'may go on' : `may go on: its actor holds ${listText(roles)}`, mood: 'good' }
  },
  ResumeDeferred: () => ({ text: 'goes on with the next message: what is left may call a model', mood: 'wait' }),
  ResumeDenied: (event) => {
    const { roles } = bodyOf(event, 'ResumeDenied')
    const held = roles.length === 0 ? 'no role' : listText(roles)
    return { text: `may not go on: its actor holds ${held}`, mood: 'bad' }
  },
  MessageSent: (event) => {
    const { template, language } = bodyOf(event, 'MessageSent')
    return { text: `tells the user ${quoted(template)} in ${printable(language)}`, mood: 'plain' }
  },
}

function listText(roles: readonly string[]): string {
  return roles.map(printable).join(', ')
}

function attemptText(attempt: number): string {
  return attempt > 1 ? ` (attempt ${attempt})` : ''
}

function questionLine({ data }: StoredEvent): string {
  if (data === undefined) return '(erased)'
  const { input, question } = questionOf(data)
  return printable([question, input ?? ''].filter(Boolean).join('  '))
}
