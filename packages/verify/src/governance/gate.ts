import { conditionValueOf } from '../condition/index.js'
import { authorityOf } from './approval.js'
import { type AskedApproval, pendingOf } from './asked.js'
import type { DeclaredApproval, DeclaredContract } from './contract.js'
import type { Law } from './law.js'
import { questionOf } from './question.js'
import { type Approved, type DenialCode, type Proposal, type Verdict, verdictOf } from './verdict.js'

/** What is asked of the gate: all of it as it is now, the first time and every time after. */
export interface GateRequest<Op extends string = string> {
  readonly law: Law
  readonly run: BoundRun
  readonly action: string
  /** The exact text of the input that would execute. */
  readonly inputText: string
  /** An approval that was given, where one is at hand. */
  readonly approval: AskedApproval<Op> | undefined
  /** Whether another op has used it. */
  readonly isUsed: boolean
  /** UTC milliseconds since 1970. */
  readonly nowMs: number
  /** The SHA-256 of the canonical text of the schema that a contract has for the input of an action, lower-case hex. */
  readonly schemaDigestOf: SchemaDigestOf
}

/** A run, as far as the gate looks at it. */
export interface BoundRun {
  readonly actor: string | null
  /** The digest of the contract that it is bound to. */
  readonly contract: string | null
}

/** Null where there is no contract, or it has no such action. */
export type SchemaDigestOf = (contract: DeclaredContract | undefined, action: string) => string | null

/** What the gate says. */
export type GateAnswer<Op extends string = string> =
  | { readonly kind: 'allowed'; readonly facts: AllowedFacts<Op> }
  | {
      readonly kind: 'needs_approval'
      readonly rule: number
      readonly policy: DeclaredApproval
      readonly contract: string
    }
  | {
      readonly kind: 'denied'
      readonly code: DenialCode
      readonly reason: string
      readonly contract: string
      readonly roles: readonly string[]
    }

/** By what something is allowed. */
export interface AllowedFacts<Op extends string = string> {
  /** The contract in force now. */
  readonly contract: string
  readonly rule: number
  readonly roles: readonly string[]
  readonly approval?: Op
}

/**
 * Whether an action may happen now: by the contract that the run is bound to, and by the one in force. Nothing else decides.
 * Pure.
 */
export function askGate<Op extends string = string>(request: GateRequest<Op>): GateAnswer<Op> {
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
function approvedBy({
  approval,
  isUsed,
  inputText,
  law,
  run,
  nowMs,
  schemaDigestOf,
}: GateRequest): Approved | undefined {
  if (approval?.resolved?.outcome !== 'approved') return undefined
  const { resolved, votes } = approval
  const { action, schema, input } = questionOf(approval.shownText)
  const pending = pendingOf(approval, run.actor)
  const amended = resolved.amendedText
  const counting = votes.filter(({ choice, amendedText }) => choice === 'approve' && amendedText === amended)
  const isAsShown = action !== null && schema === schemaDigestOf(law.inForce?.declared, action)
  return {
    action: isAsShown ? action : null,
    isSameInput: inputText === (amended ?? input),
    isUsed,
    votes: counting.flatMap((vote) => {
      const authority = authorityOf(pending, vote, { law, nowMs })
      const hand = law.personOf(vote.voter)
      return authority === undefined ? [] : [{ person: authority.person, hand, roles: authority.roles }]
    }),
  }
}
