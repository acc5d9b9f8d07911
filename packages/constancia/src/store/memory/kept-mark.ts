import type { Term } from '../index.js'

/** What a disk keeps for `Store.mark`. */
export interface KeptMark {
  terms: Term[]
  held: string | undefined
}
