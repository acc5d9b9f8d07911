export { Cosigning, type CosigningParts, type KnownWitness, knownWitness } from './cosigning.js'
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
export { type Proof, type ProvenRun, type ProveRequest, proveRuns, type Withholding } from './prove.js'
export { makeReceipt, type Receipt, type ReceiptRequest } from './receipt.js'
export { Sealer, type SealerParts } from './sealer.js'
export { leafHashOf, quietMsMax, type SealOutcome, seal } from './sealing.js'
export { keyOf, newKey, signerFrom, signerOf } from './signer.js'
export { knowCheckpoint, requireOrigin, type SealingHost, startSealing } from './start.js'
export { type GrownTree, growTree, TileProofs } from './tree.js'
