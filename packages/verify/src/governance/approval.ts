import type { DeclaredApproval } from './contract.js'
import type { Law } from './law.js'

/** What an approval was asked for, and what came in so far. Moments are UTC milliseconds since 1970. */
export interface PendingApproval {
  readonly policy: DeclaredApproval
  /** The principal as whom the run acts that asked. */
  readonly actor: string | null
  readonly requestedAtMs: number
  /** The digest of exactly what is shown. */
  readonly shown: string
  /** Those that count so far: the last one of each principal, unless it was withdrawn. */
  readonly votes: readonly Vote[]
}

/** One person's answer. */
export interface Vote {
  readonly voter: string
  readonly choice: 'approve' | 'reject'
  /** The digest of what the voter was shown. */
  readonly shown: string
  /** The digest of what the voter wants instead, where that was allowed. */
  readonly amended: string | null
}

/** What becomes of a vote that somebody wants to cast now. */
export type VoteOutcome =
  | { readonly kind: 'counts'; readonly roles: readonly string[]; readonly resolution: 'approved' | 'rejected' | null }
  | { readonly kind: 'refused'; readonly code: VoteRefusal; readonly reason: string }

/** Why a vote does not count. */
export type VoteRefusal =
  | 'role_missing'
  | 'own_request'
  | 'other_digest'
  | 'too_late'
  | 'voted_already'
  | 'not_amendable'

/** When an approval lapses by itself; undefined if never. */
export function deadlineOf({ policy, requestedAtMs }: PendingApproval): number | undefined {
  return policy.withinMs === null ? undefined : requestedAtMs + policy.withinMs
}

/** The roles that may decide at that moment: those asked, and once it has waited long enough those that it escalates to. */
export function rolesAskedAt({ policy, requestedAtMs }: PendingApproval, atMs: number): readonly string[] {
  const { roles, escalation } = policy
  if (escalation === null || atMs < requestedAtMs + escalation.afterMs) return roles
  return [...new Set([...roles, ...escalation.roles])]
}

/** Judges a vote by what holds now. Pure; the caller records the outcome, a refusal included. */
export function judgeVote(pending: PendingApproval, vote: Vote, now: Now): VoteOutcome {
  const deadlineMs = deadlineOf(pending)
  if (deadlineMs !== undefined && now.nowMs >= deadlineMs) return refused('too_late', 'The deadline has passed.')
  const authority = authorityOf(pending, vote, now)
  if (authority === undefined) {
    const asked = rolesAskedAt(pending, now.nowMs).join(' or ')
    return refused('role_missing', `Whoever decides holds ${asked}; this voter does not now.`)
  }
  if (isOwn(pending, vote, { authority, law: now.law })) {
    return refused('own_request', 'Nobody approves what they asked for themselves, under no identity.')
  }
  if (vote.shown !== pending.shown) return refused('other_digest', 'It is about something else than what is shown now.')
  if (vote.amended !== null && !pending.policy.amendable) {
    return refused('not_amendable', 'This cannot be approved with changes.')
  }
  const { law } = now
  const earlier = pending.votes.find(
    (other) =>
      law.personOf(other.voter) === law.personOf(vote.voter) ||
      authorityOf(pending, other, now)?.person === authority.person,
  )
  if (earlier !== undefined) return refused('voted_already', `This person has voted: ${earlier.choice}.`)
  const resolution = resolutionWith({ ...pending, votes: [...pending.votes, vote] }, now)
  return { kind: 'counts', roles: authority.roles, resolution }
}

/** What is known when something is decided: who may, and what time it is by the database's clock. */
export interface Now {
  readonly law: Law
  readonly nowMs: number
}

/**
 * What the votes come to, by what holds now: one rejection rejects; enough different people who hold a role that was asked
 * for approve, if they all mean the same. Null while it is open.
 */
export function resolutionWith(pending: PendingApproval, now: Now): 'approved' | 'rejected' | null {
  const counting = countingVotes(pending, now)
  if (counting.some(({ choice }) => choice === 'reject')) return 'rejected'
  return meaningOf(pending, counting) === undefined ? null : 'approved'
}

/**
 * What was approved, by what holds now: the digest of the changes that enough people mean, null for what was shown; undefined
 * while it is not approved.
 */
export function approvedMeaning(pending: PendingApproval, now: Now): string | null | undefined {
  if (resolutionWith(pending, now) !== 'approved') return
  return meaningOf(pending, countingVotes(pending, now))
}

function countingVotes(pending: PendingApproval, now: Now): readonly CountingVote[] {
  return pending.votes.flatMap((vote) => {
    const authority = authorityOf(pending, vote, now)
    if (authority === undefined || isOwn(pending, vote, { authority, law: now.law })) return []
    return [{ ...vote, person: authority.person, hand: now.law.personOf(vote.voter) }]
  })
}

type CountingVote = Vote & Decider

/** Who is behind a vote. */
export interface Decider {
  /** Whose decision it is: the voter's, or that of whoever the voter stands for. */
  readonly person: string
  /** The person who gave it. */
  readonly hand: string
}

/** How many different people decided: nobody counts twice, neither under another identity nor for somebody else. */
export function deciderCount(deciders: readonly Decider[]): number {
  const people = new Set<string>()
  const hands = new Set<string>()
  for (const { person, hand } of deciders) {
    if (people.has(person) || hands.has(hand)) continue
    people.add(person)
    hands.add(hand)
  }
  return people.size
}

function meaningOf({ policy }: PendingApproval, counting: readonly CountingVote[]): string | null | undefined {
  const meanings = [...new Set(counting.map(({ amended }) => amended))]
  return meanings.find(
    (meaning) => deciderCount(counting.filter(({ amended }) => amended === meaning)) >= policy.quorum,
  )
}

/** By which roles somebody decides, and whose decision it is. */
export interface Authority {
  readonly roles: readonly string[]
  /** The person behind the voter; where the voter stands for somebody else, that one, so that nobody counts twice. */
  readonly person: string
}

/** By what a vote may count now; undefined if by nothing. */
export function authorityOf(pending: PendingApproval, { voter }: Vote, { law, nowMs }: Now): Authority | undefined {
  const asked = rolesAskedAt(pending, nowMs)
  const own = law.grantedTo(voter, nowMs).filter((role) => asked.includes(role))
  if (own.length > 0) return { roles: own, person: law.personOf(voter) }
  const delegated = law.delegatedTo(voter, nowMs).filter(({ role }) => asked.includes(role))
  const [first] = delegated
  if (first === undefined) return
  const roles = delegated.filter(({ from }) => from === first.from).map(({ role }) => role)
  return { roles: roles.sort(), person: law.personOf(first.from) }
}

// Neither by another identity, nor by somebody who stands for the one who asked. To say no is always allowed.
function isOwn(
  { policy, actor }: PendingApproval,
  { voter, choice }: Vote,
  { authority, law }: { readonly authority: Authority; readonly law: Law },
): boolean {
  if (policy.notBy !== 'actor' || actor === null || choice === 'reject') return false
  const asking = law.personOf(actor)
  return law.personOf(voter) === asking || authority.person === asking
}

function refused(code: VoteRefusal, reason: string): VoteOutcome {
  return { kind: 'refused', code, reason }
}
