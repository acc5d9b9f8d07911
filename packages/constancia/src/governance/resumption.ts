import type { Guard, GuardedRun, Pause } from '../engine/index.js'
import { type Draft, encodeError, draftOf as engineDraftOf, type Limits } from '../journal/index.js'
import type { ResumePolicy } from './contract/contract.js'
import { governanceError } from './errors.js'
import { draftOf } from './kinds.js'
import type { LawBook } from './law-book.js'

/** What resuming runs of one flow depends on. */
export interface ResumptionInput {
  readonly book: LawBook
  readonly policy: ResumePolicy
  readonly limits: Limits
  readonly now: () => number
}

/** Lets a run go on after a pause only as its original actor, and only while the flow's policy admits that actor. */
export function resumptionGuard(input: ResumptionInput): Guard {
  const { book, policy, now } = input
  const rolesOf = (run: GuardedRun): readonly string[] =>
    run.actor === null ? [] : book.law.grantedTo(run.actor, now())
  const admits = (run: GuardedRun): boolean =>
    policy === 'anyone' || rolesOf(run).some((role) => policy.roles.includes(role))
  const denial = (run: GuardedRun): readonly Draft[] => [denied(run, rolesOf(run), input)]
  return {
    permission: 'ResumeAuthorized',
    pauses: new Set(['ApprovalResolved', 'OutcomeStated']),
    afterPause: (run, pause) => (admits(run) ? [permitted(pause, rolesOf(run), book)] : denial(run)),
    onClaim: (run) => (admits(run) ? [] : denial(run)),
  }
}

function permitted({ op, verb, name }: Pause, roles: readonly string[], book: LawBook): Draft {
  return draftOf('ResumeAuthorized', { op: op, verb, name, contract: book.inForce?.digest ?? '-', roles })
}

function denied({ id, actor, flow }: GuardedRun, roles: readonly string[], { policy, limits }: ResumptionInput): Draft {
  const wanted = policy === 'anyone' ? 'anyone' : policy.roles.join(' or ')
  const holds = roles.length === 0 ? 'no role' : roles.join(', ')
  const error = governanceError(
    'resume_denied',
    `Run ${id} of flow ${flow} may be resumed by ${wanted}, but its actor ${actor ?? '(none)'} holds ${holds} now. Nothing more was executed and the run has failed; ` +
      'grant the role and start it again, where that is right.',
  )
  return engineDraftOf('FlowFailed', { code: error.code }, encodeError(error, { limits, what: 'denial' }))
}
