import {
  type Approved,
  authorityOf,
  conditionValueOf,
  type DeclaredApproval,
  type DeclaredContract,
  type Law,
  type Proposal,
  type Verdict,
  verdictOf,
} from '@constancia/verify'
import type { GuardedRun } from '../engine/index.js'
import type { OpId } from '../journal/index.js'
import { type AskedApproval, pendingOf } from './approvals/pending.js'
import { questionOf } from './approvals/shown.js'
import { schemaDigestOf } from './government.js'
import type { RunBodies } from './kinds.js'

/** What is asked of the gate: all of it as it is now, the first time and every time after. */
export interface GateRequest {
  readonly law: Law
  readonly run: GuardedRun
  readonly action: string
  /** The exact text of the input that would execute. */
  readonly inputText: string
  /** An approval that was given, where one is at hand. */
  readonly approval: AskedApproval | undefined
  /** Whether another op has used it. */
  readonly isUsed: boolean
  readonly nowMs: number
}

/** What the gate says. */
export type GateAnswer =
  | { readonly kind: 'allowed'; readonly facts: Facts }
  | {
      readonly kind: 'needs_approval'
      readonly rule: number
      readonly policy: DeclaredApproval
      readonly contract: string
    }
  | {
      readonly kind: 'denied'
      readonly code: RunBodies['ActionDenied']['code']
      readonly reason: string
      readonly contract: string
      readonly roles: readonly string[]
    }

interface Facts {
  /** The contract in force now. */
  readonly contract: string
  readonly rule: number
  readonly roles: readonly string[]
  readonly approval?: OpId
}

/**
 * Whether an action may happen now: by the contract that the run is bound to, and by the one in force. Nothing else decides.
 * Pure.
 */
export function askGate(request: GateRequest): GateAnswer {
  const { law, run, nowMs, approval } = request
  const { actor } = run
  const roles = actor === null ? [] : law.grantedTo(actor, nowMs)
  const bound = run.contract === null ? undefined : law.contract(run.contract)
  const { inForce } = law
  if (bound === undefined || inForce === undefined) {
    const reason = `The contract ${run.contract ?? '(none)'} that the run is bound to is not among those that were put in force.`
    return { kind: 'denied', code: 'unknown_action', reason, contract: inForce?.digest ?? '-', roles }
  }
  const contracts = [...new Set([inForce, bound])]
  const proposal = proposalOf(request, roles)
  const verdicts = contracts.map(({ declared }) => verdictOf(declared, proposal))
  const contract = inForce.digest
  const denied = verdicts.find((verdict) => verdict.kind === 'denied')
  if (denied?.kind === 'denied') return { ...denied, contract, roles }
  const open = verdicts.find((verdict) => verdict.kind === 'needs_approval')
  if (open?.kind === 'needs_approval') return { kind: open.kind, rule: open.rule, policy: open.approval, contract }
  const [first] = verdicts
  const rule = first?.kind === 'allowed' ? first.rule : -1
  const isNeeded = contracts.some(({ declared }, index) => isAfterApproval(declared, verdicts[index]))
  const used = approval !== undefined && isNeeded ? { approval: approval.op } : {}
  return { kind: 'allowed', facts: { contract, rule, roles, ...used } }
}

function isAfterApproval({ rules }: DeclaredContract, verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'allowed' && rules[verdict.rule]?.approval !== null
}

function proposalOf(request: GateRequest, roles: readonly string[]): Proposal {
  const { law, run, action, inputText } = request
  const actor = { id: run.actor ?? '-', person: law.personOf(run.actor ?? '-'), roles }
  return { action, input: conditionValueOf(inputText), actor, approval: approvedBy(request) }
}

// Its votes as they count now: whoever lost the role does not, nor does whoever meant something else.
function approvedBy({ approval, isUsed, inputText, law, run, nowMs }: GateRequest): Approved | undefined {
  if (approval?.resolved?.outcome !== 'approved') return undefined
  const { resolved, votes } = approval
  const { action, schema, input } = questionOf(approval.shownText)
  const pending = pendingOf(approval, run.actor)
  const amended = resolved.amendedText
  const counting = votes.filter(({ choice, amendedText }) => choice === 'approve' && amendedText === amended)
  return {
    action: schema === schemaDigestOf(law.inForce?.declared, action ?? '-') ? (action ?? '-') : '-',
    isSameInput: inputText === (amended ?? input),
    isUsed,
    votes: counting.flatMap((vote) => {
      const authority = authorityOf(pending, vote, { law, nowMs })
      const hand = law.personOf(vote.voter)
      return authority === undefined ? [] : [{ person: authority.person, hand, roles: authority.roles }]
    }),
  }
}
