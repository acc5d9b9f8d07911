import { sha256 } from '../journal/index.js'

/**
 * Numbers that look random and are computed from a run's id and a place in its flow: the same in every replay, disturbed
 * by no other branch. Not for secrets: who knows the run's id can compute them.
 */
export function randomFraction(run: string, place: string): number {
  const digest = sha256(`constancia.random/v1\n${run}\n${place}\n`)
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48
}

/** A UUID of version 8 (RFC 9562, section 5.8), computed like {@link randomFraction}; unique as the run's id is. */
export function derivedUuid(run: string, place: string): string {
  const digest = sha256(`constancia.uuid/v1\n${run}\n${place}\n`)
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16)
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, variant + digest.slice(17, 20)]
  return `${parts.join('-')}-${digest.slice(20, 32)}`
}
