import { journal } from './0001-journal.js'
import { writing } from './0002-writing.js'
import { priorities } from './0003-priorities.js'
import { workers } from './0004-workers.js'
import { mark } from './0005-mark.js'
import { writingOne } from './0006-write-one.js'
import { writingPlain } from './0007-write-plain.js'
import { streams } from './0008-streams.js'
import { approvals } from './0009-approvals.js'
import { notices } from './0010-notices.js'
import { log } from './0011-log.js'
import { wishes } from './0012-wishes.js'
import { attestations } from './0013-attestations.js'
import { erasing } from './0014-erasing.js'

/**
 * The migrations, the first of them number 1. `{schema}` stands for the quoted name of the schema. A migration that was
 * released is never edited, and never takes away what an older version still uses: in a rolling deploy both are up.
 */
export const migrations: readonly string[] = [
  journal,
  writing,
  priorities,
  workers,
  mark,
  writingOne,
  writingPlain,
  streams,
  approvals,
  notices,
  log,
  wishes,
  attestations,
  erasing,
]
