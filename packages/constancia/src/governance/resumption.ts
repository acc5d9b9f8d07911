import {
  type DeclaredTemplate,
  isDeferredAfterApproval,
  judgeResume,
  type ResumeVerdict,
} from '@constancia/verify/governance'
import { deferredIn, type Guard, type GuardedRun, noOp, type Pause } from '../engine/index.js'
import { type Draft, encodeError, encodeValue, draftOf as engineDraftOf, type Limits } from '../journal/index.js'
import type { Clock } from '../store/index.js'
import type { AnyAction } from './contract/action.js'
import { governanceError } from './errors.js'
import { type About, bodyOf, draftOf } from './kinds.js'
import type { LawBook } from './law-book.js'
import { notDispatchedCode } from './not-dispatched.js'

/** What resuming runs is decided from. */
export interface Resumption {
  readonly basis: LawBook
  readonly clock: Clock
  readonly limits: Limits
  /** The code of an action; undefined where the contract at hand has none of that name. */
  readonly action: (name: string) => AnyAction | undefined
  /** A template of the contract that a run is bound to. */
  readonly template: (run: GuardedRun, name: string) => DeclaredTemplate | undefined
}

/** The template of the turn that tells the user that a run may not go on. */
export const denialTemplate = 'resume-denied'

/**
 * Lets a run go on after a pause only as its original actor, and only while the flow's policy admits that actor: by the contract
 * that the run is bound to, and by the one in force.
 */
export function resumptionGuard(government: Resumption): Guard {
  const judge = (run: GuardedRun, admit: (roles: readonly string[]) => readonly Draft[]): readonly Draft[] => {
    const verdict = judgeResume(government.basis.law, run, government.basis.nowMs)
    return verdict.kind === 'admitted' ? admit(verdict.roles) : denial(run, verdict, government)
  }
  const guard: Guard = {
    permission: 'ResumeAuthorized',
    deferral: 'ResumeDeferred',
    pauses: new Set(['ApprovalResolved']),
    afterPause: (run, pause) => judge(run, (roles) => admission(run, pause, { roles, government })),
    // What waits for the next message executes nothing: whether it may go on is asked then.
    onClaim: (run) => (deferredIn(run, guard) === undefined ? judge(run, () => []) : []),
  }
  return guard
}

/** The template of the turn that tells the user that a decision is in, and that the run goes on with their next message. */
export const deferralTemplate = 'resume-deferred'

interface Admission {
  readonly roles: readonly string[]
  readonly government: Resumption
}

// After an approval, its own or one within a child, the rest runs by itself only if it cannot call a model, or the contract lets it.
function admission(run: GuardedRun, pause: Pause, { roles, government }: Admission): readonly Draft[] {
  const isDecision = pause.endedBy === 'ApprovalResolved' || run.restriction.isFromChildOf(pause.op)
  const isDeferred = isDecision && !run.isCancelled() && isDeferredAfterApproval(government.basis.law, run)
  if (!isDeferred) return [permission(pause, roles, government)]
  const { op, verb, name } = pause
  const contract = government.basis.inForce?.digest ?? '-'
  return [
    draftOf('ResumeDeferred', { op, verb, name, contract, ...run.tells }),
    ...told(run, { template: deferralTemplate, values: { decision: name } }, government),
  ]
}

interface Turn {
  readonly template: string
  readonly values: Readonly<Record<string, string>>
}

// A turn for the user, where the contract has words for it.
function told(run: GuardedRun, { template, values }: Turn, government: Resumption): readonly Draft[] {
  if (government.template(run, template) === undefined) return []
  const whole = { flow: run.flow, run: run.id, ...values }
  const text = encodeValue(whole, { limits: government.limits, what: 'values of a message' })
  const body = { op: noOp, verb: 'say', name: template, template, language: 'en', ...run.tells }
  return [draftOf('MessageSent', body, text)]
}

function permission({ op, verb, name }: Pause, roles: readonly string[], { basis }: Resumption): Draft {
  return draftOf('ResumeAuthorized', { op, verb, name, contract: basis.inForce?.digest ?? '-', roles })
}

// The user is told in the same append that ends the run.
function denial(run: GuardedRun, { wanted, roles }: Denied, government: Resumption): readonly Draft[] {
  const error = governanceError(
    'resume_denied',
    `Run ${run.id} of flow ${run.flow} may be resumed by ${words(wanted)}, but its actor ${run.actor ?? '(none)'} holds ${words(roles)} now. Nothing more was executed and the run has failed; ` +
      'grant the role and start it again, where that is right.',
  )
  const failed = engineDraftOf(
    'FlowFailed',
    { code: error.code, ...run.restriction.facts, ...run.endTells },
    encodeError(error, { limits: government.limits, what: 'denial' }),
  )
  const doubts = openIntents(run).map((about) => doubt(about, government))
  return [...doubts, ...told(run, { template: denialTemplate, values: { reason: error.message } }, government), failed]
}

type Denied = ResumeVerdict & { readonly kind: 'denied' }

function words(roles: readonly string[]): string {
  return roles.length === 0 ? 'no role' : roles.join(' or ')
}

// A run does not end with an intent that nothing is said of.
function openIntents({ addedOf }: GuardedRun): readonly (About & { readonly attempt: number })[] {
  const known = new Set(
    ['ActionCompleted', 'ActionFailed', 'OutcomeUnknown'].flatMap((kind) => addedOf(kind).map(attemptKeyOf)),
  )
  for (const event of addedOf('ActionAttemptFailed')) {
    if (bodyOf(event, 'ActionAttemptFailed').code === notDispatchedCode) known.add(attemptKeyOf(event))
  }
  // An attempt that was found not to have landed is followed by another: once the op is over nothing of it is in doubt.
  const over = new Set(['ActionCompleted', 'ActionFailed'].flatMap((kind) => addedOf(kind).map(opIn)))
  const intents = addedOf('ActionAuthorized').filter(
    (event) => !known.has(attemptKeyOf(event)) && !over.has(opIn(event)),
  )
  return intents.map((event) => bodyOf(event, 'ActionAuthorized'))
}

function opIn({ body }: { readonly body: string }): string {
  return (JSON.parse(body) as { readonly op: string }).op
}

function attemptKeyOf({ body }: { readonly body: string }): string {
  const { op, attempt } = JSON.parse(body) as { readonly op: string; readonly attempt: number }
  return `${op} ${attempt}`
}

function doubt({ op, verb, name, attempt }: About & { readonly attempt: number }, government: Resumption): Draft {
  const protocol = government.action(name)?.effect.protocol ?? 'once'
  const why = 'Its run was denied to go on before anybody knew what came of it.'
  const data = encodeValue(why, { limits: government.limits, what: 'doubt' })
  return draftOf('OutcomeUnknown', { op, verb, name, attempt, protocol }, data)
}
