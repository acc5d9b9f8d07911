export {
  type ByClaim,
  bundleFormat,
  byOf,
  checkpointCountMax,
  eventCountMax,
  leafCountMax,
  lineBytesMax,
  receiptFormat,
  runCountMax,
  type Seen,
  seenOf,
  textBytesMax,
  tokenBytesMax,
  tokenCountMax,
} from './grammar.js'
export {
  type BundleCheckpoint,
  type BundleEvent,
  type BundleLeaf,
  type BundleStream,
  type BundleText,
  claimText,
  type Scope,
  scopeLine,
} from './parts.js'
export type { ReadEvent, ReadText } from './read-event.js'
export { type BundleItem, type ReadCheckpoint, readBundle } from './reader.js'
export { UnreadableBundleError } from './unreadable.js'
export { type BundleParts, type ReceiptParts, type WriteOptions, writeBundle, writeReceipt } from './writer.js'
