import { afterAll, describe, expect, test } from 'vitest'
import { stores } from '../engine/stores.js'
import { isCampaign, keepResults } from './campaign.js'
import { goldenFlows } from './flows.js'
import { describeGolden, Tally } from './suite.js'

const tally = new Tally()
const enough = { memory: 11_500, SQLite: isCampaign ? 11_000 : 500, PostgreSQL: 1_300 }

describeGolden(goldenFlows, tally)

describe('the golden test as a whole', () => {
  afterAll(() => {
    keepResults('golden', [`${goldenFlows.length} flows, ${tally.count()} trials.`, '', ...tally.lines()])
  })

  test.for(stores)('T1 T2 T10 tried enough crashes and takeovers on %s', (store, { skip }) => {
    const whole = goldenFlows.length * (store === 'memory' ? 2 : 1)
    if (tally.reportCount(store) < whole) skip('only some of the flows were asked for')
    process.stdout.write(`${goldenFlows.length} flows, ${tally.count(store)} trials on ${store}\n`)
    expect(tally.count(store)).toBeGreaterThanOrEqual(enough[store])
    expect(tally.takeoverCount(store)).toBeGreaterThan(0)
  })
})
