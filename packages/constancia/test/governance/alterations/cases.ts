import {
  type Alteration,
  type Amendment,
  amendments,
  type Case,
  type Mishap,
  type Place,
  type Protocol,
  places,
  type Style,
} from './words.js'

type Random = () => number

/** Numbers from 0 to below 1 that follow from a seed. */
export function randomFrom(seed: number): Random {
  let state = (seed * 0x9e3779b9 + 0x6d2b79f5) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const mishaps: readonly Mishap[] = [
  'nothing',
  'the first attempt is not sent',
  'the first attempt is cut off',
  'the process ends after it may resume',
  'the process ends with an open intent',
  'the process ends while it is sent',
]
const protocols: readonly Protocol[] = ['idempotent', 'idempotent', 'verify', 'once']
const styles: readonly Style[] = [
  'ask-first',
  'ask-first',
  'just-do',
  'just-do',
  'just-do',
  'ask-and-alter',
  'ask-and-do-twice',
]
const hour = 3_600_000

const harmless = ['the wording is another', 'one more rule'] as const

/** A case that follows from its seed: what the approval binds is altered at one to four places, and sometimes put right again. */
export function caseOf(seed: number): Case {
  return made(seed, false)
}

/** The same run in which nothing is altered that matters: it is let through. */
export function twinOf(seed: number): Case {
  return made(seed, true)
}

function made(seed: number, isHonest: boolean): Case {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const style = pick(styles)
  const quorum = 1 + Math.floor(random() * 2)
  const voters = pick([
    ['tom', 'del', 'eve'],
    ['del', 'tom'],
    ['tom', 'eve'],
    ['eve', 'del', 'tom'],
  ])
  const common = { seed, quorum, voters, protocol: pick(protocols), mishap: pick(mishaps), endsMs: 6 * hour }
  const liar = random() < 0.04 ? pick(voters) : undefined
  const ending = ['ann analyst', 'ann clerk', 'tom treasurer', 'una treasurer', 'una del'].filter(() => random() < 0.15)
  const altered = new Map<Place, Alteration[]>()
  const steps = 1 + Math.floor(random() ** 2 * 4)
  for (let step = 0; step < steps; step += 1) {
    const place = pick(places)
    const alteration = isHonest ? harmlessOf(random, pick) : alterationOf(random, pick)
    altered.set(place, [...(altered.get(place) ?? []), alteration])
    // What is put right again before anybody looks has not mattered.
    if (isHonest || random() > 0.2) continue
    const later = pick(places.slice(places.indexOf(place)))
    const undone = undoingOf(alteration)
    if (undone !== undefined) altered.set(later, [...(altered.get(later) ?? []), undone])
  }
  if (isHonest)
    return { ...common, style: style === 'ask-and-alter' ? 'ask-first' : style, liar: undefined, ending: [], altered }
  return { ...common, style, liar, ending, altered }
}

type Pick = <T>(list: readonly T[]) => T

function alterationOf(random: Random, pick: Pick): Alteration {
  const kind = pick([
    'revoke',
    'revoke',
    'revoke',
    'undelegate',
    'link',
    'amend',
    'amend',
    'situation',
    'time',
    'withdraw',
    'harmless',
  ])
  switch (kind) {
    case 'revoke': {
      const [principal, role] = pick([
        ['ann', 'analyst'],
        ['ann', 'clerk'],
        ['tom', 'treasurer'],
        ['una', 'treasurer'],
        ['eve', 'treasurer'],
      ] as const)
      return { kind: 'revoke', principal, role }
    }
    case 'undelegate':
      return { kind: 'undelegate', from: 'una', to: 'del' }
    case 'link': {
      const [principal, person] = pick([
        ['tom', 'ann'],
        ['del', 'ann'],
        ['una', 'ann'],
        ['del', 'tom'],
        ['eve', 'tom'],
        ['ann', 'eve'],
      ] as const)
      return { kind: 'link', principal, person }
    }
    case 'amend':
      return { kind: 'amend', amendments: amendmentsOf(random, pick) }
    case 'situation':
      return { kind: 'situation', objection: 'somebody else has paid' }
    case 'time':
      // Right before the end of what has an end, or after it.
      return { kind: 'time', toMs: pick([6 * hour - 30_000, 6 * hour, 7 * hour]) }
    case 'withdraw':
      return { kind: 'withdraw', voter: pick(['tom', 'del', 'eve']) }
    default:
      return harmlessOf(random, pick)
  }
}

function amendmentsOf(random: Random, pick: Pick): readonly Amendment[] {
  const first = pick(amendments)
  return random() < 0.3 ? [...new Set([first, pick(amendments)])] : [first]
}

function harmlessOf(_random: Random, pick: Pick): Alteration {
  return pick<Alteration>([
    { kind: 'grant', principal: 'zed', role: 'treasurer' },
    { kind: 'grant', principal: 'ann', role: 'robot' },
    { kind: 'grant', principal: 'ann', role: 'analyst' },
    { kind: 'grant', principal: 'tom', role: 'treasurer' },
    { kind: 'revoke', principal: 'yan', role: 'treasurer' },
    { kind: 'delegate', from: 'eve', to: 'zed' },
    { kind: 'undelegate', from: 'eve', to: 'yan' },
    { kind: 'link', principal: 'zed', person: 'yan' },
    { kind: 'amend', amendments: [] },
    { kind: 'amend', amendments: [pick(harmless)] },
    { kind: 'time', toMs: hour },
  ])
}

function undoingOf(alteration: Alteration): Alteration | undefined {
  switch (alteration.kind) {
    case 'revoke':
      return { ...alteration, kind: 'grant' }
    case 'undelegate':
      return { ...alteration, kind: 'delegate' }
    case 'link':
      return { ...alteration, person: alteration.principal }
    case 'amend':
      return { kind: 'amend', amendments: [] }
    case 'situation':
      return { kind: 'situation', objection: undefined }
    default:
      return undefined
  }
}
