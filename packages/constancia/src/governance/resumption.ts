import type { Guard, GuardedRun, Pause } from '../engine/index.js'
import { type Draft, encodeError, encodeValue, draftOf as engineDraftOf, type OpId } from '../journal/index.js'
import type { ResumePolicy } from './contract/contract.js'
import { governanceError } from './errors.js'
import { declaredFlow, type Government } from './government.js'
import { type About, bodyOf, draftOf } from './kinds.js'

/** The template of the turn that tells the user that a run may not go on. */
export const denialTemplate = 'resume-denied'

/**
 * Lets a run go on after a pause only as its original actor, and only while the flow's policy admits that actor: by the contract
 * that the run is bound to, and by the one in force.
 */
export function resumptionGuard(government: Government): Guard {
  const rolesOf = ({ actor }: GuardedRun): readonly string[] =>
    actor === null ? [] : government.basis.law.grantedTo(actor, government.clock.now())
  const objectionTo = (run: GuardedRun): ResumePolicy | undefined => {
    const roles = rolesOf(run)
    const { law } = government.basis
    const contracts = [law.inForce, run.contract === null ? undefined : law.contract(run.contract)]
    const policies = contracts.map(
      (contract) =>
        (contract && declaredFlow(contract.declared, { name: run.flow, version: run.version }))?.resume ?? nobody,
    )
    return policies.find((policy) => policy !== 'anyone' && !policy.roles.some((role) => roles.includes(role)))
  }
  const judge = (run: GuardedRun, admitted: readonly Draft[]): readonly Draft[] => {
    const policy = objectionTo(run)
    return policy === undefined ? admitted : denial({ run, policy, roles: rolesOf(run) }, government)
  }
  return {
    permission: 'ResumeAuthorized',
    pauses: new Set(['ApprovalResolved']),
    afterPause: (run, pause) => judge(run, [permission(pause, rolesOf(run), government)]),
    onClaim: (run) => judge(run, []),
  }
}

function permission({ op, verb, name }: Pause, roles: readonly string[], { basis }: Government): Draft {
  return draftOf('ResumeAuthorized', { op, verb, name, contract: basis.inForce?.digest ?? '-', roles })
}

// What a contract does not speak of goes on for nobody.
const nobody: ResumePolicy = { roles: [] }

interface Denial {
  readonly run: GuardedRun
  readonly policy: ResumePolicy
  readonly roles: readonly string[]
}

// The user is told in the same append that ends the run.
function denial({ run, policy, roles }: Denial, government: Government): readonly Draft[] {
  const wanted = policy === 'anyone' ? 'anyone' : policy.roles.join(' or ') || 'nobody'
  const holds = roles.length === 0 ? 'no role' : roles.join(', ')
  const error = governanceError(
    'resume_denied',
    `Run ${run.id} of flow ${run.flow} may be resumed by ${wanted}, but its actor ${run.actor ?? '(none)'} holds ${holds} now. Nothing more was executed and the run has failed; ` +
      'grant the role and start it again, where that is right.',
  )
  const failed = engineDraftOf(
    'FlowFailed',
    { code: error.code },
    encodeError(error, { limits: government.limits, what: 'denial' }),
  )
  const doubts = openIntents(run).map((about) => doubt(about, government))
  if (government.template(run, denialTemplate) === undefined) return [...doubts, failed]
  const about = { op: '-' as OpId, verb: 'say', name: denialTemplate }
  const values = encodeValue({}, { limits: government.limits, what: 'values of a message' })
  return [...doubts, draftOf('MessageSent', { ...about, template: denialTemplate, language: 'en' }, values), failed]
}

// A run does not end with an intent that nothing is said of.
function openIntents({ addedOf }: GuardedRun): readonly (About & { readonly attempt: number })[] {
  const known = new Set(
    ['ActionCompleted', 'ActionFailed', 'OutcomeUnknown'].flatMap((kind) => addedOf(kind).map(attemptKeyOf)),
  )
  const intents = addedOf('ActionAuthorized').filter((event) => !known.has(attemptKeyOf(event)))
  return intents.map((event) => bodyOf(event, 'ActionAuthorized'))
}

function attemptKeyOf({ body }: { readonly body: string }): string {
  const { op, attempt } = JSON.parse(body) as { readonly op: string; readonly attempt: number }
  return `${op} ${attempt}`
}

function doubt({ op, verb, name, attempt }: About & { readonly attempt: number }, government: Government): Draft {
  const protocol = government.action(name)?.effect.protocol ?? 'once'
  const why = 'Its run was denied to go on before anybody knew what came of it.'
  const data = encodeValue(why, { limits: government.limits, what: 'doubt' })
  return draftOf('OutcomeUnknown', { op, verb, name, attempt, protocol }, data)
}
