import type { Command } from '../command.js'
import { approvalCommand, approvalsCommand } from './approvals.js'
import { auditCommand } from './audit.js'
import { cancelCommand } from './cancel.js'
import { checkCommand } from './check.js'
import { contractActivateCommand, contractConfirmCommand } from './contract-activate.js'
import { contractCheckCommand } from './contract-check.js'
import { contractDiffCommand } from './contract-diff.js'
import { contractHistoryCommand } from './contract-history.js'
import { contractShowCommand } from './contract-show.js'
import { devCommand } from './dev.js'
import { directoryCommands } from './directory.js'
import { doctorCommand } from './doctor.js'
import { eraseCommand } from './erase.js'
import { exportCommand } from './export.js'
import { initCommand } from './init.js'
import { journalCommand } from './journal.js'
import { keysCommands } from './keys.js'
import { logCommand } from './log.js'
import { migrateStoreCommand } from './migrate-store.js'
import { proceedCommand } from './proceed.js'
import { proveCommand } from './prove.js'
import { purgeCommand } from './purge.js'
import { quarantineCommand } from './quarantine.js'
import { rebuildCommand } from './rebuild.js'
import { receiptCommand } from './receipt.js'
import { refusalsCommand } from './refusals.js'
import { retryCommand } from './retry.js'
import { rolesCommand, rolesHistoryCommand } from './roles.js'
import { rolesImportCommand } from './roles-import.js'
import { runsCommand } from './runs.js'
import { showCommand } from './show.js'
import { signalCommand } from './signal.js'
import { startCommand } from './start.js'
import { verifyCommand } from './verify.js'
import { approveCommand, outcomeCommand, rejectCommand, withdrawCommand } from './votes.js'
import { witnessCommands } from './witness.js'
import { workerCommand } from './worker.js'
import { workersCommand } from './workers.js'

/** Every word of the command line, in the order in which help lists them. */
export const commands: readonly Command[] = [
  initCommand,
  devCommand,
  workerCommand,
  workersCommand,
  startCommand,
  runsCommand,
  showCommand,
  journalCommand,
  signalCommand,
  cancelCommand,
  retryCommand,
  checkCommand,
  approvalsCommand,
  approvalCommand,
  approveCommand,
  rejectCommand,
  withdrawCommand,
  outcomeCommand,
  proceedCommand,
  refusalsCommand,
  auditCommand,
  contractCheckCommand,
  contractShowCommand,
  contractDiffCommand,
  contractActivateCommand,
  contractConfirmCommand,
  contractHistoryCommand,
  rolesCommand,
  rolesHistoryCommand,
  rolesImportCommand,
  ...directoryCommands,
  ...keysCommands,
  proveCommand,
  receiptCommand,
  verifyCommand,
  logCommand,
  ...witnessCommands,
  exportCommand,
  eraseCommand,
  purgeCommand,
  rebuildCommand,
  quarantineCommand,
  migrateStoreCommand,
  doctorCommand,
]

/** What the first words of commands of two words are about. */
export const groups: Readonly<Record<string, string>> = {
  contract: 'check, show, compare and put in force contracts, which say who may have what done',
}
