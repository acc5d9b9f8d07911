import { createHash } from 'node:crypto'
import type { OpId, RunId } from '../../journal/index.js'

const saltLength = 32

/**
 * The salt of all digests of one approval, hex: the first 16 bytes of SHA-256("constancia.shown/v1\n" run "\n" op "\n"). It can be
 * computed from the journal alone, and no two approvals share one.
 */
export function shownSalt(run: RunId, op: OpId): string {
  return createHash('sha256').update(`constancia.shown/v1\n${run}\n${op}\n`).digest('hex').slice(0, saltLength)
}

/** What a vote names: SHA-256(salt ‖ text as UTF-8), lower-case hex. */
export function digestOf(saltHex: string, text: string): string {
  return createHash('sha256').update(Buffer.from(saltHex, 'hex')).update(text, 'utf8').digest('hex')
}
