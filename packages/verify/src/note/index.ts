export { type Checkpoint, checkpointText, parseCheckpoint } from './checkpoint.js'
export { type Cosigned, checkCosignature, cosignature, cosignatureMessage } from './cosignature.js'
export {
  isKeyName,
  isLowOrder,
  isOrigin,
  type ParsedKey,
  parseVerifierKey,
  parseWitnessKey,
  type SignatureAlgorithm,
  type VerifierKey,
  verifierKeyOf,
  verifySignature,
  witnessKeyText,
} from './key.js'
export {
  checkNote,
  type Note,
  type NoteSignature,
  noteBytesMax,
  noteSignature,
  noteText,
  type ParsedNote,
  parseNote,
  type Signed,
} from './note.js'
