export { type EvidenceErrorCode, evidenceError } from './errors.js'
export {
  KeyLedger,
  keyAdded,
  keyCompromised,
  keyRetired,
  type LoggedKey,
  type LogKey,
  logKey,
} from './keys.js'
export { inspectLog, type LogFinding, type LogReport } from './monitor.js'
export { type EvidenceOptions, knowCheckpoint, requireOrigin, type SealingHost, startSealing } from './options.js'
export { checkpointEndpoint, checkpointFolder, checkpointRepository, type OutsidePlace } from './outside.js'
export { type Proof, type ProvenRun, type ProveRequest, proveRuns, type Withholding } from './prove.js'
export { Sealer, type SealerParts } from './sealer.js'
export { leafHashOf, quietMsMax, type SealOutcome, seal } from './sealing.js'
export { keyFile, keyOf, keyVariable, newKey, type Signer, type SignerSource, signerFrom, signerOf } from './signer.js'
export { type GrownTree, growTree, TileProofs } from './tree.js'
