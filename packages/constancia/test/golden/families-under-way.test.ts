import { afterAll, describe, expect, test } from 'vitest'
import type { RunId } from '../../dist/index.js'
import type { CrashReport, Fact, FamilyFacts } from '../../dist/testing/index.js'
import { stores } from '../engine/stores.js'
import { isCampaign, keepResults } from './campaign.js'
import { hotel } from './cancelled-flows.js'
import { patchedAfter } from './continued-flows.js'
import { bank } from './effects.js'
import { Tally, timeout } from './suite.js'

const tally = new Tally()
const inMemory = stores.includes('memory')
// Each is tried at every place; the campaign also overtakes it, and ends it twice.
const depth = { takeovers: isCampaign, pairs: isCampaign }

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

afterAll(() => keepResults('families-under-way', [`${tally.count()} trials.`, '', ...tally.lines()]))

/** What must hold of every history with a cancellation, whatever it came upon. */
function checkCancelled(facts: FamilyFacts): void {
  const root = facts.get('crash-test' as RunId) ?? []
  const wish = root.findIndex(({ kind }) => kind === 'CancelRequested')
  expect(wish).toBeGreaterThan(0)
  expect(root.at(-1)?.kind).toBe('FlowCancelled')
  const openBefore = opsOf(root.slice(0, wish))
  for (const { kind, body } of root.slice(wish + 1)) {
    // What was asked before is over; only children still tell of their ends.
    if (kind.startsWith('Step') || kind.startsWith('Timer')) expect(openBefore).not.toContain(opOf(body))
  }
  const isReserved = root.some(({ body }) => body.includes('"reserve"'))
  expect(Object.values(bank.accepted()).filter((what) => what === 'released').length).toBe(isReserved ? 1 : 0)
  checkChildren(root, facts)
}

// Every run has one end, as its last event, and no child has its end told after that of its parent, or twice.
function checkChildren(root: readonly Fact[], facts: FamilyFacts): void {
  for (const journal of facts.values()) {
    const ends = journal.filter(({ kind }) => /^Flow(Completed|Failed|Cancelled|Continued)$/.test(kind))
    expect(ends).toEqual([journal.at(-1)])
    const told = journal.filter(({ kind }) => kind === 'ChildEnded').map(({ body }) => opOf(body))
    const started = journal.filter(({ kind }) => kind === 'ChildStarted').map(({ body }) => opOf(body))
    expect([...told].sort()).toEqual([...started].sort())
  }
  const asked = root.filter(({ kind }) => kind === 'ChildCancelRequested')
  for (const { body } of asked) {
    const { child } = JSON.parse(body) as { child: RunId }
    expect(facts.get(child)?.some(({ kind }) => kind === 'CancelRequested' || kind === 'FlowCompleted')).toBe(true)
  }
}

const isChildEnd = ({ kind }: Fact): boolean => kind === 'ChildEnded'

const opOf = (body: string): string => (JSON.parse(body) as { op: string }).op

function opsOf(facts: readonly Fact[]): string[] {
  return facts.filter(({ kind }) => /^(Step|Timer|Child)/.test(kind)).map(({ body }) => opOf(body))
}

describe.runIf(inMemory)('a run with children in all states', () => {
  const reports: CrashReport[] = []

  // It has 11 events when nobody cancels it.
  test.each(range(1, 10))(
    'R-B8 R-A7 C20 T1 ends the same if it is cancelled after %i events',
    {
      timeout,
    },
    async (afterEvents) => {
      const report = await tally.crash({ ...hotel, cancel: { afterEvents } }, 'memory', depth)
      reports.push(report)
      checkCancelled(report.facts)
    },
  )

  test.each([3, 6])(
    'R-B8 R-A7 ends the same if it is ended by force after %i events',
    { timeout },
    async (afterEvents) => {
      const report = await tally.crash({ ...hotel, cancel: { afterEvents, force: true } }, 'memory', depth)
      const root = report.facts.get('crash-test' as RunId) ?? []
      expect(root.at(-1)).toMatchObject({ kind: 'FlowCancelled', body: '{"forced":true}' })
      const asked = root.filter(({ kind }) => kind === 'ChildCancelRequested').map(({ body }) => opOf(body))
      const open = root.filter(({ kind }) => kind === 'ChildStarted').length - root.filter(isChildEnd).length
      expect(asked.length).toBe(open)
      expect(open).toBeGreaterThan(0)
      expect([...report.facts.values()].map((journal) => journal.at(-1)?.kind)).not.toContain(undefined)
    },
  )

  test('R-B8 each cancellation was struck on both sides', ({ skip }) => {
    if (reports.length < 10) skip('only some of the moments were asked for')
    const struck = reports.flatMap(({ counts }) => counts.filter(({ place }) => place === 'around a cancellation'))
    expect(struck.filter(({ trial }) => trial === 'crash').reduce((sum, { tried }) => sum + tried, 0)).toBe(2 * 10)
  })
})

describe('a run with children on disk', () => {
  test.each(
    stores.filter((store) => store !== 'memory').flatMap((store) => [4, 7].map((after) => [store, after] as const)),
  )('R-B8 R-A7 T1 ends the same on %s if it is cancelled after %i events', { timeout }, async (store, afterEvents) => {
    checkCancelled((await tally.crash({ ...hotel, cancel: { afterEvents } }, store, depth)).facts)
  })
})

describe.runIf(inMemory)('a run whose code is patched under way', () => {
  test.each(range(1, 8))(
    'R-A7 T1 ends the same if the patch comes after %i events',
    { timeout },
    async (afterEvents) => {
      const report = await tally.crash(patchedAfter(afterEvents), 'memory', depth)
      const root = report.facts.get('crash-test' as RunId) ?? []
      expect(root.some(({ body }) => body.includes('announce'))).toBe(false)
      expect(root.some(({ body }) => body.includes('old end'))).toBe(true)
      const second = report.facts.get('crash-test~2' as RunId) ?? []
      expect(second.some(({ body }) => body.includes('"twice","attempt"'))).toBe(afterEvents < 5)
    },
  )
})

describe.runIf(inMemory)('the golden test of families under way as a whole', () => {
  test('T1 tried at least 1,200 crashes', ({ skip }) => {
    if (tally.reportCount('memory') < 20) skip('only some of the moments were asked for')
    process.stdout.write(`${tally.count()} trials\n`)
    expect(tally.count()).toBeGreaterThanOrEqual(1_200)
  })
})
