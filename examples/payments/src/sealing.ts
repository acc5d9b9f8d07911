/** Where this example's log is kept, and with which key it is signed: what a project says in its configuration. */
import { checkpointFolder, type EvidenceOptions, keyFile } from 'constancia'

/** Names the log for good; a project takes a domain and a path of its own. */
export const origin = 'payments.example/treasury'

/** The files of a log. */
export interface SealedPlace {
  /** The private key. */
  readonly key: string
  /** Where checkpoints are kept besides: here a folder, in earnest a place where the operator cannot rewrite them. */
  readonly checkpoints: string
}

/** What `open` takes to seal; nothing where there is no such place. */
export function evidenceAt(place: SealedPlace | undefined): { readonly evidence?: EvidenceOptions } {
  if (place === undefined) return {}
  return { evidence: { origin, signer: keyFile(place.key), outside: [checkpointFolder(place.checkpoints)] } }
}
