import type { Run } from '../engine/index.js'
import type { Draft } from '../journal/index.js'
import { systemClock } from '../store/index.js'
import type { Fact } from './facts.js'
import type { ScriptedClock } from './scripted-clock.js'
import type { World } from './world.js'

/** A signal that the kit sends once the journal has so many events. */
export interface ScriptedSignal {
  readonly name: string
  readonly payload?: unknown
  /** It is sent as soon as the journal has at least so many events; 1 unless set. */
  readonly afterEvents?: number
}

/** What a conductor leads through one life. */
export interface Performance {
  readonly world: World
  readonly clock: ScriptedClock
  readonly run: Run
  readonly signals: readonly ScriptedSignal[]
  /** The history to follow; undefined for the first run, which sets it. */
  readonly reference: readonly Fact[] | undefined
}

/** How a life went: it was struck by its fate, its run ended, or it cannot go on. */
export type LifeEnd = { readonly kind: 'struck' | 'ended' } | { readonly kind: 'stalled'; readonly why: string }

// Real milliseconds that a step's function gets before the scripted clock moves on without it, and before it is given up.
const patienceMs = 50
const stalledAfterMs = 10_000

/**
 * Leads one life of a run, one outcome at a time: whenever nothing else is about to happen, it lets one held outcome pass,
 * sends a signal, or moves the clock to the next timer. With a reference it chooses what the reference did at this place,
 * so that branches which run at once come out in the same order.
 */
export class Conductor {
  readonly #performance: Performance
  readonly #sent = new Set<number>()
  #idleSince = systemClock.monotonic()

  constructor(performed: Performance) {
    this.#performance = performed
  }

  /** Leads until the life is over. */
  async lead(): Promise<LifeEnd> {
    const { world, run } = this.#performance
    for (;;) {
      await quiet(world)
      if (world.struck !== undefined) return { kind: 'struck' }
      const row = await world.look(run.id)
      if (row !== undefined && row.outcome !== 'open') return { kind: 'ended' }
      if (row?.stuck !== undefined) return { kind: 'stalled', why: `the run is stuck: ${row.stuck.message}` }
      const why = await this.#step(row === undefined ? 0 : row.head.seq + 1)
      if (why !== undefined) return { kind: 'stalled', why }
    }
  }

  // Does one thing. Returns why there is nothing to do, if there is not.
  async #step(eventCount: number): Promise<string | undefined> {
    const expected = this.#performance.reference?.[eventCount]
    const acted = expected === undefined ? this.#lead(eventCount) : this.#follow(expected)
    if (acted) {
      this.#idleSince = systemClock.monotonic()
      return undefined
    }
    return this.#waitOrAdvance(expected)
  }

  #lead(eventCount: number): boolean {
    const { signals, world } = this.#performance
    const next = signals.findIndex((signal, index) => !this.#sent.has(index) && (signal.afterEvents ?? 1) <= eventCount)
    if (next >= 0) return this.#send(next)
    const held = world.held.shift()
    held?.release()
    return held !== undefined
  }

  #follow(expected: Fact): boolean {
    const { world } = this.#performance
    if (expected.kind === 'SignalReceived') return this.#send(deliveryIndex(expected))
    const place = world.held.findIndex(({ draft }) => isSame(draft, expected))
    if (place < 0) return false
    world.held.splice(place, 1)[0]?.release()
    return true
  }

  // A sender that got no answer sends again, with the same delivery id: so does every life that follows.
  #send(index: number): boolean {
    const signal = this.#performance.signals[index]
    if (signal === undefined || this.#sent.has(index)) return false
    this.#sent.add(index)
    this.#performance.run.signal(signal.name, signal.payload, { delivery: deliveryId(index) }).catch(() => undefined)
    return true
  }

  async #waitOrAdvance(expected: Fact | undefined): Promise<string | undefined> {
    const { world, clock } = this.#performance
    const idleMs = systemClock.monotonic() - this.#idleSince
    const mayAdvance = world.attemptCount === 0 || idleMs > patienceMs
    if (mayAdvance && clock.nextMs !== undefined) {
      clock.advanceTo(clock.nextMs)
      if (world.attemptCount === 0) this.#idleSince = systemClock.monotonic()
      return idleMs > stalledAfterMs ? stalled(expected) : undefined
    }
    if (world.attemptCount === 0) return stalled(expected)
    if (idleMs > stalledAfterMs)
      return `a step's function did not return within ${stalledAfterMs} ms, and no timer ends it`
    await new Promise<void>((resolve) => systemClock.after(1, resolve))
    return undefined
  }
}

/** The delivery id of the n-th scripted signal. */
export function deliveryId(index: number): string {
  return `signal-${index}`
}

function deliveryIndex(fact: Fact): number {
  const { delivery } = JSON.parse(fact.body) as { delivery: string }
  return Number(delivery.replace('signal-', ''))
}

/** Whether a draft stands for the same happening as a fact, whatever it says of it. */
function isSame(draft: Draft, fact: Fact): boolean {
  return placeOf(draft) === placeOf(fact)
}

function placeOf(fact: Pick<Fact, 'kind' | 'body'>): string {
  const { op, attempt } = JSON.parse(fact.body) as { op?: string; attempt?: number }
  const kind =
    fact.kind === 'StepFailed' || fact.kind === 'StepCompleted' || fact.kind === 'StepAttemptFailed'
      ? 'Step'
      : fact.kind
  return `${kind} ${op} ${attempt ?? '-'}`
}

function stalled(expected: Fact | undefined): string {
  return expected === undefined
    ? 'the run waits for something that the test does not script: add it to signals'
    : `the run never came to ${expected.kind} ${expected.body}`
}

// Until nothing is about to happen by itself. Two looks in a row: a promise that settled may have begun something.
async function quiet(world: World): Promise<void> {
  for (let calm = 0; calm < 2; ) {
    await new Promise((resolve) => setImmediate(resolve))
    calm = world.isQuiet || world.struck !== undefined ? calm + 1 : 0
  }
}
