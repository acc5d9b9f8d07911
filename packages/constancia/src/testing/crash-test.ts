import { AssertionError } from 'node:assert'
import { type AnyFlow, days, type Flow, open, type Runtime } from '../engine/index.js'
import {
  defaultLimits,
  emptyHead,
  encodeValue,
  parseRunId,
  type RunId,
  runStream,
  verifyChain,
} from '../journal/index.js'
import { Conductor, type LifeEnd, type ScriptedSignal } from './conductor.js'
import { type CrashDisk, memoryCrashDisk, type NewCrashDisk, sqliteCrashDisk } from './crash-disk.js'
import { CrashReport, type TrialFailure, type TrialKind } from './crash-report.js'
import { type Fact, factsOf, firstDifference } from './facts.js'
import type { Destination } from './ledger.js'
import { ScriptedClock } from './scripted-clock.js'
import { type Fate, type PointKind, World } from './world.js'

/** What {@link crashTest} takes. */
export interface CrashTestOptions<Input> {
  readonly flow: Flow<Input, unknown>
  readonly input: Input
  /** Signals to send, in this order. */
  readonly signals?: readonly ScriptedSignal[]
  /** Where effects go; compared with the run without a crash. */
  readonly destination?: Destination
  /** In memory unless set. */
  readonly store?: 'memory' | 'sqlite' | NewCrashDisk
  /** Also crashes a second time at every place of every recovery. The number of trials is about squared. */
  readonly pairs?: boolean
  /** Also lets another worker take over from one that is slow but alive, at every place; true unless set. */
  readonly takeovers?: boolean
  /**
   * Scripted milliseconds that a process is gone, or slow, before the next one goes on; none unless set. With it, timers
   * come overdue, and what a flow makes of `ctx.now()` differs.
   */
  readonly downtimeMs?: number
  /** Real milliseconds that a step's function gets before the scripted clock moves on without it; 50 unless set. */
  readonly patienceMs?: number
}

// So long that only what is due, and hardly ever a heartbeat or a poll, moves the scripted clock.
const leaseMs = days(100)
const pollMs = days(300)

/**
 * Runs a flow once without a crash; then again for every place where its process can end, ends it there, resumes it, and
 * compares the facts of the journal, the run's end and what the destination accepted. A crash discards every object; the
 * resume opens a new handle on the store. Throws an `AssertionError` with the table if one trial differs, or if nothing was
 * tried. Time is scripted: a flow that sleeps for a month takes milliseconds.
 */
export async function crashTest<Input>(options: CrashTestOptions<Input>): Promise<CrashReport> {
  const kit = new CrashKit(options as CrashTestOptions<unknown>)
  const reference = await kit.reference()
  const report = new CrashReport(options.flow.name, reference.facts.length)
  const places = await kit.rehearse()
  for (let place = 0; place < places.length; place += 1) {
    const recovery = await kit.trial(report, { kind: 'crash', strikes: [place] })
    if (options.takeovers ?? true) {
      await kit.trial(report, { kind: 'takeover', strikes: [place], wakes: 'once taken over' })
      await kit.trial(report, { kind: 'takeover', strikes: [place] })
    }
    if (options.pairs !== true) continue
    for (let second = 0; second < recovery.length; second += 1)
      await kit.trial(report, { kind: 'pair', strikes: [place, second] })
  }
  if (report.triedCount > 0 && report.failures.length === 0) return report
  const shown = report.failures
    .slice(0, 5)
    .map((failure) => `  ${failure.trial} at ${failure.struckAt.join(' then ')} (${failure.place}): ${failure.why}`)
  throw new AssertionError({
    message: [report.triedCount === 0 ? 'Nothing was tried.' : report.table(), ...shown].join('\n'),
  })
}

/** A run as it comes out: what the trials are compared with. */
interface Outcome {
  readonly facts: readonly Fact[]
  readonly accepted: string
}

interface Life {
  readonly disk: CrashDisk
  readonly clock: ScriptedClock
  readonly number: number
  readonly strikeAt: number | undefined
  readonly fate: Fate
  readonly onOwner?: () => Promise<void>
}

interface Trial {
  readonly kind: TrialKind
  /** The places at which the fates of its lives strike, one after the other. */
  readonly strikes: readonly number[]
  /** When a slow life goes on: at once when another owns its run, or, unless set, when that one has ended it. */
  readonly wakes?: 'once taken over'
}

interface Living {
  readonly world: World
  readonly runtime: Promise<Runtime>
  readonly end: LifeEnd
}

class CrashKit {
  readonly #options: CrashTestOptions<unknown>
  readonly #newDisk: NewCrashDisk
  readonly #run: RunId = parseRunId('crash-test')
  #reference: Outcome | undefined

  constructor(options: CrashTestOptions<unknown>) {
    this.#options = options
    const { store = 'memory' } = options
    this.#newDisk = store === 'memory' ? memoryCrashDisk : store === 'sqlite' ? sqliteCrashDisk : store
  }

  /** The run without a crash. Throws an `AssertionError` if it does not end. */
  async reference(): Promise<Outcome> {
    this.#reference = await this.#onDisk(async (disk, lives) => {
      const living = await this.#live({
        disk,
        clock: new ScriptedClock(),
        number: 1,
        strikeAt: undefined,
        fate: 'crash',
      })
      lives.push(living)
      if (living.end.kind !== 'stalled') return this.#outcome(living)
      throw new AssertionError({ message: `The run without a crash does not end: ${living.end.why}.` })
    })
    return this.#reference
  }

  /** The same again, in the order of the first. Returns its places. Throws an `AssertionError` if the two differ. */
  rehearse(): Promise<readonly PointKind[]> {
    return this.#onDisk(async (disk, lives) => {
      const living = await this.#live({
        disk,
        clock: new ScriptedClock(),
        number: 1,
        strikeAt: undefined,
        fate: 'crash',
      })
      lives.push(living)
      const why = await this.#compare(living)
      if (why === undefined) return [...living.world.pointKinds]
      throw new AssertionError({ message: `Two runs without a crash differ, so none with a crash was tried: ${why}.` })
    })
  }

  /** One trial, added to the report. Returns the places of its last life. */
  trial(report: CrashReport, { kind, strikes, wakes }: Trial): Promise<readonly PointKind[]> {
    return this.#onDisk(async (disk, lives) => {
      const clock = new ScriptedClock()
      const fate = kind === 'takeover' ? 'pause' : 'crash'
      const onOwner = async (): Promise<void> => {
        for (const { world } of lives) if (wakes === 'once taken over') await this.#wake(world)
      }
      for (const strikeAt of [...strikes, undefined]) {
        if (lives.length > 0) clock.advance(this.#options.downtimeMs ?? 0)
        lives.push(await this.#live({ disk, clock, number: lives.length + 1, strikeAt, fate, onOwner }))
      }
      const [struck, last] = lives.slice(-2) as [Living, Living]
      const place = struck.world.struck
      if (kind === 'takeover') await this.#wake(struck.world)
      report.refusedCount += struck.world.refusedCount
      const why = objectionTo(struck.world) ?? (await this.#compare(last))
      const failure: TrialFailure | undefined =
        why === undefined ? undefined : { trial: kind, struckAt: strikes, place: place ?? 'around the start', why }
      report.add(kind, place ?? 'around the start', failure)
      return last.world.pointKinds
    })
  }

  // Whatever becomes of it, nothing stays behind: no handle, no timer, no file.
  async #onDisk<T>(play: (disk: CrashDisk, lives: Living[]) => Promise<T>): Promise<T> {
    await this.#options.destination?.reset()
    const disk = await this.#newDisk()
    const lives: Living[] = []
    try {
      return await play(disk, lives)
    } finally {
      for (const { world, runtime, end } of lives) await (end.kind === 'ended' ? (await runtime).close() : world.end())
      await disk.dispose()
    }
  }

  async #live(life: Life): Promise<Living> {
    const { disk, clock, number, strikeAt, fate, onOwner = async () => undefined } = life
    // Leases of the lives before ran out, one after the other.
    const silentMs = (number - 1) * (leaseMs + 1)
    const { factory } = disk
    const world = new World({ clock, factory, life: number, strikeAt, fate, silentMs, run: this.#run, onOwner })
    const { flow, input, signals = [], patienceMs = 50 } = this.#options
    const reference = this.#reference?.facts
    const runtime = open({
      store: world.factory,
      flows: [flow as AnyFlow],
      parts: world.parts,
      worker: { leaseMs, pollMs, name: `life-${number}` },
    })
    const opened = await runtime
    opened.start(flow, input, { id: this.#run }).catch(() => undefined)
    const run = opened.run(this.#run)
    const end = await new Conductor({ world, clock, run, signals, reference, patienceMs }).lead()
    await world.buried
    return { world, runtime, end }
  }

  // The slow one goes on as if nothing had happened: whatever it still writes must be refused. Then it is gone, lest it take
  // the run back.
  async #wake(world: World): Promise<void> {
    if (world.isDead || world.struck === undefined) return
    world.resume()
    for (let calm = 0; calm < 3; calm += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      const held = world.held.splice(0)
      for (const item of held) item.release()
      if (world.rest() || held.length > 0 || !world.isQuiet) calm = 0
    }
    await world.end()
  }

  async #compare(last: Living): Promise<string | undefined> {
    if (last.end.kind === 'stalled') return last.end.why
    const outcome = await this.#outcome(last)
    const expected = this.#reference ?? outcome
    const difference = firstDifference(expected.facts, outcome.facts)
    if (difference !== undefined) return difference
    return expected.accepted === outcome.accepted
      ? undefined
      : `the destination accepted ${outcome.accepted} instead of ${expected.accepted}`
  }

  async #outcome(living: Living): Promise<Outcome> {
    const stream = runStream(this.#run)
    const events = await (await living.runtime).run(this.#run).events()
    verifyChain(stream, emptyHead(stream), events)
    const accepted = encodeValue((await this.#options.destination?.accepted()) ?? {}, {
      limits: defaultLimits,
      what: 'what the destination accepted',
    })
    return { facts: factsOf(events), accepted }
  }
}

function objectionTo(world: World): string | undefined {
  if (world.struck === undefined) return 'its fate never struck'
  return world.usurpedCount > 0 ? 'a write of the slow worker was accepted after another had taken over' : undefined
}
