import type { OpId } from '../journal/index.js'
import type { OpRecord } from './history.js'
import type { Op } from './op.js'

/** The arguments of a word: as the journal has them and as the code said them. */
export interface Difference {
  readonly recorded: string
  readonly asked: string
}

/** One word as it reaches the execution. */
export interface AskRequest<T> {
  readonly op: OpId
  readonly verb: Op['verb']
  readonly name: string
  /** In which arguments it differs from what the journal has, in words; undefined if in none. */
  readonly differs?: (record: OpRecord) => Difference | undefined
  readonly make: (record: OpRecord | undefined) => Op & { readonly promise: Promise<T> }
}
