import type { Run } from '../engine/index.js'
import { type Draft, endOf } from '../journal/index.js'
import { type RunRow, systemClock } from '../store/index.js'
import type { Fact } from './facts.js'
import type { ScriptedClock } from './scripted-clock.js'
import type { World } from './world.js'

/** A signal that the kit sends once the journal has so many events. */
export interface ScriptedSignal {
  readonly name: string
  readonly payload?: unknown
  /** It is sent as soon as those before it are and the journal has at least so many events; 1 unless set. */
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
  /** Real milliseconds that a step's function gets before the scripted clock moves on without it. */
  readonly patienceMs: number
}

/** How a life went: it was struck by its fate, its run ended, or it cannot go on. */
export type LifeEnd = { readonly kind: 'struck' | 'ended' } | { readonly kind: 'stalled'; readonly why: string }

// Real milliseconds that a step's function gets in all.
const stalledAfterMs = 10_000
// Moves of the scripted clock of which nothing comes. Polls and heartbeats move it for ever, by months each.
const vainMoveCountMax = 2_000
// A run that is longer is no run for a crash test, and may be one that never ends.
const eventCountMax = 5_000

/**
 * Leads one life of a run, one outcome at a time: whenever nothing else is about to happen, it lets one held outcome pass,
 * sends a signal, or moves the clock to the next timer. With a reference it chooses what the reference did at this place,
 * so that branches which run at once come out in the same order.
 */
export class Conductor {
  readonly #performance: Performance
  readonly #sent = new Set<number>()
  #idleSince = systemClock.monotonic()
  #seen = ''
  #vainMoveCount = 0
  #isFresh = true

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
      const why = this.#objection(row) ?? (await this.#step(row))
      if (why !== undefined) return { kind: 'stalled', why }
    }
  }

  #objection(row: RunRow | undefined): string | undefined {
    if (row === undefined) return undefined
    if (row.stuck !== undefined) return `the run is stuck: ${row.stuck.message}`
    const eventCount = row.head.seq + 1
    if (eventCount < eventCountMax) return undefined
    return `it has ${eventCount} events and goes on; give it an input with which it ends sooner`
  }

  // Does one thing. Returns why there is nothing to do, if there is not.
  async #step(row: RunRow | undefined): Promise<string | undefined> {
    const eventCount = row === undefined ? 0 : row.head.seq + 1
    const expected = this.#performance.reference?.[eventCount]
    if (this.#isFresh) this.#sendAgain(eventCount)
    this.#isFresh = false
    const acted = expected === undefined ? this.#lead(eventCount) : this.#follow(eventCount, expected)
    const seen = `${row?.status} ${row?.epoch} ${eventCount}`
    if (acted || seen !== this.#seen) {
      this.#idleSince = systemClock.monotonic()
      this.#vainMoveCount = 0
    }
    this.#seen = seen
    return acted ? undefined : this.#waitOrAdvance(row, expected)
  }

  #lead(eventCount: number): boolean {
    const { signals } = this.#performance
    const next = signals.findIndex((_, index) => !this.#sent.has(index))
    const isDue = next >= 0 && (signals[next]?.afterEvents ?? 1) <= eventCount
    return (isDue && this.#deliver(next)) || this.#release(() => true) || this.#performance.world.rest()
  }

  #follow(eventCount: number, expected: Fact): boolean {
    if (expected.kind === 'SignalReceived' && this.#deliver(deliveryIndex(expected))) return true
    if (this.#release((draft) => isSame(draft, expected))) return true
    return this.#release((draft) => !this.#comes(draft, eventCount)) || this.#performance.world.rest()
  }

  #release(suits: (draft: Draft) => boolean): boolean {
    const { held } = this.#performance.world
    const place = held.findIndex(({ draft }) => suits(draft))
    if (place < 0) return false
    held.splice(place, 1)[0]?.release()
    return true
  }

  // Every other signal comes while the run is about to rest, the others once it rests.
  #deliver(index: number): boolean {
    if (index % 2 === 1 && this.#performance.world.rest()) return true
    return this.#send(index)
  }

  // Of what never comes, the engine is to see by itself that nobody wants it any more.
  #comes(draft: Draft, fromSeq: number): boolean {
    return this.#performance.reference?.slice(fromSeq).some((fact) => isSame(draft, fact)) ?? true
  }

  // Whether the answer to the last signal arrived nobody knows after a crash: its sender sends it again.
  #sendAgain(eventCount: number): void {
    const past = this.#performance.reference?.slice(0, eventCount) ?? []
    const last = past.findLast(({ kind }) => kind === 'SignalReceived')
    if (last !== undefined) this.#send(deliveryIndex(last))
  }

  // A sender that got no answer sends again, with the same delivery id: so does every life that follows.
  #send(index: number): boolean {
    const signal = this.#performance.signals[index]
    if (signal === undefined || this.#sent.has(index)) return false
    this.#sent.add(index)
    this.#performance.run.signal(signal.name, signal.payload, { delivery: deliveryId(index) }).catch(() => undefined)
    return true
  }

  async #waitOrAdvance(row: RunRow | undefined, expected: Fact | undefined): Promise<string | undefined> {
    const { world, clock, patienceMs } = this.#performance
    const idleMs = systemClock.monotonic() - this.#idleSince
    const works = world.attemptCount > 0
    if (!works && this.#isInVain(row)) return stalled(row, expected)
    if (idleMs > stalledAfterMs)
      return `a step's function did not return within ${stalledAfterMs} ms, and no timer ends it`
    if (clock.nextMs !== undefined && (!works || idleMs > patienceMs)) {
      this.#vainMoveCount += 1
      clock.advanceTo(clock.nextMs)
    } else await new Promise<void>((resolve) => systemClock.after(1, resolve))
    return undefined
  }

  // Whether no passing of time can bring anything.
  #isInVain(row: RunRow | undefined): boolean {
    const isOver = this.#performance.world.held.some(({ draft }) => endOf(draft.kind) !== undefined)
    const waitsForUs = row?.status === 'waiting' && row.wakeAtMs === undefined
    return isOver || waitsForUs || this.#vainMoveCount > vainMoveCountMax
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

function stalled(row: RunRow | undefined, expected: Fact | undefined): string {
  const waitingFor = (row?.waitingFor ?? []).map(({ kind, name }) => `${kind} ${JSON.stringify(name)}`).join(', ')
  const what = waitingFor === '' ? 'something' : waitingFor
  return expected === undefined
    ? `the run waits for ${what}, which the test does not script: add it to signals`
    : `the run never came to ${expected.kind} ${expected.body}`
}

// Until nothing is about to happen by itself. Two looks in a row: a promise that settled may have begun something.
async function quiet(world: World): Promise<void> {
  for (let calm = 0; calm < 2; ) {
    await new Promise((resolve) => setImmediate(resolve))
    calm = world.isQuiet || world.struck !== undefined ? calm + 1 : 0
  }
}
