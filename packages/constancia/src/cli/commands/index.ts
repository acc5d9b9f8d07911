import type { Command } from '../command.js'
import { cancelCommand } from './cancel.js'
import { checkCommand } from './check.js'
import { contractCheckCommand } from './contract-check.js'
import { contractDiffCommand } from './contract-diff.js'
import { contractShowCommand } from './contract-show.js'
import { devCommand } from './dev.js'
import { doctorCommand } from './doctor.js'
import { exportCommand } from './export.js'
import { initCommand } from './init.js'
import { journalCommand } from './journal.js'
import { migrateStoreCommand } from './migrate-store.js'
import { purgeCommand } from './purge.js'
import { quarantineCommand } from './quarantine.js'
import { rebuildCommand } from './rebuild.js'
import { retryCommand } from './retry.js'
import { runsCommand } from './runs.js'
import { showCommand } from './show.js'
import { signalCommand } from './signal.js'
import { startCommand } from './start.js'
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
  contractCheckCommand,
  contractShowCommand,
  contractDiffCommand,
  exportCommand,
  purgeCommand,
  rebuildCommand,
  quarantineCommand,
  migrateStoreCommand,
  doctorCommand,
]

/** What the first words of commands of two words are about. */
export const groups: Readonly<Record<string, string>> = {
  contract: 'check, show and compare contracts, which say who may have what done',
}
