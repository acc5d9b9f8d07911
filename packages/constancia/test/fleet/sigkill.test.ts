import { afterEach, beforeEach, expect, test } from 'vitest'
import { killTest, type LedgerServer, startLedgerServer } from '../../dist/testing/index.js'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { ordersFor, placesOfOrders } from '../processes/orders.js'
import { postgresStores as stores } from '../processes/scene-store.js'

const flows = new URL('../processes/flows.mjs', import.meta.url)
// Here nobody knows at once that a process is gone: its runs wait for their leases.
const leaseMs = 1_000
let destination: LedgerServer

beforeEach(async () => {
  destination = await startLedgerServer()
})

afterEach(() => destination.close())

// The other hundred of the three hundred of T6 are killed over SQLite.
const kills = isCampaign ? 10_000 : 200

test(
  `T6 R-A7 R-A8 R-B5 R-B12 R-C5 on PostgreSQL ${kills} processes end by SIGKILL: no acknowledged event is lost, no effect is doubled`,
  async () => {
    const { starts, keys } = ordersFor(destination.url, 20)
    const report = await killTest({
      flows,
      starts,
      kills,
      destination,
      stores,
      leaseMs,
      workers: 3,
      patienceMs: 300_000,
    })
    keep('sigkill-postgres', report)
    expect(report.killCount).toBeGreaterThanOrEqual(kills)
    for (const place of placesOfOrders) expect(report.killsAt(place), place).toBeGreaterThan(0)
    expect(Object.keys(destination.accepted())).toEqual(keys)
    expect(report.requestCount).toBeGreaterThan(
      report.acceptedCount + report.killsAt('between an effect and its append'),
    )
  },
  limitMs,
)

const stops = isCampaign ? 5_000 : 8

test(
  `R-C3 C32 T10 on PostgreSQL ${stops} are stopped at random among two and ended later: nothing that comes late is written`,
  async () => {
    const { starts, keys } = ordersFor(destination.url, 8)
    const report = await killTest({
      flows,
      starts,
      kills: stops,
      stops,
      destination,
      stores,
      leaseMs,
      patienceMs: 300_000,
    })
    keep('sigstop-postgres', report)
    expect(report.stopCount).toBeGreaterThanOrEqual(stops)
    expect(Object.keys(destination.accepted())).toEqual(keys)
  },
  limitMs,
)
