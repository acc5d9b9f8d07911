import { describe, expect, test } from 'vitest'
import { keepResults } from '../golden/campaign.js'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { caseOf, twinOf } from './alterations/cases.js'
import { type Tried, tried } from './alterations/trial.js'
import { places } from './alterations/words.js'

// In a campaign as many as the programme asks for; a seed alone repeats its case.
const caseCount = isCampaign ? Number(process.env['CONSTANCIA_CASES'] ?? 100_000) : 200
const twinCount = Math.ceil(caseCount / 5)
// Where a campaign begins, and how many it tries: so that its parts can run beside each other.
const firstSeed = Number(process.env['CONSTANCIA_FIRST_SEED'] ?? 0)

/** What was met, and how often. */
class Tally {
  readonly counts = new Map<string, number>()
  triedCount = 0
  doneCount = 0
  passedCount = 0
  /** Cases whose effect did not happen, by where something was altered. */
  readonly refusedAt = new Map<string, number>()

  add({ refusals, altered, doneCount, status, passedCount }: Tried): void {
    this.triedCount += 1
    this.doneCount += doneCount > 0 ? 1 : 0
    this.passedCount += passedCount
    for (const { kind, code } of refusals) this.#count(this.counts, `${kind}: ${code}`)
    if (doneCount > 0 || refusals.length === 0) return
    for (const place of altered) this.#count(this.refusedAt, place)
    expect(status).not.toBe('running')
  }

  #count(counts: Map<string, number>, what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }

  table(counts: ReadonlyMap<string, number>): string[] {
    return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([what, count]) => `| ${what} | ${count} |`)
  }
}

const reasons = [
  'VoteRefused: role_missing',
  'VoteRefused: own_request',
  'VoteRefused: voted_already',
  'VoteRefused: other_digest',
  'VoteRefused: run_ended',
  'ApprovalResolved: expired',
  'FlowFailed: resume_denied',
  'ActionDenied: unknown_action',
  'ActionDenied: role_missing',
  'ActionDenied: condition_failed',
  'ActionDenied: approval_other_action',
  'ActionDenied: approval_other_input',
  'ActionDenied: approval_used',
  'ActionDenied: approval_lapsed',
  'ActionDenied: limit_exceeded',
  'ActionDenied: situation_changed',
] as const

describe('what an approval binds, altered at random between the request and the effect', () => {
  const tally = new Tally()

  test(
    'T20 R-D3 R-E2 R-E8 R-E9 R-E10 R-E11 R-F4 threats 3, 5, 8: is refused for what was altered, and has no effect',
    async () => {
      const startMs = performance.now()
      for (let index = 0; index < caseCount; index += 1) {
        const one = await tried(caseOf(firstSeed + index))
        tally.add(one)
        // Either it was let through by every check, or what stopped it is in a journal, with its reason.
        if (one.doneCount === 0) expect(one.refusals.length, `seed ${firstSeed + index}`).toBeGreaterThan(0)
        expect(one.doneCount, `seed ${firstSeed + index}`).toBeLessThanOrEqual(1)
      }
      const perSecond = (caseCount * 1_000) / (performance.now() - startMs)
      console.log(`T20: ${caseCount} cases, ${perSecond.toFixed(0)} a second, ${tally.doneCount} let through`)
      // In CI they are too few for each reason and each place to be met for certain.
      const [floor, reasonsMin, placesMin] = isCampaign
        ? [Math.ceil(caseCount / 1_000), reasons.length, places.length]
        : [1, 12, 10]
      const metAt =
        (counts: ReadonlyMap<string, number>) =>
        (what: string): boolean =>
          (counts.get(what) ?? 0) >= floor
      expect(reasons.filter(metAt(tally.counts)).length).toBeGreaterThanOrEqual(reasonsMin)
      expect(places.filter(metAt(tally.refusedAt)).length).toBeGreaterThanOrEqual(placesMin)
      keep(tally, perSecond)
    },
    limitMs,
  )

  test(
    'T20 the same runs in which nothing is altered that matters have their effect, once',
    async () => {
      for (let index = 0; index < twinCount; index += 1) {
        const twin = twinOf(firstSeed + index)
        const one = await tried(twin)
        // What was approved once is done once: the second time is refused.
        const isTwice = twin.style === 'ask-and-do-twice'
        expect(one.status, `seed ${firstSeed + index}`).toBe(isTwice ? 'failed' : 'completed')
        expect(one.doneCount, `seed ${firstSeed + index}`).toBe(1)
        const codes = one.refusals.map(({ code }) => code)
        expect(codes, `seed ${firstSeed + index}`).toEqual(isTwice ? ['approval_used'] : [])
      }
    },
    limitMs,
  )
})

function keep(tally: Tally, perSecond: number): void {
  keepResults(firstSeed === 0 ? 'alterations' : `alterations-from-${firstSeed}`, [
    `T20: ${tally.triedCount} random cases from seed ${firstSeed} on, ${perSecond.toFixed(0)} a second, none failed. In ${tally.doneCount} nothing that mattered was in force when it was looked at, and the action was done, once; in the others it was not done.`,
    `${tally.passedCount} checks let something through, and each was judged when it was stored. ${twinCount} honest twins had their effect, once.`,
    '',
    '| refused, and why | times |',
    '|---|---|',
    ...tally.table(tally.counts),
    '',
    '| altered there, in cases without an effect | cases |',
    '|---|---|',
    ...tally.table(tally.refusedAt),
  ])
}
