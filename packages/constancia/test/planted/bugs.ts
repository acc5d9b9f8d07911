import { cliBugs } from './cli-bugs.js'
import { engineBugs } from './engine-bugs.js'
import { evidenceBugs } from './evidence-bugs.js'
import { familyBugs } from './family-bugs.js'
import { fleetBugs } from './fleet-bugs.js'
import { governanceBugs } from './governance-bugs.js'
import { postgresBugs } from './postgres-bugs.js'
import { scheduleBugs } from './schedule-bugs.js'
import { storeBugs } from './store-bugs.js'
import { verifyBugs } from './verify-bugs.js'
import { witnessBugs } from './witness-bugs.js'
import type { PlantedBug } from './workbench.js'

/** Every planted bug, by the layer that it is in. */
export const bugsByLayer: readonly (readonly PlantedBug[])[] = [
  cliBugs,
  engineBugs,
  evidenceBugs,
  familyBugs,
  fleetBugs,
  governanceBugs,
  scheduleBugs,
  storeBugs,
  verifyBugs,
  witnessBugs,
  postgresBugs,
]
