import { beforeAll, describe, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { actionLies } from './lies/actions.js'
import { approvalLies } from './lies/approvals.js'
import { Forgery } from './lies/forgery.js'
import { lawLies } from './lies/laws.js'
import { onceLies } from './lies/once.js'
import { resumeLies } from './lies/resumes.js'
import { type SceneName, scenes } from './lies/scenes.js'
import { voteLies } from './lies/votes.js'
import { inWords, type Journals, replayed } from './replayed.js'

const names = Object.keys(scenes) as SceneName[]
const honest = new Map<SceneName, Journals>()
const lies = [...voteLies, ...approvalLies, ...actionLies, ...onceLies, ...resumeLies, ...lawLies]

beforeAll(async () => {
  for (const name of names) honest.set(name, await scenes[name]())
}, 600_000)

function journalsOf(scene: SceneName): Journals {
  const journals = honest.get(scene)
  if (journals === undefined) throw new Error(`There is no scene ${scene}.`)
  return journals
}

describe('R-G4 T20 a replay of the governance', () => {
  test.each(names)('finds nothing in what happened as it should: %s', (scene) => {
    const { findings, counts } = replayed(journalsOf(scene))
    expect(inWords(findings)).toEqual([])
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5)
    // Chained anew, it is still what it was.
    expect(inWords(replayed(new Forgery(journalsOf(scene)).journals()).findings)).toEqual([])
  })

  test('computes decisions of every kind anew', () => {
    const counts = new Map<string, number>()
    for (const scene of names) {
      for (const [kind, count] of replayed(journalsOf(scene)).counts) counts.set(kind, (counts.get(kind) ?? 0) + count)
    }
    expect([...counts.keys()].sort()).toEqual([
      'ActionAuthorized',
      'ActionDenied',
      'ApprovalEscalated',
      'ApprovalRequested',
      'ApprovalResolved',
      'ApprovalVoted',
      'ApprovalWithdrawn',
      'OutcomeStated',
      'ResumeAuthorized',
      'ResumeDeferred',
      'ResumeDenied',
      'changes',
    ])
  })

  test('is put to the test by lies of every kind, no two the same', () => {
    expect(lies.length).toBeGreaterThanOrEqual(120)
    expect(new Set(lies.map(({ check, lie }) => `${check}: ${lie}`)).size).toBe(lies.length)
  })

  test.each(lies.map((lie) => [lie.check, lie.lie, lie] as const))('finds a lie about %s: %s', (_check, _lie, lie) => {
    const forgery = new Forgery(journalsOf(lie.scene))
    const event = lie.forge(forgery)
    const journals = forgery.journals()
    for (const [stream, events] of journals) verifyChain(stream as never, emptyHead(stream as never), events)
    expect(journals.has(runStream('r' as never))).toBe(true)
    const { stream, seq } = forgery.placeOf(event)
    const { findings } = replayed(journals)
    const there = findings.filter(
      (finding) =>
        finding.stream === stream && finding.seq === seq && finding.check === lie.check && finding.result === 'failed',
    )
    expect(there.map(({ message }) => message).join(' '), inWords(findings).join('\n')).toMatch(lie.says)
  })
})
