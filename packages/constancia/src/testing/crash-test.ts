import { AssertionError } from 'node:assert'
import { CrashKit } from './crash-kit.js'
import type { CrashTestOptions } from './crash-options.js'
import { CrashReport } from './crash-report.js'
import type { PointKind } from './places.js'

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
  ['ActionCompleted', 'between an effect and its append'],
  ['SignalReceived', 'around a signal'],
  ['ApprovalVoted', 'around a vote'],
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
