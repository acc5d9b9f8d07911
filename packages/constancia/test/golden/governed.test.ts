import { afterAll, describe, expect, test } from 'vitest'
import { type CrashReport, type CrashTestOptions, crashTest } from '../../dist/testing/index.js'
import { isCampaign, keepResults } from './campaign.js'
import { type GovernedGolden, governedFlows, lawOf } from './governed-flows.js'
import { timeout } from './suite.js'

const reports: { readonly store: string; readonly report: CrashReport }[] = []

async function crash(
  { has, acceptedCount, downtimeMs: _, ...golden }: GovernedGolden,
  options: Partial<CrashTestOptions<unknown>>,
): Promise<CrashReport> {
  const given = golden as Omit<typeof golden, 'flow'> & Pick<CrashTestOptions<unknown>, 'flow'>
  const law = lawOf(golden.contract)
  const report = await crashTest({ actor: 'ann', law, patienceMs: 2, ...given, ...options })
  reports.push({ store: options.store === 'sqlite' ? 'SQLite' : 'memory', report })
  process.stdout.write(`${report.table()}\n`)
  const kinds = [...report.facts.values()].flat().map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining([...has]))
  return report
}

describe.each(governedFlows)('the governed flow $flow.name', (golden) => {
  test('R-A7 R-B6 R-C3 T1 T2 T10 in memory, ends the same wherever its process ends, once or twice, or is overtaken', {
    timeout,
  }, async () => {
    const report = await crash(golden, { pairs: true, everyNthPair: isCampaign ? 1 : 7 })
    expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
    expect(report.countOf('pair')).toBeGreaterThan(report.countOf('crash'))
    expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
    expect(report.refusedCount).toBeGreaterThan(0)
  })
})
