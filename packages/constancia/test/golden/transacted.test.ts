import { expect, test } from 'vitest'
import { type CrashReport, type CrashTestOptions, crashTest } from '../../dist/testing/index.js'
import { bookingRules, tillContract } from '../governance/till.js'
import { isCampaign, keepResults } from './campaign.js'
import { lawOf } from './governed-treasury.js'
import { timeout } from './suite.js'
import { bookedKeys, TillDisks, transactedFlow } from './transacted-flows.js'

const results: string[] = []

async function crash(
  database: 'sqlite' | 'postgres',
  options: Partial<CrashTestOptions<unknown>>,
): Promise<CrashReport> {
  const isShort = database === 'postgres' && !isCampaign
  const booked = bookedKeys(isShort)
  const disks = new TillDisks(database)
  const { book, transacted } = transactedFlow(database, disks.table, isShort)
  const contract = tillContract([transacted], bookingRules(book))
  const report = await crashTest({
    flow: transacted,
    input: undefined,
    contract,
    actor: 'ann',
    law: lawOf(contract),
    votes: isShort ? [] : [{ on: 'till.book', voter: 'tess' }],
    store: disks.newDisk,
    patienceMs: database === 'postgres' ? 20 : 2,
    ...options,
  })
  results.push(`${database}, ${report.table()}`)
  process.stdout.write(`${database}, ${report.table()}\n`)
  keepResults('transacted', ['```', ...results, '```'])
  // Each effect is there once, after every trial; that each counted itself alone, the facts say.
  expect(disks.left.length).toBeGreaterThan(report.triedCount)
  for (const keys of disks.left) expect(keys).toEqual(booked)
  const kinds = [...report.facts.values()].flat().map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'ActionCompleted')).toHaveLength(booked.length)
  expect(kinds).toEqual(expect.arrayContaining(['ActionAttemptFailed', ...(isShort ? [] : ['ApprovalResolved'])]))
  // A process that ended in the transaction.
  const inside = report.counts.find(({ place }) => place === 'between an effect and its append')
  expect(inside?.tried).toBe(booked.length)
  expect(kinds).not.toContain('OutcomeUnknown')
  return report
}

test('R-A7 R-B6 R-C4 T1 T2 T10 in SQLite, an effect and its events are there or neither is, wherever a process ends, once or twice, or is overtaken', {
  timeout,
}, async () => {
  const report = await crash('sqlite', { pairs: isCampaign })
  expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
  if (isCampaign) expect(report.countOf('pair')).toBeGreaterThan(report.countOf('crash'))
  expect(report.countOf('takeover')).toBe(2 * report.countOf('crash'))
  expect(report.refusedCount).toBeGreaterThan(0)
})

test('R-A7 R-B6 T1 in PostgreSQL, an effect and its events are there or neither is, wherever a process ends', {
  timeout,
}, async () => {
  const report = await crash('postgres', { pairs: false, takeovers: isCampaign })
  expect(report.countOf('crash')).toBeGreaterThan(report.eventCount)
})
