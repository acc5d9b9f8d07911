import { expect, it } from 'vitest'
import { cliBugs } from './cli-bugs.js'
import { engineBugs } from './engine-bugs.js'
import { familyBugs } from './family-bugs.js'
import { governanceBugs } from './governance-bugs.js'
import { postgresBugs } from './postgres-bugs.js'
import { scheduleBugs } from './schedule-bugs.js'
import { storeBugs } from './store-bugs.js'
import { type PlantedBug, Workbench } from './workbench.js'

// A test that is red in the copy anyway would notice every bug. In a campaign all of them are tried, else one of each list.
const isCampaign = process.env['CONSTANCIA_CAMPAIGN'] !== undefined

const lists = [engineBugs, familyBugs, governanceBugs, storeBugs, scheduleBugs, cliBugs, postgresBugs]

it('T26 nothing is noticed where nothing was planted', { timeout: 1_800_000 }, async () => {
  const bench = await Workbench.open()
  const noticed: string[] = []
  for (const bug of distinct(lists.flatMap((bugs) => (isCampaign ? bugs : bugs.slice(0, 1))))) {
    const found = await bench.plant({ ...bug, replace: bug.find })
    if (found.kind !== 'missed') noticed.push(`${bug.breaks}: ${found.kind}`)
  }
  await bench.close()
  expect(noticed).toEqual([])
})

function distinct(bugs: readonly PlantedBug[]): readonly PlantedBug[] {
  const byTest = new Map(bugs.map((bug) => [JSON.stringify(bug.noticedBy), bug]))
  return [...byTest.values()]
}
