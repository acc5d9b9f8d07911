import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
import { type PlantedBug, Workbench } from './workbench.js'

const bugs: readonly PlantedBug[] = [
  ...cliBugs,
  ...engineBugs,
  ...evidenceBugs,
  ...familyBugs,
  ...fleetBugs,
  ...governanceBugs,
  ...scheduleBugs,
  ...storeBugs,
  ...verifyBugs,
  ...witnessBugs,
  ...postgresBugs,
]

describe('T26 planted bugs', () => {
  let bench: Workbench

  // One after the other in one copy of the packages: other test files keep the other processors busy.
  beforeAll(async () => {
    bench = await Workbench.open()
  }, 600_000)

  afterAll(() => bench.close(), 600_000)

  it('are at least twelve', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(12)
  })

  it.each(bugs)('T26 is noticed: $breaks', { timeout: 600_000 }, async (bug) => {
    const found = await bench.plant(bug)
    expect(found.kind, 'output' in found ? found.output : '').toBe('noticed')
  })
})
