import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { days } from '../../dist/index.js'
import { type CrashReport, type CrashTestOptions, crashTest } from '../../dist/testing/index.js'
import { isCampaign, keepResults } from './campaign.js'
import { bank, type Golden } from './effects.js'
import { goldenFlows } from './flows.js'
import { Watcher } from './watched.js'

// What a machine that is busy with other things may take.
const timeout = isCampaign ? 3_600_000 : 300_000
const reports: { readonly store: string; readonly report: CrashReport }[] = []

async function crash(golden: Golden, options: Partial<CrashTestOptions<unknown>>): Promise<CrashReport> {
  const { flow, input, signals = [] } = golden
  const report = await crashTest({ flow, input, signals, destination: bank, patienceMs: 2, ...options })
  const store = options.store === 'sqlite' ? 'SQLite' : 'memory'
  reports.push({ store, report })
  process.stdout.write(`${store}, ${report.table()}\n`)
  return report
}

describe.each(goldenFlows)('the flow $flow.name', (golden) => {
  describe('in memory', () => {
    const watcher = new Watcher()
    let tried: PromiseSettledResult<CrashReport>

    beforeAll(async () => {
      const watched = { ...golden, flow: watcher.watch(golden.flow) }
      const [outcome] = await Promise.allSettled([crash(watched, { store: watcher.newDisk, pairs: true })])
      tried = outcome
    }, timeout)

    const reportOf = (outcome: PromiseSettledResult<CrashReport>): CrashReport => {
      if (outcome.status === 'fulfilled') return outcome.value
      throw outcome.reason
    }

    test('R-A7 R-C5 T1 T2 ends the same wherever its process ends, once or twice', () => {
      const report = reportOf(tried)
      expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
      expect(report.countOf('pair')).toBeGreaterThan(report.countOf('crash'))
    })

    test('R-C3 R-C4 ends the same wherever a slow worker is overtaken, and what that one still writes is refused', () => {
      const report = reportOf(tried)
      expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
      expect(report.refusedCount).toBeGreaterThan(0)
    })

    test('R-A4 R-A6 R-B5 executes no step that has an outcome in the journal', () => {
      reportOf(tried)
      expect(watcher.calls.length).toBeGreaterThan(0)
      expect(watcher.calls.filter(({ isRepeated }) => isRepeated)).toEqual([])
    })

    test('R-A8 gives a step the key of its place, in every attempt of every life', () => {
      reportOf(tried)
      const isPlace = (key: string): boolean => /^crash-test\/\d+(\.\d+)*$/.test(key)
      expect(watcher.calls.filter(({ key }) => !isPlace(key))).toEqual([])
      expect(Object.keys(bank.accepted()).filter((key) => !isPlace(key))).toEqual([])
      const names = new Map(watcher.calls.map(({ key, name }) => [key, name]))
      expect(watcher.calls.filter(({ key, name }) => names.get(key) !== name)).toEqual([])
    })

    test('R-A2 R-B10 comes to what it should', () => {
      reportOf(tried)
      expect(watcher.outcome).toStrictEqual(golden.gives)
    })

    test('R-A7 R-B3 ends the same if its process is gone for long, and timers are overdue', { timeout }, async () => {
      const { downtimeMs = days(3) } = golden
      await crash(golden, { downtimeMs, takeovers: false })
    })
  })

  test('R-A7 R-A8 R-B5 R-C3 R-C4 R-C5 T1 on SQLite, ends the same wherever its process ends or is overtaken', {
    timeout,
  }, async () => {
    const report = await crash(golden, { store: 'sqlite', pairs: isCampaign })
    expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
    expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
    expect(report.refusedCount).toBeGreaterThan(0)
  })
})

describe('the golden test as a whole', () => {
  const triedCount = (store?: string): number =>
    reports
      .filter((one) => store === undefined || one.store === store)
      .reduce((sum, { report }) => sum + report.triedCount, 0)

  afterAll(() => {
    const tables = reports.map(({ store, report }) => `${store}, ${report.table()}`)
    keepResults('golden', [`${goldenFlows.length} flows, ${triedCount()} trials.`, '', '```', ...tables, '```'])
  })

  test('T1 T2 tried at least 12,800 crashes and takeovers', ({ skip }) => {
    if (reports.length < goldenFlows.length * 3) skip('only some of the flows were asked for')
    process.stdout.write(`${goldenFlows.length} flows, ${triedCount()} trials, ${triedCount('SQLite')} on SQLite\n`)
    expect(triedCount('SQLite')).toBeGreaterThanOrEqual(isCampaign ? 11_000 : 1_300)
    expect(triedCount('memory')).toBeGreaterThanOrEqual(11_500)
  })
})
