import { expect, test } from 'vitest'
import { goldenFlows } from '../golden/flows.js'
import { Tally } from '../golden/suite.js'

// What CI affords. All of them, and families, are tried in a campaign, as on SQLite: `golden/golden.test.ts`.
const few = new Set(['linear'])
const chosen = goldenFlows.filter(({ flow }) => few.has(flow.name))
const tally = new Tally()

test('the flows that are tried are there', () => {
  expect(chosen.length).toBe(few.size)
})

test.each(chosen)(
  'R-A7 R-A8 T1 $flow.name ends the same on PostgreSQL wherever its process ends',
  { timeout: 600_000 },
  async (golden) => {
    const report = await tally.crash(golden, 'PostgreSQL', { takeovers: false })
    expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
  },
)
