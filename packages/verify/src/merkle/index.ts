export {
  checkConsistency,
  checkInclusion,
  fitsSize,
  proofHashCountMax,
  rootOfInclusion,
  type TreeHead,
} from './check.js'
export { consistencyProof, inclusionProof, rootAt, type TreeSource, treeSource } from './prove.js'
export {
  emptyFrontier,
  extended,
  type Frontier,
  headLeafText,
  type LogHead,
  leafPreimage,
  nodePreimage,
  rootOf,
} from './tree.js'
