import { bodyOf, type Kind, type RunId, type StoredEvent } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import { durationText, momentText } from './durations.js'
import { quoted } from './rows.js'
import { printable } from './text.js'
import { tellGoverned } from './timeline-governance.js'
import type { Mood, Told } from './told.js'
import { dataLine } from './values.js'

/** One event of a run as people follow it. */
export interface Entry {
  readonly seq: number
  readonly kind: string
  readonly atMs: number
  /** Milliseconds since the run was started, and since the event before. */
  readonly sinceStartMs: number
  readonly sinceLastMs: number
  /** The op that it is about, where it is about one. */
  readonly op: string | undefined
  /** What happened. */
  readonly text: string
  /** What it carries, abbreviated. */
  readonly data: string
  readonly mood: Mood
  readonly by: string
  /** The claim whose owner wrote it; undefined for what came from outside. */
  readonly claim: number | undefined
  /** Later claims: their owners took it from the journal and did not execute it. */
  readonly reReadBy: readonly number[]
  /** Of a signal: whether the flow has taken it; undefined where the journal does not tell. */
  readonly isRead?: boolean | undefined
  /** Of a call: the child. */
  readonly child?: RunId
}

/** Tells a journal as entries, one for each event. Pure. */
export function timelineOf(events: readonly StoredEvent[], row: RunRow): Entry[] {
  const claims = claimsOf(events, row)
  const names = new Map<string, string>()
  const readSignals = readSignalsOf(events, row)
  const startMs = events[0]?.at ?? 0
  return events.map((event, index) => {
    const told = tell(event, names)
    const claim = claimOf(event)
    return {
      seq: event.seq,
      kind: event.kind,
      atMs: event.at,
      sinceStartMs: event.at - startMs,
      sinceLastMs: event.at - (events[index - 1]?.at ?? event.at),
      op: opOf(event),
      text: told.text,
      data: told.data ?? dataLine(event),
      mood: told.mood,
      by: event.by,
      claim,
      reReadBy: claims
        .filter((later) => later.sinceSeq > event.seq && later.epoch !== claim)
        .map((later) => later.epoch),
      ...(event.kind === 'SignalReceived' ? { isRead: readSignals(event) } : {}),
      ...(event.kind === 'ChildStarted' ? { child: bodyOf(event, 'ChildStarted').child } : {}),
    }
  })
}

interface Claimed {
  readonly epoch: number
  /** Where its owner wrote first; what is before that it had read. */
  readonly sinceSeq: number
}

// Only claims whose owners wrote are seen in a journal. What the others read is not known, and the last one is in the row.
function claimsOf(events: readonly StoredEvent[], row: RunRow): Claimed[] {
  const claims: Claimed[] = []
  for (const event of events) {
    const epoch = claimOf(event)
    if (epoch !== undefined && epoch !== claims.at(-1)?.epoch) claims.push({ epoch, sinceSeq: event.seq })
  }
  const last = claims.at(-1)?.epoch ?? 0
  if (row.claim !== undefined && row.epoch > last) claims.push({ epoch: row.epoch, sinceSeq: events.length })
  return claims
}

/** The epoch of the claim whose owner wrote an event; undefined for what came from outside. */
export function claimOf(event: Pick<StoredEvent, 'by'>): number | undefined {
  const epoch = /^claim:.*@(\d+)$/.exec(event.by)?.[1]
  return epoch === undefined ? undefined : Number(epoch)
}

// A flow takes the signals of one name in their order. How many it took is known, but not of which name.
function readSignalsOf(events: readonly StoredEvent[], row: RunRow): (event: StoredEvent) => boolean | undefined {
  const signals = events.filter((event) => event.kind === 'SignalReceived')
  if (row.readSignalCount >= row.signalCount) return () => true
  if (row.readSignalCount === 0) return () => false
  const names = new Set(signals.map((event) => bodyOf(event, 'SignalReceived').name))
  if (names.size > 1) return () => undefined
  const read = new Set(signals.slice(0, row.readSignalCount))
  return (event) => read.has(event)
}

function opOf(event: StoredEvent): string | undefined {
  const { op } = JSON.parse(event.body) as { op?: unknown }
  return typeof op === 'string' ? op : undefined
}

type Teller = (event: StoredEvent, names: Map<string, string>) => Told

function tell(event: StoredEvent, names: Map<string, string>): Told {
  const teller = Object.hasOwn(tellers, event.kind) ? tellers[event.kind as Kind] : undefined
  const governed = teller === undefined ? tellGoverned(event) : undefined
  if (governed !== undefined) return governed
  return teller === undefined ? { text: printable(`${event.kind} ${event.body}`), mood: 'plain' } : teller(event, names)
}

const tellers: Readonly<Record<Kind, Teller>> = {
  FlowStarted: (event) => {
    const { flow, version, continues, parent } = bodyOf(event, 'FlowStarted')
    const from =
      continues !== undefined ? `, going on from ${continues}` : parent === undefined ? '' : `, called by ${parent.run}`
    return { text: `started ${flow}@${version}${from}`, mood: 'begin' }
  },
  StepCompleted: (event) => {
    const { name, attempt } = bodyOf(event, 'StepCompleted')
    return { text: `step ${quoted(name)} done${attempt > 1 ? ` (attempt ${attempt})` : ''}`, mood: 'good' }
  },
  StepAttemptFailed: (event) => {
    const { name, attempt, code, delayMs } = bodyOf(event, 'StepAttemptFailed')
    const data = `${dataLine(event)}${codeNote(code)}; next after ${durationText(delayMs)}`
    return { text: `step ${quoted(name)} attempt ${attempt} failed`, data, mood: 'bad' }
  },
  StepFailed: (event) => {
    const { name, attempt, code, reason } = bodyOf(event, 'StepFailed')
    const why = reason === 'attempts_used_up' ? `after ${attempt} attempts` : `(${reason.replaceAll('_', ' ')})`
    return { text: `step ${quoted(name)} failed ${why}`, data: `${dataLine(event)}${codeNote(code)}`, mood: 'bad' }
  },
  TimerSet: (event, names) => {
    const { op, verb, name, timer } = bodyOf(event, 'TimerSet')
    const until = 'untilMs' in timer ? timer.untilMs : event.at + timer.afterMs
    const length = durationText(until - event.at)
    names.set(op, verb === 'sleep' ? 'sleep' : `signal ${quoted(name)}`)
    const text = verb === 'sleep' ? `sleeps ${length}` : `waits ${length} at most for signal ${quoted(name)}`
    return { text: `${text}, until ${momentText(until)}`, mood: 'wait' }
  },
  TimerFired: (event, names) => {
    const what = names.get(bodyOf(event, 'TimerFired').op) ?? 'sleep'
    return { text: what === 'sleep' ? 'sleep is over' : `no ${what} came in time`, mood: 'good' }
  },
  SignalReceived: (event) => ({
    text: `signal ${quoted(bodyOf(event, 'SignalReceived').name)} arrived`,
    mood: 'plain',
  }),
  ChildStarted: (event) => {
    const { flow, version, child } = bodyOf(event, 'ChildStarted')
    return { text: `calls ${flow}@${version} as ${child}`, mood: 'wait' }
  },
  ChildCancelRequested: (event) => ({
    text: `asks ${bodyOf(event, 'ChildCancelRequested').child} to end`,
    mood: 'plain',
  }),
  ChildEnded: (event) => {
    const { outcome, restricts } = bodyOf(event, 'ChildEnded')
    const decided = restricts === true ? '; people decided something in it' : ''
    return { text: `child ${outcome}${decided}`, mood: outcome === 'completed' ? 'good' : 'bad' }
  },
  CancelRequested: () => ({ text: 'cancelling was asked for', mood: 'bad' }),
  RetryRequested: (event) => {
    const { note } = bodyOf(event, 'RetryRequested')
    return { text: 'to be tried again', data: printable(note), mood: 'plain' }
  },
  FlowCompleted: (event) => ({ text: `completed${unawaitedText(event)}`, mood: 'good' }),
  FlowFailed: (event) => {
    const data = `${dataLine(event)}${codeNote(bodyOf(event, 'FlowFailed').code)}`
    return { text: `failed${unawaitedText(event)}`, data, mood: 'bad' }
  },
  FlowCancelled: (event) => {
    const { code, forced } = bodyOf(event, 'FlowCancelled')
    const how =
      forced === true
        ? ' by force, without its clean-up'
        : code === undefined
          ? ''
          : `, but its clean-up failed [${printable(code)}]`
    return { text: `cancelled${how}`, mood: 'bad' }
  },
  FlowContinued: (event) => ({ text: `goes on as ${bodyOf(event, 'FlowContinued').next}`, mood: 'good' }),
}

// `error` is the code of errors that have none.
function codeNote(code: string): string {
  return code === 'error' ? '' : ` [${printable(code)}]`
}

function unawaitedText(event: StoredEvent): string {
  const { unawaited } = JSON.parse(event.body) as { unawaited?: readonly string[] }
  return unawaited === undefined ? '' : `; failed and never awaited: op ${unawaited.join(', ')}`
}
