import { createHash } from 'node:crypto'
import { canonicalText, type Json, type Law } from '@constancia/verify/governance'
import type { Draft } from '../../journal/index.js'
import {
  type ChangeDecision,
  type ChangeParts,
  changeLaw,
  encodeReason,
  type LawNow,
  lawDraft,
  principalId,
} from '../changes.js'
import type { Contract } from '../contract/contract.js'
import { governanceError } from '../errors.js'

/** Somebody who wants a contract in force. */
export interface ActivationRequest {
  readonly contract: Pick<Contract, 'declared' | 'text' | 'digest'>
  /** The principal who wants it. */
  readonly by: string
  /** In words, for whoever reads the history. */
  readonly reason?: string
}

/** What became of it. */
export type ActivationOutcome =
  /** It is in force from now on. */
  | {
      readonly kind: 'activated'
      readonly digest: string
      readonly seq: number
      readonly approvedBy: readonly string[]
    }
  /** It was in force already; nothing was added. */
  | { readonly kind: 'in_force'; readonly digest: string; readonly seq: number }
  /** It takes more people yet. Those who want it so far, and how many it takes. */
  | {
      readonly kind: 'proposed'
      readonly digest: string
      readonly confirmedBy: readonly string[]
      readonly quorum: number
    }

/**
 * Puts a contract in force, or adds one's voice where it takes several people: different persons who hold, by a grant, one of
 * the roles that the contract in force names for it (`administrator` before the first). The digest in force again changes
 * nothing; any activation closes what else was proposed. Durable on return. `not_permitted` for whoever may not, which is
 * recorded; `invalid_contract` where text and digest do not belong together.
 */
export async function activate(
  parts: ChangeParts,
  { contract, by, reason }: ActivationRequest,
): Promise<ActivationOutcome> {
  const { declared, text, digest } = contract
  const principal = principalId(by)
  if (canonicalText(declared as unknown as Json) !== text || sha256(text) !== digest) {
    const named = `Contract ${declared.name} ${declared.version}`
    throw governanceError(
      'invalid_contract',
      `${named} is not what its digest says. Nothing was changed; declare it with contract().`,
    )
  }
  const wanted = { contract, by: principal, data: encodeReason(reason, parts.limits) }
  const { events, result } = await changeLaw(parts, principal, (now) => decideActivation(wanted, now))
  if (result.kind !== 'activated') return result
  return { ...result, seq: events.at(-1)?.seq ?? result.seq }
}

interface Wanted extends Pick<ActivationRequest, 'contract' | 'by'> {
  readonly data: string | undefined
}

/** Decides on an activation. Pure. `seq` of one that is to be written is not known yet. */
export function decideActivation(wanted: Wanted, now: LawNow): ChangeDecision<ActivationOutcome> {
  const { by } = wanted
  const { digest } = wanted.contract
  const { law, nowMs } = now
  const { inForce, activation } = law
  if (inForce?.digest === digest) {
    return { kind: 'change', drafts: [], result: { kind: 'in_force', digest, seq: inForce.seq } }
  }
  const roles = law.grantedTo(by, nowMs).filter((role) => activation.roles.includes(role))
  if (roles.length === 0) return refused(digest, by, law)
  const before = law.proposals.find((proposal) => proposal.digest === digest)
  const { confirmers, suffices } = law.supportBy([...(before?.confirmers ?? []), by], nowMs)
  const confirmed = before?.confirmers.includes(by) ? [] : [confirmation(wanted, roles)]
  if (suffices) {
    const drafts = [...confirmed, activated(wanted, confirmers)]
    return { kind: 'change', drafts, result: { kind: 'activated', digest, seq: -1, approvedBy: confirmers } }
  }
  const drafts = before === undefined ? [proposed(wanted), ...confirmed] : confirmed
  return {
    kind: 'change',
    drafts,
    result: { kind: 'proposed', digest, confirmedBy: confirmers, quorum: activation.quorum },
  }
}

function refused(digest: string, by: string, { activation, inForce }: Law): ChangeDecision<never> {
  const ruled =
    inForce === undefined
      ? 'Before the first contract'
      : `While ${inForce.declared.name} ${inForce.declared.version} is in force`
  const reason = `${ruled}, contracts are put in force by ${activation.roles.join(' or ')}, and ${by} holds none of these now.`
  return { kind: 'refused', body: { change: 'activate', code: 'not_permitted', about: { digest } }, reason }
}

function proposed({ contract }: Wanted): Draft {
  return lawDraft('ContractProposed', named(contract), contract.text)
}

function confirmation({ contract, by, data }: Wanted, roles: readonly string[]): Draft {
  return lawDraft('ContractConfirmed', { digest: contract.digest, confirmer: by, roles }, data)
}

function activated({ contract }: Wanted, approvedBy: readonly string[]): Draft {
  return lawDraft('ContractActivated', { ...named(contract), approvedBy }, contract.text)
}

function named({ declared: { name, version }, digest }: Wanted['contract']): {
  name: string
  version: string
  digest: string
} {
  return { name, version, digest }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
