import type { PointKind } from './places.js'

/** The places where a process is ended, as a table names them. */
export type KillPlace = PointKind | 'while it opens the file' | 'at a random moment'

/** How one life of a process is to end. */
export type Doom =
  /** By itself, when it passes this place for the n-th time, from 1. */
  | { readonly kind: 'itself'; readonly place: PointKind; readonly passing: number }
  /** By its parent, so many milliseconds after it began to open the file or, for the other place, after its first claim. */
  | { readonly kind: 'parent'; readonly place: Exclude<KillPlace, PointKind>; readonly delayMs: number }

/** What one life has before it. */
export interface Fate {
  readonly doom: Doom | undefined
  /** So many milliseconds after its first claim it is stopped, and so long. Its doom begins when it goes on. */
  readonly stop: { readonly delayMs: number; readonly forMs: number } | undefined
}

/** A life that nobody disturbs. */
export const undisturbed: Fate = { doom: undefined, stop: undefined }

interface PlaceRule {
  readonly place: KillPlace
  /** How often it is chosen, against the others; a whole number. */
  readonly weight: number
  /** Highest passing, or longest delay in milliseconds. */
  readonly max: number
}

const rules: readonly PlaceRule[] = [
  { place: 'at a random moment', weight: 4, max: 40 },
  { place: 'while it opens the file', weight: 1, max: 20 },
  { place: 'around the start', weight: 1, max: 40 },
  { place: 'around a claim', weight: 1, max: 4 },
  { place: 'around a signal', weight: 2, max: 6 },
  { place: 'around a suspension', weight: 2, max: 10 },
  { place: 'before an append', weight: 3, max: 60 },
  { place: 'after an event is stored', weight: 3, max: 60 },
  { place: 'between an effect and its append', weight: 3, max: 60 },
  { place: 'around a cancellation', weight: 2, max: 6 },
  { place: 'around a dispatch', weight: 3, max: 20 },
]

/** What a plan is drawn for. */
export interface PlanInput {
  readonly leaseMs: number
  /** How often a life passes each place when nobody ends it. */
  readonly passes: Readonly<Record<string, number>>
}

/**
 * Draws one fate after the other from a seed, among the places that a life passes. The fates follow from the seed alone; what
 * they meet is up to the machine.
 */
export class KillPlan {
  readonly #draw: () => number
  readonly #leaseMs: number
  readonly #rules: readonly PlaceRule[]
  // Those that are still to be drawn before all are put back: so each place has its share, however few are killed.
  #deck: PlaceRule[] = []

  constructor(seed: number, { leaseMs, passes }: PlanInput) {
    this.#draw = randomFrom(seed)
    this.#leaseMs = leaseMs
    this.#rules = rules.flatMap((rule) => {
      if (isTimed(rule.place)) return [rule]
      const max = Math.min(rule.max, passes[rule.place] ?? 0)
      return max === 0 ? [] : [{ ...rule, max }]
    })
  }

  /** A life that ends by SIGKILL. */
  kill(): Fate {
    return { doom: this.#doom(), stop: undefined }
  }

  /** A life that is stopped for longer than its lease, and ended a while after it went on. */
  stop(): Fate {
    const forMs = this.#leaseMs + this.#upTo(this.#leaseMs)
    const doom: Doom = { kind: 'parent', place: 'at a random moment', delayMs: 50 + this.#upTo(100) }
    return { doom, stop: { delayMs: this.#upTo(30), forMs } }
  }

  #doom(): Doom {
    const { place, max } = this.#rule()
    const amount = this.#upTo(max)
    if (isTimed(place)) return { kind: 'parent', place, delayMs: amount }
    return { kind: 'itself', place, passing: 1 + Math.floor(amount) }
  }

  #rule(): PlaceRule {
    if (this.#deck.length === 0) this.#deck = this.#rules.flatMap((rule) => Array<PlaceRule>(rule.weight).fill(rule))
    const [rule] = this.#deck.splice(Math.floor(this.#upTo(this.#deck.length)), 1)
    return rule as PlaceRule
  }

  #upTo(max: number): number {
    return this.#draw() * max
  }
}

function isTimed(place: KillPlace): place is Exclude<KillPlace, PointKind> {
  return place === 'at a random moment' || place === 'while it opens the file'
}

// Mulberry32: numbers from 0 up to 1 that follow from the seed alone.
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
