import type { GovernanceKind } from '../bodies.js'
import { approvalForm } from './contract-form.js'
import {
  exactly,
  type Form,
  hash,
  id,
  listOf,
  name,
  nullOr,
  number,
  object,
  oneOf,
  place,
  type Shape,
  streamName,
  text,
  whole,
} from './form.js'

const roles = listOf(name)
const named = { name, version: name, digest: hash }

/** The forms of the bodies of the governance stream. */
export const governanceForms: Readonly<Record<GovernanceKind, Form>> = {
  ContractProposed: object({ has: named }),
  ContractConfirmed: object({ has: { digest: hash, confirmer: id, roles } }),
  ContractActivated: object({ has: { ...named, approvedBy: listOf(id) } }),
  RoleGranted: object({ has: { principal: id, role: name, untilMs: nullOr(whole), source: id } }),
  RoleRevoked: object({ has: { principal: id, role: name, source: nullOr(id) } }),
  DelegationGranted: object({ has: { from: id, to: id, roles, untilMs: whole } }),
  DelegationRevoked: object({ has: { from: id, to: id } }),
  IdentityLinked: object({ has: { principal: id, person: id } }),
  Erased: object({
    has: {
      texts: listOf(exactly('texts of a stream', { stream: streamName, from: whole, to: whole })),
      principal: nullOr(id),
    },
  }),
}

const contract: Form = (value) => (value === '-' ? undefined : hash(value))

function about(has: Shape['has'] = {}, may: NonNullable<Shape['may']> = {}): Form {
  // `tells` is between a run and whoever started it.
  return object({ has: { op: place, verb: text, name: text, ...has }, may: { tells: oneOf(true), ...may } })
}

/** The forms of the bodies in the journal of a run that the replay reads. */
export const runForms = {
  FlowStarted: object({
    has: { flow: text, version: whole, actor: nullOr(text), contract: nullOr(hash) },
    isOpen: true,
  }),
  ChildEnded: object({ has: { op: place }, may: { restricts: oneOf(true) }, isOpen: true }),
  CancelRequested: object({ has: {}, isOpen: true }),
  ActionAuthorized: about({ attempt: whole, contract, rule: whole, roles }, { approval: place, cents: number }),
  ActionDenied: about({ contract, code: text, roles }),
  ActionCompleted: about({ attempt: whole }, { found: oneOf(true) }),
  ActionAttemptFailed: about({ attempt: whole, code: text, delayMs: number }),
  ActionFailed: about({ attempt: whole, code: text, reason: text }),
  OutcomeUnknown: about({ attempt: whole, protocol: text }),
  OutcomeStated: about({ stater: id, outcome: oneOf('done', 'not_done', 'failed'), delivery: id, roles }),
  ApprovalRequested: about({
    contract,
    action: nullOr(text),
    rule: nullOr(whole),
    policy: approvalForm,
    shown: hash,
  }),
  ApprovalVoted: about({
    voter: id,
    choice: oneOf('approve', 'reject'),
    shown: hash,
    roles,
    delivery: id,
    amended: nullOr(hash),
  }),
  ApprovalWithdrawn: about({ voter: id, delivery: id }),
  ApprovalEscalated: about({ roles }),
  ApprovalResolved: about({ outcome: oneOf('approved', 'rejected', 'expired', 'lapsed') }),
  ResumeAuthorized: about({ contract, roles }),
  ResumeDeferred: about({ contract }),
  ResumeDenied: about({ contract, roles }),
} as const satisfies Readonly<Record<string, Form>>

/** A kind of event in the journal of a run that the replay reads. */
export type ReplayedKind = keyof typeof runForms

/** Whether the replay reads events of this kind. */
export function isReplayed(kind: string): kind is ReplayedKind {
  return Object.hasOwn(runForms, kind)
}
