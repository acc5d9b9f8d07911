import type { DeclaredFlow } from './contract.js'
import type { Law } from './law.js'

/** A run that wants to go on after a pause. */
export interface ResumingRun {
  /** The principal as whom it acts. */
  readonly actor: string | null
  readonly flow: string
  readonly version: number
  /** The digest of the contract that it is bound to. */
  readonly contract: string | null
}

/** Whether a run may go on, and by which roles of its actor. */
export type ResumeVerdict =
  | { readonly kind: 'admitted'; readonly roles: readonly string[] }
  | { readonly kind: 'denied'; readonly roles: readonly string[]; readonly wanted: readonly string[] }

/**
 * Whether a run may go on now as its original actor: by what the contract that it is bound to says of its flow, and by what the
 * one in force says, where that speaks of it. Without any contract it is denied. Pure.
 */
export function judgeResume(law: Law, run: ResumingRun, nowMs: number): ResumeVerdict {
  const roles = run.actor === null ? [] : law.grantedTo(run.actor, nowMs)
  const flows = declaredFor(law, run)
  if (flows.length === 0) return { kind: 'denied', roles, wanted: [] }
  for (const { resume } of flows) {
    if (resume === 'anyone' || resume.roles.some((role) => roles.includes(role))) continue
    return { kind: 'denied', roles, wanted: resume.roles }
  }
  return { kind: 'admitted', roles }
}

/** Whether what comes after an approval has to wait for the next message of the user, because it may call a model. Pure. */
export function isDeferredAfterApproval(law: Law, run: ResumingRun): boolean {
  return declaredFor(law, run).some(({ models }) => models === 'deferred')
}

function declaredFor(law: Law, run: ResumingRun): readonly DeclaredFlow[] {
  const bound = run.contract === null ? undefined : law.contract(run.contract)
  const contracts = new Set([law.inForce, bound])
  return [...contracts].flatMap((contract) => {
    const found = contract?.declared.flows.find(({ name, version }) => name === run.flow && version === run.version)
    return found === undefined ? [] : [found]
  })
}
