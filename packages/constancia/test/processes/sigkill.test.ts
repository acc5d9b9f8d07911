import { afterEach, beforeEach, expect, test } from 'vitest'
import { killTest, type LedgerServer, startLedgerServer } from '../../dist/testing/index.js'
import { isCampaign, keep, limitMs } from './campaign.js'
import { ordersFor, placesOfOrders } from './orders.js'

const flows = new URL('./flows.mjs', import.meta.url)
let destination: LedgerServer

beforeEach(async () => {
  destination = await startLedgerServer()
})

afterEach(() => destination.close())

// The other two hundred of the three hundred of T6 are killed over PostgreSQL.
const kills = isCampaign ? 10_000 : 100

test(
  `T6 R-A7 R-A8 R-B5 R-C5 ${kills} processes end by SIGKILL: no acknowledged event is lost, no effect is doubled`,
  async () => {
    const { starts, keys } = ordersFor(destination.url, 20)
    const report = await killTest({ flows, starts, kills, destination, patienceMs: 300_000 })
    keep('sigkill', report)
    expect(report.killCount).toBeGreaterThanOrEqual(kills)
    for (const place of placesOfOrders) expect(report.killsAt(place), place).toBeGreaterThan(0)
    expect(Object.keys(destination.accepted())).toEqual(keys)
    // Effects were asked for again after a crash, which is what the key is for.
    expect(report.requestCount).toBeGreaterThan(
      report.acceptedCount + report.killsAt('between an effect and its append'),
    )
  },
  limitMs,
)

test(
  'R-A7 R-B5 what a step brings by chance is handed on as it is in the journal, whoever is killed',
  async () => {
    const starts = Array.from({ length: 60 }, (_, index) => ({
      flow: 'chance',
      id: `r${index}`,
      input: destination.url,
    }))
    const chance = new URL('./chance-flows.mjs', import.meta.url)
    const report = await killTest({
      flows: chance,
      starts,
      kills: isCampaign ? 1_000 : 20,
      destination,
      repeatable: false,
    })
    keep('sigkill-chance', report)
    for (const output of report.outputs.values()) expect(output).toEqual(Array(6).fill(true))
    expect(report.requestCount).toBeGreaterThan(report.acceptedCount)
  },
  limitMs,
)
