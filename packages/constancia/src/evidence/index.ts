export { type EvidenceErrorCode, evidenceError } from './errors.js'
export { type KeyText, keyFile, keyVariable, type Signer, type SignerSource } from './key-sources.js'
export type { EvidenceOptions } from './options.js'
export { checkpointEndpoint, checkpointFolder, checkpointRepository, type OutsidePlace } from './outside.js'
