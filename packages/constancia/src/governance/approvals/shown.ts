import { createHash } from 'node:crypto'
import { shownPreimage, shownSaltText } from '@constancia/verify/governance'
import type { OpId, RunId } from '../../journal/index.js'

export { type Question, questionOf, shownTextOf } from '@constancia/verify/governance'

/**
 * The digest that a vote names: SHA-256 of a salt and the text, lower-case hex. The salt follows from the run and the op, so
 * that whoever has the journal can check it, and the same text in another place has another digest.
 */
export function shownDigestOf(run: RunId, op: OpId, shownText: string): string {
  const saltHash = createHash('sha256').update(shownSaltText(run, op)).digest()
  return createHash('sha256').update(shownPreimage(saltHash, shownText)).digest('hex')
}
