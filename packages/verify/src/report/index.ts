export type { AuditAnswer, AuditQuestion } from './answers.js'
export { keyMessage } from './key-history.js'
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
