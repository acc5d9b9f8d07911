import { administrator, type GovernanceBodies } from '../bodies.js'
import type { Grant } from '../grants.js'
import type { Law } from '../law.js'

/** Events of the governance stream that were written at once. */
export interface Change {
  /** The principal who made it. */
  readonly by: string
  readonly atMs: number
  readonly events: readonly ChangeEvent[]
}

/** One of them. */
export type ChangeEvent = {
  [K in keyof GovernanceBodies]: { readonly kind: K; readonly body: GovernanceBodies[K] }
}[keyof GovernanceBodies]

/** Why the law before a change did not permit it; undefined if it did. What it says itself is compared with what the law makes of it. */
export function objectionTo(change: Change, law: Law): string | undefined {
  const [first] = change.events
  if (first === undefined) return undefined
  if (first.kind.startsWith('Contract')) return objectionToContract(change, law)
  if (isImport(change.events)) return objectionToImport(change, law)
  if (change.events.length > 1) return 'Such changes are made one by one, and not at once.'
  return objectionToOne(first, change, law)
}

function objectionToOne(event: ChangeEvent, change: Change, law: Law): string | undefined {
  switch (event.kind) {
    case 'RoleGranted':
      return event.body.source === 'bootstrap'
        ? objectionToFirst(event.body, law)
        : objectionToGrant(event.body, change, law)
    case 'RoleRevoked':
      // A source takes back what it granted in an import; by hand a role is taken whoever granted it.
      return event.body.source === null
        ? objectionToActor(change, law)
        : `No import is of the source ${event.body.source}.`
    case 'DelegationGranted':
      return objectionToDelegation(event.body, change, law)
    case 'DelegationRevoked':
      return change.by === event.body.from ? undefined : objectionToActor(change, law)
    case 'IdentityLinked':
    case 'Erased':
      return objectionToActor(change, law)
    default:
      return undefined
  }
}

function objectionToActor({ by, atMs }: Change, law: Law): string | undefined {
  if (law.grantedTo(by, atMs).includes(administrator)) return undefined
  return `${by} did not hold ${administrator} then.`
}

function objectionToFirst({ role, untilMs }: Grant, law: Law): string | undefined {
  if (role !== administrator || untilMs !== null) return `What is granted first is ${administrator}, without an end.`
  return law.wasGranted(administrator)
    ? `${administrator} was granted before; only once is it granted by nobody.`
    : undefined
}

function objectionToGrant(grant: Grant, change: Change, law: Law): string | undefined {
  return objectionToActor(change, law) ?? objectionToRole(grant.role, law) ?? objectionToEnd(grant.untilMs, change)
}

function objectionToRole(role: string, law: Law): string | undefined {
  const isKnown = role === administrator || Object.hasOwn(law.inForce?.declared.roles ?? {}, role)
  return isKnown ? undefined : `The contract in force knows no role ${role}.`
}

const latestMs = 8.64e15

function objectionToEnd(untilMs: number | null, { atMs }: Change): string | undefined {
  return untilMs === null || (untilMs > atMs && untilMs <= latestMs) ? undefined : 'Its end was no moment to come.'
}

function isImport(events: readonly ChangeEvent[]): boolean {
  const { source } = (events[0] as ChangeEvent).body as { readonly source?: string | null }
  return source !== undefined && source !== null && source !== 'direct' && source !== 'bootstrap'
}

function objectionToImport(change: Change, law: Law): string | undefined {
  const objection = objectionToActor(change, law)
  if (objection !== undefined) return objection
  const { source } = (change.events[0] as ChangeEvent).body as Grant
  const granted = new Set<string>()
  for (const { kind, body } of change.events) {
    if (kind !== 'RoleGranted' && kind !== 'RoleRevoked') return 'An import grants and revokes, and nothing else.'
    if (body.source !== source) return 'An import is of one source.'
    if (kind === 'RoleRevoked' && granted.size > 0) return 'An import revokes before it grants.'
    const wrong = kind === 'RoleGranted' ? objectionToImported(body, change, law) : objectionToLost(body, change, law)
    if (wrong !== undefined) return wrong
    const pair = `${body.principal}\n${body.role}`
    if (kind === 'RoleGranted' && granted.has(pair)) return `It grants ${body.role} to ${body.principal} twice.`
    if (kind === 'RoleGranted') granted.add(pair)
  }
  return undefined
}

function objectionToImported(grant: Grant, change: Change, law: Law): string | undefined {
  const { principal, role, untilMs } = grant
  if (law.isWithdrawn(principal, role)) return `${role} was taken from ${principal} by hand; no import gives it back.`
  return objectionToRole(role, law) ?? objectionToEnd(untilMs, change)
}

function objectionToLost(
  { principal, role, source }: GovernanceBodies['RoleRevoked'],
  { atMs }: Change,
  law: Law,
): string | undefined {
  const isThere = law.grants(atMs, principal).some((grant) => grant.role === role && grant.source === source)
  return isThere ? undefined : `${source} did not grant ${role} to ${principal}.`
}

function objectionToDelegation(
  { from, to, roles, untilMs }: GovernanceBodies['DelegationGranted'],
  change: Change,
  law: Law,
): string | undefined {
  const permitted = change.by === from ? undefined : objectionToActor(change, law)
  if (permitted !== undefined) return permitted
  if (from === to || roles.length === 0) return 'A delegation is of a role, and to somebody else.'
  if (roles.includes(administrator)) return `${administrator} is granted, never delegated.`
  const held = law.grantedTo(from, change.atMs)
  const missing = roles.find((role) => !held.includes(role))
  if (missing !== undefined) return `${from} did not hold ${missing} then.`
  return (
    roles.map((role) => objectionToRole(role, law)).find((wrong) => wrong !== undefined) ??
    objectionToEnd(untilMs, change)
  )
}

function objectionToContract({ by, atMs, events }: Change, law: Law): string | undefined {
  const digest = digestIn(events)
  if (digest === undefined)
    return 'A contract is proposed, confirmed and put in force in this order, and one at a time.'
  if (law.inForce?.digest === digest) return 'It was in force already.'
  const { roles: asked } = law.activation
  const roles = law.grantedTo(by, atMs).filter((role) => asked.includes(role))
  if (roles.length === 0) return `Contracts were put in force by ${asked.join(' or ')}, and ${by} held none of these.`
  const before = law.proposals.find((proposal) => proposal.digest === digest)
  const { confirmers, suffices } = law.supportBy([...(before?.confirmers ?? []), by], atMs)
  const confirmed = eventOf(events, 'ContractConfirmed')
  const isConfirmed = before?.confirmers.includes(by) === true
  if ((confirmed === undefined) !== isConfirmed) return `${by} confirms it exactly once.`
  if (confirmed !== undefined && confirmed.confirmer !== by)
    return `${confirmed.confirmer} did not confirm it: ${by} did.`
  if (confirmed !== undefined && !areSame(confirmed.roles, roles)) return `${by} confirms it by ${roles.join(', ')}.`
  const activated = eventOf(events, 'ContractActivated')
  if ((activated !== undefined) !== suffices) {
    return `It took ${law.activation.quorum} people who hold ${asked.join(' or ')}; there were ${confirmers.length}.`
  }
  if (activated !== undefined && !areSame(activated.approvedBy, confirmers)) {
    return `Those whose confirmations counted were ${confirmers.join(', ')}.`
  }
  const isToPropose = !suffices && before === undefined
  return (eventOf(events, 'ContractProposed') !== undefined) === isToPropose
    ? undefined
    : 'It is proposed exactly once.'
}

const order = ['ContractProposed', 'ContractConfirmed', 'ContractActivated']

function digestIn(events: readonly ChangeEvent[]): string | undefined {
  const digests = new Set(events.map(({ body }) => (body as { readonly digest?: string }).digest))
  const places = events.map(({ kind }) => order.indexOf(kind))
  const isInOrder = places.every((place, index) => place >= 0 && (index === 0 || (places[index - 1] as number) < place))
  return isInOrder && digests.size === 1 ? [...digests][0] : undefined
}

function eventOf<K extends keyof GovernanceBodies>(
  events: readonly ChangeEvent[],
  kind: K,
): GovernanceBodies[K] | undefined {
  return events.find((event) => event.kind === kind)?.body as GovernanceBodies[K] | undefined
}

/** Whether somebody holds `administrator` without an end. */
export function hasLastingAdministrator(law: Law, atMs: number): boolean {
  return law.grants(atMs).some(({ role, untilMs }) => role === administrator && untilMs === null)
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}
