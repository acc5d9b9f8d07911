export type { AuditAnswer, AuditQuestion } from './answers.js'
export { keyMessage } from './key-history.js'
export { momentText } from './moment.js'
export {
  type CheckName,
  type CheckResult,
  checkNames,
  type Reason,
  type Report,
  type RunReport,
  receiptCheckNames,
  type SealReport,
  type VerdictOfFile,
} from './report.js'
export { type VerifyOptions, verifyBundle } from './verify-bundle.js'
export {
  answerWords,
  checkWords,
  isOfUse,
  nothingIsProven,
  printable,
  questionWords,
  reasonText,
  resultWords,
  runText,
  sealText,
  verdictWords,
} from './words.js'
