import { expect, test } from 'vitest'
import { crashTest } from '../../dist/testing/index.js'
import { bank } from '../golden/effects.js'
import { goldenFlows } from '../golden/flows.js'
import { postgresCrashDisk } from './rig-store.js'

// Few by default: each place of each of them is a schema of its own.
const isAll = process.env['CONSTANCIA_TEST_STORES'] === 'all'
const few = new Set(['linear', 'signals'])
const chosen = goldenFlows.filter(({ flow }) => isAll || few.has(flow.name))

test('the flows that are tried are there', () => {
  expect(chosen.length).toBe(isAll ? goldenFlows.length : few.size)
})

test.each(chosen)(
  'R-A7 R-A8 T1 $flow.name ends the same on PostgreSQL wherever its process ends',
  {
    timeout: 600_000,
  },
  async (golden) => {
    const { gives: _, downtimeMs: __, everyNthPair: ___, ...given } = golden
    const report = await crashTest({
      ...given,
      destination: bank,
      patienceMs: 20,
      takeovers: false,
      store: postgresCrashDisk,
    })
    process.stdout.write(`PostgreSQL, ${report.table()}\n`)
    expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
  },
)
