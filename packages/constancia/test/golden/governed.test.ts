import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { days } from '../../dist/index.js'
import { type CrashReport, type CrashTestOptions, crashTest } from '../../dist/testing/index.js'
import { type StoreName, stores } from '../engine/stores.js'
import { isCampaign, keepResults } from './campaign.js'
import { forgotten } from './doubtful-flows.js'
import { governedFlows } from './governed-flows.js'
import { type GovernedGolden, lawOf } from './governed-treasury.js'
import { diskOf, timeout } from './suite.js'

const reports: { readonly store: StoreName; readonly report: CrashReport }[] = []

async function crash(
  golden: GovernedGolden,
  store: StoreName,
  options: Partial<CrashTestOptions<unknown>>,
): Promise<CrashReport> {
  const { has, acceptedCount, actorUntilMs, downtimeMs: _, ...given } = golden
  const law = lawOf(golden.contract, actorUntilMs)
  const usual = { actor: 'ann', law, store: diskOf[store], patienceMs: store === 'PostgreSQL' ? 20 : 2 }
  const report = await crashTest({ ...usual, ...given, ...options })
  reports.push({ store, report })
  process.stdout.write(`${store}, ${report.table()}\n`)
  const kinds = [...report.facts.values()].flat().map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining([...has]))
  // Of the last trial, which came to what the run without a crash came to.
  expect(Object.keys(await golden.destination.accepted())).toHaveLength(acceptedCount)
  return report
}

describe.each(governedFlows)('the governed flow $flow.name', (golden) => {
  describe.runIf(stores.includes('memory'))('in memory', () => {
    let tried: PromiseSettledResult<CrashReport>

    beforeAll(async () => {
      const [outcome] = await Promise.allSettled([
        crash(golden, 'memory', { pairs: true, everyNthPair: isCampaign ? 1 : 61 }),
      ])
      tried = outcome
    }, timeout)

    const reportOf = (outcome: PromiseSettledResult<CrashReport>): CrashReport => {
      if (outcome.status === 'fulfilled') return outcome.value
      throw outcome.reason
    }

    test('R-A7 R-B6 R-E4 R-E12 T1 T2 ends the same wherever its process ends, once or twice', () => {
      const report = reportOf(tried)
      expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
      expect(report.countOf('pair')).toBeGreaterThan(0)
    })

    test('R-A9 R-B6 R-C3 R-C4 T10 wherever a slow worker is overtaken, it writes nothing more and sends no more than its protocol lets it', () => {
      const report = reportOf(tried)
      expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
      expect(report.refusedCount).toBeGreaterThan(0)
    })
  })

  test.each(stores.filter((store) => store !== 'memory'))(
    'R-A7 R-B6 R-E12 T1 on %s, ends the same wherever its process ends',
    { timeout },
    async (store) => {
      const report = await crash(golden, store, { pairs: isCampaign && store === 'SQLite', takeovers: isCampaign })
      expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
    },
  )
})

describe.runIf(stores.includes('memory')).each(governedFlows.filter(({ downtimeMs }) => downtimeMs !== undefined))(
  'the governed flow $flow.name',
  (golden) => {
    test('R-A7 R-B3 ends the same if its process is gone for long', { timeout }, async () => {
      const { downtimeMs = 0 } = golden
      const report = await crash(golden, 'memory', { downtimeMs, takeovers: false })
      expect(report.countOf('crash')).toBeGreaterThan(0)
    })
  },
)

test('R-B6 T1 what may be forgotten is not sent again: a person says what came of it', { timeout }, async () => {
  const report = await crash(forgotten, 'memory', { downtimeMs: days(3), takeovers: false })
  expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
})

describe('the governed flows as a whole', () => {
  afterAll(() => {
    const tried = reports.reduce((sum, { report }) => sum + report.triedCount, 0)
    const tables = reports.map(({ store, report }) => `${store}, ${report.table()}`)
    keepResults('governed', [`${governedFlows.length} flows, ${tried} trials.`, '', '```', ...tables, '```'])
  })

  test('T1 T10 a place between an effect and its append, and one around a vote, were struck', ({ skip }) => {
    if (reports.length < governedFlows.length * 2) skip('only some of the flows or stores were asked for')
    const struck = reports.flatMap(({ report }) => report.counts)
    const countAt = (place: string): number =>
      struck.filter((count) => count.place === place).reduce((sum, { tried }) => sum + tried, 0)
    expect(countAt('between an effect and its append')).toBeGreaterThan(60)
    expect(countAt('around a vote')).toBeGreaterThan(100)
  })
})
