import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  chainDrafts,
  type Draft,
  draftOf,
  emptyHead,
  headOf,
  type OpId,
  runStream,
  type StoredEvent,
} from '../../dist/journal/index.js'
import type { RunRow } from '../../dist/store/index.js'
import type { Diary } from '../../dist/testing/kill-diary.js'
import { type Case, type Found, judge } from '../../dist/testing/kill-judge.js'
import { idOf } from '../store/storage.js'

const stream = runStream(idOf('r'))
const step = (op: string, data: string): Draft =>
  draftOf('StepCompleted', { op: op as OpId, name: 's', attempt: 1 }, data)
const signal: Draft = draftOf('SignalReceived', { name: 'paid', delivery: 'd1' }, '499')
const drafts = [step('0', '1'), signal, step('1', '2'), draftOf('FlowCompleted', {}, '3')]

// Each event by a claim of its own epoch, from 1, unless told.
function journalOf(
  given: readonly Draft[],
  epochs: readonly number[] = given.map((_, index) => index + 1),
): StoredEvent[] {
  const events: StoredEvent[] = []
  for (const [index, draft] of given.entries()) {
    const last = events.at(-1)
    const by = `claim:c${epochs[index]}@${epochs[index]}`
    const salt = (): Uint8Array => randomBytes(16)
    const head = last === undefined ? emptyHead(stream) : headOf(last)
    events.push(...chainDrafts(head, [draft], { stream, nowMs: 1_000, by, seen: '-/-', salt }))
  }
  return events
}

function foundOf(events: readonly StoredEvent[], row: Partial<RunRow> = {}): Found {
  const last = events.at(-1)
  const head = last === undefined ? emptyHead(stream) : headOf(last)
  const whole = { outcome: 'completed', status: 'completed', head, waitingFor: [], ...row } as unknown as RunRow
  return { runs: new Map([['r', { row: whole, events }]]), accepted: { 'r/0': { cents: 499 } } }
}

const events = journalOf(drafts)
const diary: Diary = {
  stored: events.map(({ seq, hash }) => ({ run: 'r', seq, hash })),
  delivered: [{ run: 'r', delivery: 'd1' }],
  refused: [],
  struck: undefined,
  passed: {},
}
const given: Case = { found: foundOf(events), expected: foundOf(journalOf(drafts)), diaries: [diary], repeatable: true }

function judged(found: Found, more: Partial<Case> = {}): string[] {
  return judge({ ...given, found, ...more })
}

test('a round that is as it must be has no failure, whoever wrote it', () => {
  expect(judge(given)).toEqual([])
})

test('T6 an acknowledged event that is gone is named', () => {
  expect(judged(foundOf(events.slice(0, 3)))).toContain('event 3 of run r was acknowledged, and is gone')
})

test('T6 an acknowledged event that was replaced by a like one is named', () => {
  expect(judged(foundOf(journalOf(drafts)))).toContain('event 0 of run r was acknowledged, and is another one')
})

test('T6 an acknowledged signal that is gone, or there twice, is named', () => {
  const lost = 'delivery d1 to run r was acknowledged, and is not there once'
  const without = journalOf(drafts.filter((draft) => draft !== signal))
  expect(judged(foundOf(without), { diaries: [{ ...diary, stored: [] }] })).toContain(lost)
  const twice = journalOf([signal, ...drafts])
  expect(judged(foundOf(twice), { diaries: [{ ...diary, stored: [] }] })).toContain(lost)
})

test('a journal that was changed, or that ends elsewhere than its row says, is named', () => {
  const changed = events.map((event) =>
    event.seq === 1 ? { ...event, body: event.body.replace('paid', 'said') } : event,
  )
  expect(judged(foundOf(changed)).join('\n')).toMatch(/Event 1 of run\/r does not fit its hash/)
  const other = foundOf(events, { head: emptyHead(stream) })
  expect(judged(other)).toEqual(['the journal of run r ends elsewhere than its row says'])
})

test('a run that has not ended, or is gone, is named', () => {
  const waitingFor = [{ kind: 'signal', op: '4', name: 'late' }] as const
  const open = foundOf(events, { outcome: 'open', status: 'waiting', waitingFor } as Partial<RunRow>)
  expect(judged(open)).toEqual(['run r has not ended: it is waiting for signal "late"'])
  const gone: Found = { ...given.found, runs: new Map([['r', { row: undefined, events: [] }]]) }
  expect(judged(gone)).toContain('run r is gone')
})

test('R-C3 a claim that wrote after a later one had is named', () => {
  const late = journalOf(drafts, [1, 3, 2, 3])
  expect(judged(foundOf(late), { diaries: [] })).toEqual([
    'claim c2 of epoch 2 wrote event 2 of run r after claim c3 of epoch 3 had',
  ])
})

test('R-A7 another result is named; of a run that is not repeatable, only what is missing or too much', () => {
  const other = journalOf([step('0', '7'), ...drafts.slice(1)])
  expect(judged(foundOf(other), { diaries: [] })).toEqual([
    expect.stringMatching(/^run r has, of op 0, .* 7 where .* has .* 1$/),
  ])
  expect(judged(foundOf(other), { diaries: [], repeatable: false })).toEqual([])
  const twice = journalOf([step('0', '1'), ...drafts])
  expect(judged(foundOf(twice), { diaries: [], repeatable: false })).toHaveLength(1)
})

test('R-A8 an effect that was accepted too often, not at all, or with another body is named', () => {
  const of = (accepted: Record<string, unknown>, repeatable = true): string[] =>
    judged({ ...given.found, accepted }, { repeatable })
  expect(of({ 'r/0': { cents: 499 }, 'r/0-again': { cents: 499 } })).toEqual([
    expect.stringMatching(/^of key r\/0-again/),
  ])
  expect(of({})).toEqual([expect.stringMatching(/^of key r\/0 the destination has nothing/)])
  expect(of({ 'r/0': { cents: 1 } })).toEqual([expect.stringMatching(/^of key r\/0/)])
  expect(of({ 'r/0': { cents: 1 } }, false)).toEqual([])
})
