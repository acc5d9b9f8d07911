import type { CosigningWitness } from './cosigning-witness.js'
import type { SignerSource } from './key-sources.js'
import type { OutsidePlace } from './outside.js'
import type { TimeStampingAuthority } from './time-stamps.js'

/** How what a store holds is made evidence; see `docs/evidence.md`. */
export interface EvidenceOptions {
  /** Names the log, and never changes: 1 to 200 of `A-Z a-z 0-9 . _ : ~ / -`, best a domain and a path of the operator's. */
  readonly origin: string
  /** The key that checkpoints are signed with: `keyFile(…)`, `keyVariable(…)`, or something that signs for it. */
  readonly signer: SignerSource
  /** Where checkpoints are kept besides. */
  readonly outside?: readonly OutsidePlace[]
  /** Who is asked to sign what time it is when a checkpoint was made. */
  readonly timeStamps?: readonly TimeStampingAuthority[]
  /** Who cosigns checkpoints: `witnessEndpoint(…)`. */
  readonly witnesses?: readonly CosigningWitness[]
}
