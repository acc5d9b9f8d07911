import { beforeAll, describe, expect, test } from 'vitest'
import { days } from '../../dist/index.js'
import { type CrashReport, type CrashTestOptions, crashTest } from '../../dist/testing/index.js'
import { type StoreName, stores } from '../engine/stores.js'
import { postgresCrashDisk } from '../postgres/rig-store.js'
import { isCampaign } from './campaign.js'
import { bank, type Golden } from './effects.js'
import { Watcher } from './watched.js'

// What a machine that is busy with other things may take.
export const timeout = isCampaign ? 3_600_000 : 1_800_000

// T1 is enumerated on disk as well; T10 is in memory, and in CI only a few flows are overtaken on disk too.
const overtakenOnDisk = new Set(['linear', 'shared-signals', 'cancelled-asleep'])

/** What `crashTest` calls the stores. */
export const diskOf = { memory: 'memory', SQLite: 'sqlite', PostgreSQL: postgresCrashDisk } as const

/** All crash tests of a file. */
export class Tally {
  readonly #reports: { readonly store: StoreName; readonly report: CrashReport }[] = []

  /** Crash tests, on one store or on all. */
  reportCount(store?: StoreName): number {
    return this.#reports.filter((one) => store === undefined || one.store === store).length
  }

  /** Trials, on one store or on all. */
  count(store?: StoreName): number {
    return this.#reports
      .filter((one) => store === undefined || one.store === store)
      .reduce((sum, { report }) => sum + report.triedCount, 0)
  }

  /** Trials on a store in which a slow worker was overtaken. */
  takeoverCount(store: StoreName): number {
    return this.#reports
      .filter((one) => one.store === store)
      .reduce((sum, { report }) => sum + report.countOf('takeover'), 0)
  }

  /** Every table, for a page of results. */
  lines(): string[] {
    return ['```', ...this.#reports.map(({ store, report }) => `${store}, ${report.table()}`), '```']
  }

  /** Tries a flow on a store, and keeps what came of it. */
  async crash(golden: Golden, store: StoreName, options: Partial<CrashTestOptions<unknown>>): Promise<CrashReport> {
    const { gives: _, downtimeMs: __, everyNthPair, ...given } = golden
    const some = isCampaign || everyNthPair === undefined ? {} : { everyNthPair }
    const usual = { destination: bank, store: diskOf[store], patienceMs: store === 'PostgreSQL' ? 20 : 2 }
    const report = await crashTest({ ...usual, ...given, ...some, ...options })
    this.#reports.push({ store, report })
    process.stdout.write(`${store}, ${report.table()}\n`)
    return report
  }
}

function watched(golden: Golden, watcher: Watcher): Golden {
  const { flow, flows = [], upgrade } = golden
  const watch = (one: Golden['flow']): Golden['flow'] => watcher.watch(one)
  const newCode = upgrade === undefined ? {} : { upgrade: { ...upgrade, flows: upgrade.flows.map(watch) } }
  return { ...golden, flow: watch(flow), flows: flows.map(watch), ...newCode }
}

/** The golden test over some flows. */
export function describeGolden(flows: readonly Golden[], tally: Tally): void {
  describe.each(flows)('the flow $flow.name', (golden) => {
    if (stores.includes('memory')) describeInMemory(golden, tally)

    test.each(stores.filter((store) => store !== 'memory'))(
      'R-A7 R-A8 R-B5 R-C3 R-C4 R-C5 T1 on %s, ends the same wherever its process ends, or where it is overtaken',
      { timeout },
      async (store) => {
        const takeovers = isCampaign || overtakenOnDisk.has(golden.flow.name)
        const report = await tally.crash(golden, store, { pairs: isCampaign && store === 'SQLite', takeovers })
        expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
        if (!takeovers) return
        expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
        expect(report.refusedCount).toBeGreaterThan(0)
      },
    )
  })
}

function describeInMemory(golden: Golden, tally: Tally): void {
  describe('in memory', () => {
    const watcher = new Watcher()
    let tried: PromiseSettledResult<CrashReport>

    beforeAll(async () => {
      const one = watched(golden, watcher)
      const [outcome] = await Promise.allSettled([tally.crash(one, 'memory', { store: watcher.newDisk, pairs: true })])
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

    test('R-C3 R-C4 T10 ends the same wherever a slow worker is overtaken, and what that one still writes is refused', () => {
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
      const isPlace = (key: string): boolean => /^crash-test(~[r\d.]+)*\/\d+(\.\d+)*$/.test(key)
      expect(watcher.calls.filter(({ key }) => !isPlace(key))).toEqual([])
      const accepted = golden.destination === undefined ? Object.keys(bank.accepted()) : []
      expect(accepted.filter((key) => !isPlace(key))).toEqual([])
      const names = new Map(watcher.calls.map(({ key, name }) => [key, name]))
      expect(watcher.calls.filter(({ key, name }) => names.get(key) !== name)).toEqual([])
    })

    test('R-A2 R-B10 comes to what it should', () => {
      reportOf(tried)
      expect(watcher.outcome).toStrictEqual(golden.gives)
    })

    test('R-A7 R-B3 ends the same if its process is gone for long, and timers are overdue', { timeout }, async () => {
      const { downtimeMs = days(3) } = golden
      await tally.crash(golden, 'memory', { downtimeMs, takeovers: false })
    })
  })
}
