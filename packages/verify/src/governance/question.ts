import { commitPreimage, saltBytes } from '../chain.js'

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
 * What the salt of a shown text is made of: the first 16 bytes of the SHA-256 of this. It follows from the run and the op, so
 * that whoever has the journal can check it, and the same text in another place has another digest.
 */
export function shownSaltText(run: string, op: string): string {
  return `constancia.shown/v1\n${run}\n${op}\n`
}

/** What the digest that a vote names is the SHA-256 of. `saltHash` is that of {@link shownSaltText}. */
export function shownPreimage(saltHash: Uint8Array, shownText: string): Uint8Array {
  return commitPreimage(saltHash.subarray(0, saltBytes), shownText)
}
