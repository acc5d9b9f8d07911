import { afterAll, describe, expect, test } from 'vitest'
import { isCampaign, keepResults } from './campaign.js'
import { goldenFlows } from './flows.js'
import { describeGolden, Tally } from './suite.js'

const tally = new Tally()

describeGolden(goldenFlows, tally)

describe('the golden test as a whole', () => {
  afterAll(() => {
    keepResults('golden', [`${goldenFlows.length} flows, ${tally.count()} trials.`, '', ...tally.lines()])
  })

  test('T1 T2 tried at least 12,800 crashes and takeovers', ({ skip }) => {
    if (tally.reportCount < goldenFlows.length * 3) skip('only some of the flows were asked for')
    process.stdout.write(`${goldenFlows.length} flows, ${tally.count()} trials, ${tally.count('SQLite')} on SQLite\n`)
    expect(tally.count('SQLite')).toBeGreaterThanOrEqual(isCampaign ? 11_000 : 1_300)
    expect(tally.count('memory')).toBeGreaterThanOrEqual(11_500)
  })
})
