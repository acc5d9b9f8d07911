import { type ConditionValue, evaluateCondition, type Parsed, parseCondition } from '../condition/index.js'
import { type Decider, deciderCount } from './approval.js'
import type { DeclaredApproval, DeclaredContract, DeclaredRule } from './contract.js'

/** Somebody wants an action done. All of it as it is now, the first time and every time after. */
export interface Proposal {
  readonly action: string
  /** The input that would execute. */
  readonly input: ConditionValue
  readonly actor: Actor
  /** What was approved, where something was. */
  readonly approval: Approved | undefined
}

/** The principal as whom a run acts. */
export interface Actor {
  readonly id: string
  /** The person behind it: itself, or whoever it stands for. */
  readonly person: string
  /** Held now. */
  readonly roles: readonly string[]
}

/** An approval that has a positive outcome, with its votes as they count now. */
export interface Approved {
  /** Null where it was a plain question, or its action takes other input by now. */
  readonly action: string | null
  /** Whether the bytes that would execute are those that were approved, or their approved amendment. */
  readonly isSameInput: boolean
  /** Whether another op has used it. */
  readonly isUsed: boolean
  readonly votes: readonly (Decider & { readonly roles: readonly string[] })[]
}

/** What the gate says. `rule` counts from 0 in the contract's list. */
export type Verdict =
  | { readonly kind: 'allowed'; readonly rule: number }
  | { readonly kind: 'needs_approval'; readonly rule: number; readonly approval: DeclaredApproval }
  | { readonly kind: 'denied'; readonly code: DenialCode; readonly reason: string }

/** Why something is denied. */
export type DenialCode =
  | 'unknown_action'
  | 'no_rule'
  | 'role_missing'
  | 'condition_failed'
  | 'approval_other_action'
  | 'approval_other_input'
  | 'approval_used'
  | 'approval_lapsed'

/**
 * Whether a contract lets an actor have an action done: the first rule that does so without an approval, else the first
 * whose approval is at hand, else the first that asks for one. What no rule allows is denied. Pure; the one function that
 * decides.
 */
export function verdictOf(contract: DeclaredContract, proposal: Proposal): Verdict {
  if (!contract.actions.some(({ name }) => name === proposal.action)) {
    return denied('unknown_action', `The contract names no action ${proposal.action}.`)
  }
  const rules = contract.rules
    .map((rule, index) => ({ rule, index }))
    .filter(({ rule }) => rule.action === proposal.action)
  if (rules.length === 0) return denied('no_rule', `No rule allows ${proposal.action} to anybody.`)
  const held = rules.filter(({ rule }) => overlaps(rule.roles, proposal.actor.roles))
  if (held.length === 0) return denied('role_missing', rolesWanted(rules.map(({ rule }) => rule)))
  const tried = held.map(({ rule, index }) => ({ rule, index, objection: objectionOf(rule, proposal) }))
  const open = tried.filter(({ objection }) => objection === undefined)
  const free = open.find(({ rule }) => rule.approval === null)
  if (free !== undefined) return { kind: 'allowed', rule: free.index }
  if (open.length === 0) return denied('condition_failed', tried.map(({ objection }) => objection).join(' '))
  return afterApproval(open, proposal)
}

function afterApproval(
  open: readonly { rule: DeclaredRule; index: number }[],
  { action, actor, approval }: Proposal,
): Verdict {
  const first = open[0] as { rule: DeclaredRule; index: number }
  if (approval === undefined) {
    return { kind: 'needs_approval', rule: first.index, approval: first.rule.approval as DeclaredApproval }
  }
  if (approval.action !== action) {
    return denied(
      'approval_other_action',
      `What was approved is ${approval.action ?? 'something else'}, not ${action}.`,
    )
  }
  if (!approval.isSameInput) return denied('approval_other_input', 'What was approved has another input.')
  if (approval.isUsed) return denied('approval_used', 'This approval was used for another op; each counts once.')
  const fitting = open.find(({ rule }) => isMet(rule.approval as DeclaredApproval, { actor, approval }))
  if (fitting !== undefined) return { kind: 'allowed', rule: fitting.index }
  const { roles, quorum } = first.rule.approval as DeclaredApproval
  const wanted = `${quorum} ${quorum === 1 ? 'vote' : 'votes'} of people who hold ${roles.join(' or ')} now`
  return denied('approval_lapsed', `The rule asks for ${wanted}; the votes that were given no longer suffice.`)
}

function isMet(
  { roles, quorum, notBy, escalation }: DeclaredApproval,
  given: { actor: Actor; approval: Approved },
): boolean {
  const admitted = [...roles, ...(escalation?.roles ?? [])]
  const asking = notBy === 'actor' ? given.actor.person : undefined
  const counting = given.approval.votes.filter(
    ({ roles: held, person, hand }) => overlaps(admitted, held) && person !== asking && hand !== asking,
  )
  return deciderCount(counting) >= quorum
}

// Rules do not change, and some are asked of thousands of actions.
const parsedOf = new WeakMap<DeclaredRule, Parsed>()

function objectionOf(rule: DeclaredRule, { input, actor }: Proposal): string | undefined {
  const { when } = rule
  if (when === null) return
  const parsed = parsedOf.get(rule) ?? parseCondition(when)
  parsedOf.set(rule, parsed)
  if (parsed.kind === 'refused') return `Its condition cannot be read: ${parsed.reason}`
  const about = new Map<string, ConditionValue>([
    ['id', actor.id],
    ['roles', actor.roles],
  ])
  const outcome = evaluateCondition(
    parsed.condition,
    new Map<string, ConditionValue>([
      ['input', input],
      ['actor', about],
    ]),
  )
  if (outcome.kind === 'error') return `Its condition ${when} fails: ${outcome.reason}`
  return outcome.value === true ? undefined : `Its condition ${when} does not hold.`
}

function rolesWanted(rules: readonly DeclaredRule[]): string {
  const roles = [...new Set(rules.flatMap((rule) => rule.roles))]
  return `It is for ${roles.join(', ')}, and the actor holds none of these now.`
}

function overlaps(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one))
}

function denied(code: DenialCode, reason: string): Verdict {
  return { kind: 'denied', code, reason }
}
