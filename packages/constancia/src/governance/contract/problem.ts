/** Something in a contract that makes no sense: where, and why, with what to do; without a full stop. */
export interface Problem {
  readonly place: string
  readonly reason: string
}

/** Roles that a contract does not have, each as a problem of a place. */
export function roleProblems(
  place: string,
  roles: readonly string[],
  known: Readonly<Record<string, string>>,
): Problem[] {
  if (roles.length === 0) return [{ place, reason: 'It names no role, so it speaks of nobody; name one' }]
  const foreign = roles.filter((role) => !Object.hasOwn(known, role))
  const have = Object.keys(known).join(', ') || 'none'
  return foreign.map((role) => ({ place, reason: `There is no role ${role}; the contract has ${have}` }))
}

/** A quorum that is no count of people. */
export function quorumProblems(place: string, quorum: number): Problem[] {
  if (Number.isInteger(quorum) && quorum >= 1 && quorum <= 100) return []
  return [{ place, reason: `A quorum is a whole number of people from 1 to 100, not ${String(quorum)}` }]
}
