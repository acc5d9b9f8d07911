import { createHash } from 'node:crypto'
import type { OpId, RunId } from '../../journal/index.js'

/** What somebody is asked, exactly as it is kept and shown. */
export interface Question {
  /** What would happen; null for a plain question, which authorises nothing. */
  readonly action: string | null
  readonly title: string
  /** The digest of the action's input schema, as the contract in force has it. */
  readonly schema: string | null
  /** The exact text of the input. */
  readonly input: string | null
  /** What else whoever asks wants to be known. */
  readonly question: string
}

/** The text that is shown: names in this order, so that the same question has the same text. */
export function shownTextOf({ action, title, schema, input, question }: Question): string {
  return JSON.stringify({ action, title, schema, input, question })
}

/** Reads what {@link shownTextOf} wrote. */
export function questionOf(shownText: string): Question {
  return JSON.parse(shownText) as Question
}

/**
 * The digest that a vote names: SHA-256 of a salt and the text, lower-case hex. The salt follows from the run and the op, so
 * that whoever has the journal can check it, and the same text in another place has another digest.
 */
export function shownDigestOf(run: RunId, op: OpId, shownText: string): string {
  const salt = createHash('sha256').update(`constancia.shown/v1\n${run}\n${op}\n`).digest().subarray(0, 16)
  return createHash('sha256').update(salt).update(shownText).digest('hex')
}
