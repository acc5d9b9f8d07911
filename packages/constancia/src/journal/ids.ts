import { journalError } from './errors.js'

declare const brand: unique symbol

/** Names one run, within one store. */
export type RunId = string & { readonly [brand]: 'RunId' }
/** Names one append-only sequence of events: `run/<id>`. */
export type StreamId = string & { readonly [brand]: 'StreamId' }
/** Names one claim: fresh for each claim, never used again. */
export type ClaimId = string & { readonly [brand]: 'ClaimId' }
/** The place of an op in its flow: `0`, `1`, `3.0.1`. */
export type OpId = string & { readonly [brand]: 'OpId' }

const idPattern = /^[A-Za-z0-9._:~-]{1,200}$/

/** Reads an id from outside. Throws `invalid_id` unless it is 1 to 200 of the characters `A-Z a-z 0-9 . _ : ~ -`. */
export function parseRunId(text: unknown): RunId {
  return checkId(text, 'run id') as RunId
}

/** Reads the id of a delivery or a principal from outside. Throws `invalid_id`; see {@link parseRunId}. */
export function checkId(text: unknown, what: string): string {
  if (typeof text === 'string' && idPattern.test(text)) return text
  const shown = typeof text === 'string' ? JSON.stringify(text.slice(0, 80)) : `a ${typeof text}`
  throw journalError(
    'invalid_id',
    `A ${what} is 1 to 200 of the characters A-Z a-z 0-9 . _ : ~ -, but it was ${shown}. Nothing was done; choose another.`,
  )
}

/** The stream that holds a run's journal. */
export function runStream(run: RunId): StreamId {
  return `run/${run}` as StreamId
}

/** The id of the run that an op of another one starts: `<parent>~<op>`. Throws `invalid_id` where that is too long. */
export function childRunId(parent: RunId, op: OpId): RunId {
  return parseRunId(`${parent}~${op}`)
}

const continuation = /~r([1-9][0-9]{0,8})$/

/** The id of the run that takes over from this one: `<root>~r1`, `<root>~r2`. Throws `invalid_id` where that is too long. */
export function nextRunId(run: RunId): RunId {
  return parseRunId(`${rootRunId(run)}~r${Number(continuation.exec(run)?.[1] ?? 0) + 1}`)
}

/** The first of a line of runs that took over from each other; the run itself if it took over from none. */
export function rootRunId(run: RunId): RunId {
  return run.replace(continuation, '') as RunId
}
