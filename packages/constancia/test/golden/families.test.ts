import { afterAll, describe, expect, test } from 'vitest'
import { isCampaign, keepResults } from './campaign.js'
import { cancelledFlows, hotel } from './cancelled-flows.js'
import { continued, lineage, patched } from './continued-flows.js'
import { family } from './family-flows.js'
import { scheduled } from './scheduled-flows.js'
import { describeGolden, Tally } from './suite.js'

const families = [family, hotel, ...cancelledFlows, continued, lineage, patched, scheduled]
const tally = new Tally()

describeGolden(families, tally)

describe('the golden test of families as a whole', () => {
  afterAll(() => {
    keepResults('families', [`${families.length} flows, ${tally.count()} trials.`, '', ...tally.lines()])
  })

  test('T1 T2 tried at least 5,500 crashes and takeovers', ({ skip }) => {
    if (tally.reportCount < families.length * 3) skip('only some of the flows were asked for')
    process.stdout.write(`${families.length} flows, ${tally.count()} trials, ${tally.count('SQLite')} on SQLite\n`)
    expect(tally.count('SQLite')).toBeGreaterThanOrEqual(isCampaign ? 20_000 : 500)
    expect(tally.count('memory')).toBeGreaterThanOrEqual(5_000)
  })
})
