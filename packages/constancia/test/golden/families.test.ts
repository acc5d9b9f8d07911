import { afterAll, describe, expect, test } from 'vitest'
import { stores } from '../engine/stores.js'
import { isCampaign, keepResults } from './campaign.js'
import { cancelledFlows, hotel } from './cancelled-flows.js'
import { continued, lineage, patched } from './continued-flows.js'
import { family } from './family-flows.js'
import { scheduled } from './scheduled-flows.js'
import { describeGolden, Tally } from './suite.js'

const families = [family, hotel, ...cancelledFlows, continued, lineage, patched, scheduled]
const tally = new Tally()
const enough = { memory: 5_000, SQLite: isCampaign ? 20_000 : 480, PostgreSQL: 500 }

describeGolden(families, tally)

describe('the golden test of families as a whole', () => {
  afterAll(() => {
    keepResults('families', [`${families.length} flows, ${tally.count()} trials.`, '', ...tally.lines()])
  })

  test.for(stores)('T1 T2 T10 tried enough crashes and takeovers on %s', (store, { skip }) => {
    const whole = families.length * (store === 'memory' ? 2 : 1)
    if (tally.reportCount(store) < whole) skip('only some of the flows were asked for')
    process.stdout.write(`${families.length} flows, ${tally.count(store)} trials on ${store}\n`)
    expect(tally.count(store)).toBeGreaterThanOrEqual(enough[store])
    expect(tally.takeoverCount(store)).toBeGreaterThan(0)
  })
})
