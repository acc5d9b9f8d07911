import type { Fact } from './facts.js'

/** What an event of governance says of the op that it is about. */
interface About {
  readonly op?: string
  readonly attempt?: number
  readonly protocol?: string
}

/** Where an op stands while its facts are read. */
interface Standing {
  /** Its intent is durable, and nothing that lasts is known of it. */
  isOpen: boolean
  /** A person has said what came of it, and nothing was written since. */
  isStated: boolean
  /** Intents that were left out. */
  skippedCount: number
}

const outcomes = new Set(['ActionCompleted', 'ActionFailed', 'ActionAttemptFailed'])

/**
 * Facts as they would be had nobody ever doubted what came of an effect: a crash between an intent and its outcome leaves a
 * doubt where the destination remembers no keys, and it is settled by a person, or by the destination itself. Left out are
 * the doubt, what was stated, the permission to go on after it, and the intent to try again; attempts are counted without it.
 */
export function settledFacts(facts: readonly Fact[]): Fact[] {
  const ops = new Map<string, Standing>()
  return facts.flatMap((fact) => {
    const { op } = JSON.parse(fact.body) as About
    if (op === undefined) return [fact]
    const standing = ops.get(op) ?? { isOpen: false, isStated: false, skippedCount: 0 }
    ops.set(op, standing)
    return isDetour(fact, standing) ? [] : [told(fact, standing)]
  })
}

// Takes note of the fact as well.
function isDetour({ kind }: Fact, standing: Standing): boolean {
  const { isOpen, isStated } = standing
  standing.isStated = kind === 'OutcomeStated'
  if (outcomes.has(kind)) standing.isOpen = false
  switch (kind) {
    case 'OutcomeUnknown':
    case 'OutcomeStated':
      return true
    case 'ResumeAuthorized':
      return isStated
    case 'ActionAuthorized':
      standing.isOpen = true
      if (isOpen) standing.skippedCount += 1
      return isOpen
    default:
      return false
  }
}

function told(fact: Fact, { skippedCount }: Standing): Fact {
  if (fact.kind !== 'ActionAuthorized' && !outcomes.has(fact.kind)) return fact
  const { found: _, ...body } = JSON.parse(fact.body) as About & { readonly found?: true }
  return { ...fact, body: JSON.stringify({ ...body, attempt: (body.attempt ?? 1) - skippedCount }) }
}

/** What is compared of doubts: how many a history has, and how many of them a crash explains. */
export interface Doubted {
  readonly facts: readonly Fact[]
  /** How many crashes may have left one. */
  readonly crashCount: number
  /** Whether the process was gone for so long that destinations may have forgotten their keys. */
  readonly wasGone: boolean
}

/** Which doubt of a history no crash explains, in words; undefined if each has its crash. */
export function objectionToDoubts(expected: readonly Fact[], found: Doubted): string | undefined {
  const extra = doubtsOf(found.facts).slice(doubtsOf(expected).length)
  if (extra.length > found.crashCount) {
    return `${extra.length} effects are in doubt for which nothing but ${found.crashCount} crashes can be the reason`
  }
  const wrong = found.wasGone ? undefined : extra.find((protocol) => protocol !== 'once')
  return wrong === undefined ? undefined : `an effect under ${wrong} is in doubt, although its destination knows keys`
}

function doubtsOf(facts: readonly Fact[]): string[] {
  return facts
    .filter(({ kind }) => kind === 'OutcomeUnknown')
    .map(({ body }) => (JSON.parse(body) as About).protocol ?? '-')
    .sort((a, b) => Number(a === 'once') - Number(b === 'once'))
}
