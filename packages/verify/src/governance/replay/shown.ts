import { hexOf, utf8Of } from '../../bytes.js'
import { shownPreimage, shownSaltText } from '../question.js'
import type { RunState } from './run-state.js'

/** The digest of what is shown in an op of a run, lower-case hex. */
export function shownDigestIn({ run, history }: RunState, op: string, text: string): string {
  const saltHash = history.sha256(utf8Of(shownSaltText(run, op)))
  return hexOf(history.sha256(shownPreimage(saltHash, text)))
}
