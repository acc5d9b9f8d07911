import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliBugs } from './cli-bugs.js'
import { engineBugs } from './engine-bugs.js'
import { familyBugs } from './family-bugs.js'
import { fleetBugs } from './fleet-bugs.js'
import { scheduleBugs } from './schedule-bugs.js'
import { storeBugs } from './store-bugs.js'
import { type Found, type PlantedBug, Workbench } from './workbench.js'

const bugs: readonly PlantedBug[] = [
  ...cliBugs,
  ...engineBugs,
  ...familyBugs,
  ...fleetBugs,
  ...scheduleBugs,
  ...storeBugs,
]

// Each is built and tested in a copy of the packages; two copies, because the machine has two processors at least.
const benchCount = Math.min(2, availableParallelism())

describe('T26 planted bugs', () => {
  const benches: Workbench[] = []
  const results = new Map<PlantedBug, Promise<Found>>()

  beforeAll(async () => {
    for (let index = 0; index < benchCount; index += 1) benches.push(await Workbench.open())
    const lanes = benches.map(async () => undefined as unknown)
    for (const [index, bug] of bugs.entries()) {
      const lane = index % benchCount
      const found = (lanes[lane] as Promise<unknown>).then(() => (benches[lane] as Workbench).plant(bug))
      results.set(bug, found)
      lanes[lane] = found.catch(() => undefined)
    }
  }, 60_000)

  afterAll(async () => {
    await Promise.allSettled(results.values())
    for (const bench of benches) await bench.close()
  }, 600_000)

  it('are at least twelve', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(12)
  })

  it.each(bugs)('T26 is noticed: $breaks', { timeout: 600_000 }, async (bug) => {
    const found = await results.get(bug)
    expect(found?.kind, 'output' in (found ?? {}) ? (found as { output: string }).output : '').toBe('noticed')
  })
})
