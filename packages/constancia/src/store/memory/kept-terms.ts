import type { Term } from '../index.js'

/** What a disk keeps for `Store.mark`. */
export interface KeptTerms {
  terms: Term[]
  held: string | undefined
}
