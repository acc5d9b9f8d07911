export type { AuditAnswer, AuditQuestion } from './answers.js'
export { keyMessage } from './key-history.js'
export { momentText } from './moment.js'
export type { ReceiptReport } from './receipt.js'
export {
  type CheckName,
  type CheckResult,
  checkNames,
  type Reason,
  type Report,
  type RunReport,
  receiptCheckNames,
  type SealReport,
  type TokenReport,
  type VerdictOfFile,
  type WitnessedBy,
  type WitnessReport,
} from './report.js'
export { type VerifyOptions, verifyBundle } from './verify-bundle.js'
export {
  answerWords,
  carriedText,
  checkWords,
  isOfUse,
  meaningText,
  nothingIsProven,
  openChecks,
  printable,
  questionWords,
  reasonText,
  receiptText,
  resultWords,
  runText,
  sealText,
  tokenTexts,
  verdictWords,
  witnessTexts,
} from './words.js'
