import type { PlantedBug } from './workbench.js'

const conformance = { file: 'constancia/test/store/conformance.test.ts' }

/** Bugs of the stores. */
export const storeBugs: readonly PlantedBug[] = [
  {
    breaks: 'SQLite does not compare the epoch of an append, so a worker that was replaced can write',
    file: 'constancia/src/store/sqlite/claims.ts',
    find: 'return tip.claimId === given.id && tip.epoch === given.epoch',
    replace: 'return tip.fold.outcome === "open" || given.epoch < 0',
    noticedBy: conformance,
  },
]
