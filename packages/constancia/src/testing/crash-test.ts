import { AssertionError } from 'node:assert'
import type { AnyFlow, Flow } from '../engine/index.js'
import type { NewCrashDisk } from './crash-disk.js'
import { CrashKit } from './crash-kit.js'
import { CrashReport } from './crash-report.js'
import type { Destination } from './ledger.js'
import type { PointKind } from './places.js'
import type { AddressedSignal, ScriptedCancel } from './script.js'

/** What {@link crashTest} takes. */
export interface CrashTestOptions<Input> {
  readonly flow: Flow<Input, unknown>
  readonly input: Input
  /** Other flows that the process has: those of children, and those that a run continues as. */
  readonly flows?: readonly AnyFlow[]
  /** Signals to send, in this order. */
  readonly signals?: readonly AddressedSignal[]
  /** Cancels the run; every life that follows does so again. */
  readonly cancel?: ScriptedCancel
  /** New code comes while the run is under way. */
  readonly upgrade?: Upgrade
  /** Where effects go; compared with the run without a crash. */
  readonly destination?: Destination
  /** In memory unless set. */
  readonly store?: 'memory' | 'sqlite' | NewCrashDisk
  /** Also crashes a second time at every place of every recovery. The number of trials is about squared. */
  readonly pairs?: boolean
  /** Of the pairs, only every n-th is tried, evenly over all places; each of them unless set. */
  readonly everyNthPair?: number
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

/** New code: the process ends, and those that follow have these flows instead of the ones before. */
export interface Upgrade {
  /** It comes when the run's journal, those of runs that took over included, has so many events. */
  readonly afterEvents: number
  readonly flows: readonly AnyFlow[]
}

/**
 * Runs a flow once without a crash; then again for every place where its process can end, ends it there, resumes it, and
 * compares what came of it: the facts of its journal and of those of its children, theirs, and the runs that took over, their
 * ends, and what the destination accepted. A crash discards every object; the resume opens a new handle on the store. A trial
 * is over when every run has ended and no run has anything to tell another. Throws an `AssertionError` with the table if one
 * trial differs, if nothing was tried, or if a kind of place that such a run has was never struck. Time is scripted: a flow
 * that sleeps for a month takes milliseconds.
 */
export async function crashTest<Input>(options: CrashTestOptions<Input>): Promise<CrashReport> {
  const kit = new CrashKit(options as CrashTestOptions<unknown>)
  const reference = await kit.reference()
  const report = new CrashReport(options.flow.name, reference)
  const places = await kit.rehearse()
  for (let place = 0; place < places.length; place += 1) {
    const recovery = await kit.trial(report, { kind: 'crash', strikes: [place] })
    if (options.takeovers ?? true) {
      await kit.trial(report, { kind: 'takeover', strikes: [place], wakes: 'once taken over' })
      await kit.trial(report, { kind: 'takeover', strikes: [place] })
    }
    if (options.pairs !== true) continue
    const step = options.everyNthPair ?? 1
    for (let second = place % step; second < recovery.length; second += step)
      await kit.trial(report, { kind: 'pair', strikes: [place, second] })
  }
  const gaps = gapsOf(report)
  if (report.failures.length === 0 && gaps.length === 0) return report
  const shown = report.failures
    .slice(0, 5)
    .map((failure) => `  ${failure.trial} at ${failure.struckAt.join(' then ')} (${failure.place}): ${failure.why}`)
  throw new AssertionError({ message: [report.table(), ...gaps, ...shown].join('\n') })
}

// Kinds of events that only come with a place of this kind.
const placesOf: readonly (readonly [kind: string, place: PointKind])[] = [
  ['FlowStarted', 'around the start'],
  ['StepCompleted', 'between an effect and its append'],
  ['SignalReceived', 'around a signal'],
  ['ChildStarted', 'around a dispatch'],
]

/** What the trials left out, in words. */
function gapsOf(report: CrashReport): string[] {
  const facts = [...report.facts.values()].flat()
  if (report.triedCount === 0) return ['Nothing was tried.']
  const struck = new Set(report.counts.filter(({ trial }) => trial === 'crash').map(({ place }) => place))
  return placesOf
    .filter(([kind, place]) => facts.some((fact) => fact.kind === kind) && !struck.has(place))
    .map(([kind, place]) => `The run has ${kind}, but no crash struck ${place}.`)
}
