import type { Runtime } from '../engine/index.js'
import { type RunId, runStream } from '../journal/index.js'
import { type RunRow, systemClock } from '../store/index.js'
import { settledFacts } from './doubts.js'
import { factsOf } from './facts.js'
import { type Held, isDispatched, leadsTo } from './held.js'
import { isVote, type People } from './people.js'
import { Chronicle, type EventCounts, type FamilyFact, Reference } from './reference.js'
import { type AddressedSignal, countOf, Script, type ScriptedCancel } from './script.js'
import type { ScriptedClock } from './scripted-clock.js'
import type { World } from './world.js'

/** What a conductor leads through one life. */
export interface Performance {
  readonly world: World
  readonly clock: ScriptedClock
  readonly runtime: Runtime
  /** The run from which all others come. */
  readonly root: RunId
  readonly signals: readonly AddressedSignal[]
  readonly cancel: ScriptedCancel | undefined
  /** Those who decide; undefined where nothing is governed. */
  readonly people: People | undefined
  /** The history to follow; for the first time, where it is taken down. */
  readonly score: Reference | Chronicle
  /** Once its journal, those of runs that took over included, has so many events, this life gives way to the next. */
  readonly givesWayAfter: number | undefined
  /** Real milliseconds that a step's function gets before the scripted clock moves on without it. */
  readonly patienceMs: number
}

/** How a life went: it was struck by its fate, everything ended, it gave way to the next, or it cannot go on. */
export type LifeEnd =
  | { readonly kind: 'struck' | 'ended' | 'gives way' }
  | { readonly kind: 'stalled'; readonly why: string }

// Real milliseconds that a step's function gets in all.
const stalledAfterMs = 10_000
// Moves of the scripted clock of which nothing comes. Polls and heartbeats move it for ever, by months each.
const vainMoveCountMax = 2_000
// What is longer is nothing for a crash test, and may never end.
const eventCountMax = 5_000

/**
 * Leads one life of a run and of all that comes of it, one thing at a time: whenever nothing else is about to happen, it lets
 * one held outcome or dispatch pass, sends a signal, cancels, or moves the clock to the next timer. With a reference it chooses
 * what the reference did at this place, so that branches and runs which go on at once come out in the same order.
 */
export class Conductor {
  readonly #performance: Performance
  readonly #script: Script
  #idleSince = systemClock.monotonic()
  #seen = ''
  #unblockedAt = ''
  // Whether the last thing came from outside its run.
  #hasTold = false
  #vainMoveCount = 0
  #isFresh = true

  constructor(performed: Performance) {
    this.#performance = performed
    const { runtime, root, signals, cancel, world } = performed
    this.#script = new Script({ runtime, root, signals, cancel, rest: () => world.rest() })
  }

  /** Leads until the life is over. */
  async lead(): Promise<LifeEnd> {
    const { world, root, score, givesWayAfter = Infinity } = this.#performance
    for (;;) {
      await quiet(world)
      if (world.struck !== undefined) return { kind: 'struck' }
      const rows = await world.look()
      const counts = await this.#count(rows)
      if (score instanceof Chronicle) score.note(counts)
      if (await this.#isOver(rows)) {
        // What is still held was done by others: it must come to nothing.
        if (this.#release(() => true) !== undefined || world.rest()) continue
        return { kind: 'ended' }
      }
      if (countOf(counts, root) >= givesWayAfter) return { kind: 'gives way' }
      const why = objectionTo(rows) ?? (await this.#step(rows, counts))
      if (why !== undefined) return { kind: 'stalled', why }
    }
  }

  // Of a governed run, what stands once no doubt is left.
  async #count(rows: readonly RunRow[]): Promise<EventCounts> {
    const { people, world } = this.#performance
    if (people === undefined) return new Map(rows.map(({ id, head }) => [id, head.seq + 1]))
    const counts = new Map<RunId, number>()
    for (const { id } of rows) counts.set(id, settledFacts(factsOf(await world.stream(runStream(id)))).length)
    return counts
  }

  async #isOver(rows: readonly RunRow[]): Promise<boolean> {
    return rows.length > 0 && rows.every(({ outcome }) => outcome !== 'open') && this.#performance.world.isAllTold()
  }

  // Does one thing. Returns why there is nothing to do, if there is not.
  async #step(rows: readonly RunRow[], counts: EventCounts): Promise<string | undefined> {
    const { score, people, root } = this.#performance
    const isLed = score instanceof Reference
    if (this.#isFresh && isLed) {
      this.#script.sendAgain(score, counts)
      await people?.sayAgain(score.lastStored(counts, isVote))
    }
    this.#isFresh = false
    const expected = isLed ? score.next(counts) : []
    const seen = rows.map(({ id, status, epoch, head }) => `${id} ${status} ${epoch} ${head.seq}`).join()
    const acted =
      (await people?.actAnyway(rows, countOf(counts, root))) === true ||
      (await (expected.length > 0 && isLed ? this.#follow(score, counts, expected) : this.#lead(counts)))
    if (acted || seen !== this.#seen) {
      this.#idleSince = systemClock.monotonic()
      this.#vainMoveCount = 0
    }
    this.#seen = seen
    return acted ? undefined : this.#waitOrAdvance(rows, expected)
  }

  async #lead(counts: EventCounts): Promise<boolean> {
    const { world, people, root } = this.#performance
    // A run that was about to rest learns of what came before anything else comes: a life that follows knows it as well.
    if (this.#hasTold && world.rest()) return true
    this.#hasTold = this.#script.sendDue(counts) || (await people?.voteDue(countOf(counts, root))) === true
    if (this.#hasTold) return true
    // What was put into the outbox first is told first: a worker that does not know of the other yet has no choice.
    const first = Math.min(...world.held.map(({ dispatchRank = 0 }) => dispatchRank))
    const next = this.#release(({ dispatchRank = 0 }) => dispatchRank === first)
    this.#hasTold = next?.dispatchRank !== undefined
    return next !== undefined || world.rest()
  }

  async #follow(reference: Reference, counts: EventCounts, expected: readonly FamilyFact[]): Promise<boolean> {
    const { people } = this.#performance
    for (const next of expected) {
      if (this.#script.sendFor(next) || (await people?.voteFor(next)) === true) return true
      if (this.#release((held) => isNext(held, next)) !== undefined) return true
    }
    if (this.#performance.world.rest() || this.#unblock(counts, expected)) return true
    // Of what never comes, the engine is to see by itself that nobody wants it any more.
    return this.#release((held) => !reference.comes(held, counts)) !== undefined
  }

  // Dispatches that were found together are done together: one that is held may keep those from being found that came later
  // and are next.
  #unblock(counts: EventCounts, expected: readonly FamilyFact[]): boolean {
    const seen = JSON.stringify([...counts])
    if (this.#unblockedAt === seen || !expected.some(({ fact }) => isDispatched(fact))) return false
    this.#unblockedAt = seen
    return this.#performance.world.putOffDispatches()
  }

  #release(suits: (held: Held) => boolean): Held | undefined {
    const { held } = this.#performance.world
    const place = held.findIndex(suits)
    if (place < 0) return undefined
    const [next] = held.splice(place, 1)
    next?.release()
    return next
  }

  async #waitOrAdvance(rows: readonly RunRow[], expected: readonly FamilyFact[]): Promise<string | undefined> {
    const { world, clock, patienceMs } = this.#performance
    const idleMs = systemClock.monotonic() - this.#idleSince
    const works = world.attemptCount > 0
    if (!works && this.#isInVain(rows)) return stalled(rows, expected)
    if (idleMs > stalledAfterMs)
      return `a step's function did not return within ${stalledAfterMs} ms, and no timer ends it`
    if (clock.nextMs !== undefined && (!works || idleMs > patienceMs)) {
      this.#vainMoveCount += 1
      clock.advanceTo(clock.nextMs)
    } else await new Promise<void>((resolve) => systemClock.after(1, resolve))
    return undefined
  }

  // Whether no passing of time can bring anything.
  #isInVain(rows: readonly RunRow[]): boolean {
    const { held } = this.#performance.world
    const isEnding = (id: RunId): boolean => held.some(({ run, ends }) => run === id && ends)
    const rests = ({ status }: RunRow): boolean => status === 'waiting' || status === 'paused'
    const waitsForUs = (row: RunRow): boolean => rests(row) && row.wakeAtMs === undefined
    const open = rows.filter(({ outcome }) => outcome === 'open')
    const isSettled = rows.length > 0 && open.every((row) => waitsForUs(row) || isEnding(row.id))
    return isSettled || this.#vainMoveCount > vainMoveCountMax
  }
}

function isNext(held: Held, { run, fact }: FamilyFact): boolean {
  return held.run === run && leadsTo(held, fact)
}

function objectionTo(rows: readonly RunRow[]): string | undefined {
  const stuck = rows.find((row) => row.stuck !== undefined)
  if (stuck !== undefined) return `the run is stuck: ${stuck.stuck?.message}`
  const eventCount = rows.reduce((sum, { head }) => sum + head.seq + 1, 0)
  if (eventCount < eventCountMax) return undefined
  return `it has ${eventCount} events and goes on; give it an input with which it ends sooner`
}

function stalled(rows: readonly RunRow[], expected: readonly FamilyFact[]): string {
  const [next] = expected
  if (next !== undefined) return `the run never came to ${next.fact.kind} ${next.fact.body}`
  const waits = rows.filter(({ outcome }) => outcome === 'open').flatMap(({ waitingFor }) => waitingFor)
  const ends = waits.filter(({ kind }) => kind !== 'child') // What a parent waits for waits for something itself.
  const shown = (ends.length > 0 ? ends : waits).map(({ kind, name }) => `${kind} ${JSON.stringify(name)}`)
  const kinds = new Set(waits.map(({ kind }) => kind))
  const scripts = kinds.has('approval') ? 'votes' : kinds.has('statement') ? 'statements' : 'signals'
  const what = shown.length === 0 ? 'something' : shown.join(', ')
  return `the run waits for ${what}, which the test does not script: add it to ${scripts}`
}

// Until nothing is about to happen by itself; of a life that was struck, in its store. Two looks in a row: a promise that settled
// may have begun something.
async function quiet(world: World): Promise<void> {
  for (let calm = 0; calm < 2; ) {
    await new Promise((resolve) => setImmediate(resolve))
    calm = world.isQuiet || (world.struck !== undefined && world.isAnswered) ? calm + 1 : 0
  }
}
