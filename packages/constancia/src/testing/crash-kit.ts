import { AssertionError } from 'node:assert'
import { type AnyFlow, days, type Runtime } from '../engine/index.js'
import { type GovernedRuntime, open } from '../governance/index.js'
import {
  defaultLimits,
  emptyHead,
  encodeValue,
  parseRunId,
  type RunId,
  runStream,
  type StoredEvent,
  type StreamId,
  verifyChain,
} from '../journal/index.js'
import { Conductor, type LifeEnd } from './conductor.js'
import { type CrashDisk, memoryCrashDisk, type NewCrashDisk, sqliteCrashDisk } from './crash-disk.js'
import type { CrashTestOptions } from './crash-options.js'
import type { CrashReport, TrialFailure, TrialKind } from './crash-report.js'
import { objectionToDoubts, settledFacts } from './doubts.js'
import { type Fact, type FamilyFacts, factsOf, firstFamilyDifference } from './facts.js'
import { People } from './people.js'
import type { Fate, PointKind } from './places.js'
import { Chronicle, type Reference } from './reference.js'
import { inWords, replayGovernance } from './replay.js'
import { ScriptedClock } from './scripted-clock.js'
import { World } from './world.js'

// So long that only what is due, and hardly ever a heartbeat or a poll, moves the scripted clock.
const leaseMs = days(100)
const pollMs = days(300)

/** One trial: at which places the fates of its lives strike, one after the other. */
export interface Trial {
  readonly kind: TrialKind
  readonly strikes: readonly number[]
  /** When a slow life goes on: at once when another owns its runs, or, unless set, when that one has ended them. */
  readonly wakes?: 'once taken over'
}

/** A family of runs as it comes out: what the trials are compared with. */
interface Outcome {
  /** Those that are compared. */
  readonly facts: FamilyFacts
  /** Everything that the root has. */
  readonly whole: readonly Fact[]
  readonly accepted: string
  /** What a replay of its governance finds; nothing, if all is as it should be. */
  readonly found: readonly string[]
}

/** What the lives of one trial share. */
interface Stage {
  readonly disk: CrashDisk
  readonly clock: ScriptedClock
  readonly lives: Living[]
  /** Changes of the law that were made. */
  readonly changed: Set<number>
  readonly score: Reference | Chronicle
}

interface Living {
  readonly world: World
  readonly runtime: Runtime
  readonly end: LifeEnd
}

/** What becomes of the lives from one strike, or from the beginning, up to the next one. */
interface Fortune {
  /** Counted over all of those lives; undefined for none. */
  readonly strikeAt: number | undefined
  readonly fate: Fate
  readonly onOwner: () => Promise<boolean>
}

const undisturbed: Fortune = { strikeAt: undefined, fate: 'crash', onOwner: async () => false }

/** Plays one flow, with all that comes of it, again and again, and compares what comes out. */
export class CrashKit {
  readonly #options: CrashTestOptions<unknown>
  readonly #newDisk: NewCrashDisk
  readonly #root: RunId = parseRunId('crash-test')
  #reference: Reference | undefined
  #accepted = ''
  #whole: readonly Fact[] = []

  constructor(options: CrashTestOptions<unknown>) {
    this.#options = options
    const { store = 'memory' } = options
    this.#newDisk = store === 'memory' ? memoryCrashDisk : store === 'sqlite' ? sqliteCrashDisk : store
  }

  /** The history without a crash. Throws an `AssertionError` if it does not end. */
  async reference(): Promise<FamilyFacts> {
    const chronicle = new Chronicle()
    const outcome = await this.#onStage(chronicle, async (stage) => {
      await this.#play(stage, undisturbed)
      const last = lastOf(stage.lives)
      if (last.end.kind !== 'stalled') return this.#outcome(last)
      throw new AssertionError({ message: `The run without a crash does not end: ${last.end.why}.` })
    })
    this.#reference = chronicle.close(outcome.facts)
    this.#accepted = outcome.accepted
    this.#whole = outcome.whole
    return outcome.facts
  }

  /** The same again, in the order of the first. Returns its places. Throws an `AssertionError` if the two differ. */
  rehearse(): Promise<readonly PointKind[]> {
    return this.#onStage(this.#score, async (stage) => {
      const places = await this.#play(stage, undisturbed)
      const why = await this.#compare(lastOf(stage.lives), 0)
      if (why === undefined) return places
      throw new AssertionError({ message: `Two runs without a crash differ, so none with a crash was tried: ${why}.` })
    })
  }

  /** One trial, added to the report. Returns the places after its last strike. */
  trial(report: CrashReport, { kind, strikes, wakes }: Trial): Promise<readonly PointKind[]> {
    return this.#onStage(this.#score, async (stage) => {
      const { lives, clock } = stage
      const fate = kind === 'takeover' ? 'pause' : 'crash'
      const onOwner = async (): Promise<boolean> => {
        for (const { world } of lives) if (wakes === 'once taken over') await wake(world, { withDispatches: false })
        return wakes === 'once taken over'
      }
      let struck: World | undefined
      let places: readonly PointKind[] = []
      for (const strikeAt of [...strikes, undefined]) {
        if (lives.length > 0) clock.advance(this.#options.downtimeMs ?? 0)
        if (lives.length > 0) struck = lastOf(lives).world
        places = await this.#play(stage, { strikeAt, fate, onOwner })
      }
      if (struck !== undefined && kind === 'takeover') await wake(struck, { withDispatches: true })
      report.refusedCount += struck?.refusedCount ?? 0
      const why = objectionTo(struck) ?? (await this.#compare(lastOf(lives), strikes.length))
      const place = struck?.struck ?? 'around the start'
      const failure: TrialFailure | undefined =
        why === undefined ? undefined : { trial: kind, struckAt: strikes, place, why }
      report.add(kind, place, failure)
      return places
    })
  }

  get #score(): Reference | Chronicle {
    return this.#reference ?? new Chronicle()
  }

  // Whatever becomes of it, nothing stays behind: no handle, no timer, no file.
  async #onStage<T>(score: Reference | Chronicle, play: (stage: Stage) => Promise<T>): Promise<T> {
    await this.#options.destination?.reset()
    const disk = await this.#newDisk()
    const lives: Living[] = []
    try {
      return await play({ disk, lives, score, changed: new Set(), clock: new ScriptedClock() })
    } finally {
      for (const { world, runtime, end } of lives) await (end.kind === 'ended' ? runtime.close() : world.end())
      await disk.dispose()
    }
  }

  // Life after life as long as one gives way to the next. Returns their places.
  async #play(stage: Stage, fortune: Fortune): Promise<readonly PointKind[]> {
    const places: PointKind[] = []
    for (;;) {
      const strikeAt = fortune.strikeAt === undefined ? undefined : fortune.strikeAt - places.length
      const living = await this.#live(stage, { ...fortune, strikeAt })
      stage.lives.push(living)
      places.push(...living.world.pointKinds)
      if (living.end.kind !== 'gives way') return places
      await living.world.end()
    }
  }

  async #live(stage: Stage, fortune: Fortune): Promise<Living> {
    const { disk, clock, lives, score } = stage
    // Leases of the lives before ran out, one after the other.
    const silentMs = lives.length * (leaseMs + 1)
    const { factory } = disk
    const world = new World({ ...fortune, clock, factory, life: lives.length + 1, leaseMs, silentMs, root: this.#root })
    const { flow, input, upgrade, signals = [], cancel, patienceMs = 50, law, actor } = this.#options
    const code = lives.some(({ end }) => end.kind === 'gives way') ? upgrade : undefined
    const flows = code?.flows ?? [flow as AnyFlow, ...(this.#options.flows ?? [])]
    const worker = { leaseMs, pollMs, name: `life-${lives.length + 1}` }
    const { contract } = this.#options
    const runtime = await open({
      store: world.factory,
      flows,
      parts: world.parts,
      worker,
      ...(contract && { contract }),
    })
    const governance = contract === undefined ? undefined : (runtime as GovernedRuntime).governance
    if (governance !== undefined && lives.length === 0) await law?.(governance)
    // New code has no need to start the run: the old one did.
    if (code === undefined)
      runtime.start(flow, input, { id: this.#root, ...(actor !== undefined && { actor }) }).catch(() => undefined)
    const givesWayAfter = code === undefined ? upgrade?.afterEvents : undefined
    const people = governance && this.#people(governance, world, stage)
    const what = { root: this.#root, signals, cancel, score, givesWayAfter, patienceMs, people }
    const end = await new Conductor({ world, clock, runtime, ...what }).lead()
    await world.buried
    return { world, runtime, end }
  }

  #people(governance: GovernedRuntime['governance'], world: World, { changed }: Stage): People {
    const { votes = [], statements, changes = [], actor: user } = this.#options
    const outside = { journal: (run: RunId) => world.stream(runStream(run)), rest: () => world.rest() }
    return new People({ governance, root: this.#root, user, votes, statements, changes, changed, ...outside })
  }

  async #compare(last: Living, crashCount: number): Promise<string | undefined> {
    if (last.end.kind === 'stalled') return last.end.why
    const { facts, accepted, whole, found } = await this.#outcome(last)
    // Whatever happened to it, an auditor must find that each decision followed.
    if (found.length > 0) return `a replay of its governance finds: ${found.join(' ')}`
    const wasGone = (this.#options.downtimeMs ?? 0) > 0
    const difference =
      firstFamilyDifference(this.#reference?.facts ?? facts, facts) ??
      objectionToDoubts(this.#whole, { facts: whole, crashCount, wasGone })
    if (difference !== undefined || accepted === this.#accepted) return difference
    return `the destination accepted ${accepted} instead of ${this.#accepted}`
  }

  async #outcome({ runtime, world }: Living): Promise<Outcome> {
    const { items } = await runtime.runs({ idPrefix: this.#root, limit: 1_000 })
    const facts = new Map<RunId, readonly Fact[]>()
    const journals = new Map<RunId, readonly StoredEvent[]>()
    let whole: readonly Fact[] = []
    for (const { id } of [...items].reverse()) {
      const events = await runtime.run(id).events()
      verifyChain(runStream(id), emptyHead(runStream(id)), events)
      journals.set(id, events)
      const all = factsOf(events)
      facts.set(id, this.#options.contract === undefined ? all : settledFacts(all))
      if (id === this.#root) whole = all
    }
    const accepted = encodeValue((await this.#options.destination?.accepted()) ?? {}, {
      limits: defaultLimits,
      what: 'what the destination accepted',
    })
    const isGoverned = this.#options.contract !== undefined
    const found = isGoverned
      ? inWords(replayGovernance(await world.stream('governance' as StreamId), journals).findings)
      : []
    return { facts, whole, accepted, found }
  }
}

// The slow one goes on as if nothing had happened: whatever it still writes must be refused, and whatever it tells must have
// been told. Then it is gone.
async function wake(world: World, { withDispatches }: { readonly withDispatches: boolean }): Promise<void> {
  if (world.isDead || world.struck === undefined) return
  world.resume()
  for (let calm = 0; calm < 3; calm += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    const held = world.held.splice(0)
    // What one run has to tell another comes in its order: from a worker that is not replaced yet it would come too early.
    const released = held.filter(({ dispatchRank }) => withDispatches || dispatchRank === undefined)
    for (const item of released) item.release()
    if (world.rest() || released.length > 0 || !world.isQuiet) calm = 0
  }
  await world.end()
}

function objectionTo(struck: World | undefined): string | undefined {
  if (struck?.struck === undefined) return 'its fate never struck'
  return struck.usurpedCount > 0 ? 'a write of the slow worker was accepted after another had taken over' : undefined
}

function lastOf(lives: readonly Living[]): Living {
  return lives.at(-1) as Living
}
