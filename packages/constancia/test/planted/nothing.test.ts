import { expect, it } from 'vitest'
import { bugsByLayer } from './bugs.js'
import { type PlantedBug, Workbench } from './workbench.js'

// A test that is red in the copy anyway would notice every bug. In a campaign all of them are tried, else one of each list.
const isCampaign = process.env['CONSTANCIA_CAMPAIGN'] !== undefined

it('T26 nothing is noticed where nothing was planted', { timeout: 1_800_000 }, async () => {
  const bench = await Workbench.open()
  const noticed: string[] = []
  for (const bug of distinct(bugsByLayer.flatMap((bugs) => (isCampaign ? bugs : bugs.slice(0, 1))))) {
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
