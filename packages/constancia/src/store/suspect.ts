/**
 * Whether a run that lost so many leases in a row, without an event of an owner in between, may be what ends its workers. The
 * others that such a worker had lose theirs as well; so a worker takes only one suspect at a time, and the next crash tells.
 */
export function isSuspect(lostLeaseCount: number): boolean {
  return lostLeaseCount >= 2
}
