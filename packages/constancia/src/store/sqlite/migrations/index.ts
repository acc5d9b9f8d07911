import { journal } from './0001-journal.js'
import { manyRuns } from './0002-many-runs.js'
import { priorities } from './0003-priorities.js'
import { workers } from './0004-workers.js'
import { mark } from './0005-mark.js'
import { approvals } from './0006-approvals.js'
import { notices } from './0007-notices.js'
import { log } from './0008-log.js'
import { wishes } from './0009-wishes.js'
import { attestations } from './0010-attestations.js'
import { erasing } from './0011-erasing.js'

/**
 * The migrations, the first of them number 1. Each is the SQL text of a module of its own: the compiler copies modules
 * into the published package, files of SQL it would leave behind. A migration that was released is never edited.
 */
export const migrations: readonly string[] = [
  journal,
  manyRuns,
  priorities,
  workers,
  mark,
  approvals,
  notices,
  log,
  wishes,
  attestations,
  erasing,
]
