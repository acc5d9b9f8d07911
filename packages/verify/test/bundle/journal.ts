import { readFileSync } from 'node:fs'
import { Log } from './log.js'

/** An event of a journal that a real runtime has written, without what chains it. */
export interface Written {
  kind: string
  at: number
  by: string
  seen: string
  body: string
  data?: string
}

/** Journals, by stream; `governance` first. */
export type Journals = { readonly stream: string; events: Written[] }[]

/** The journals of a governed run that really ran. They stand in `fixtures`. */
export function journals(name: string): Journals {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8')) as Journals
}

/**
 * A log in which these journals were written. A key comes first, so that every event of governance is one place further; what writers have seen
 * goes with it. Everything is sealed at the end, in one go.
 */
export function logOf(given: Journals): Log {
  const log = new Log({ nowMs: given[0]!.events[0]!.at - 1_000 })
  for (const { stream, events } of given)
    for (const { kind, at, by, seen, body, data } of events)
      log.append(stream, kind, body, { at, by, seen: seenAnew(log, seen), ...(data === undefined ? {} : { data }) })
  log.nowMs = Math.max(...given.flatMap(({ events }) => events.map(({ at }) => at))) + 1_000
  log.seal()
  return log
}

function seenAnew(log: Log, seen: string): string {
  const seq = /^(?<seq>\d+):/.exec(seen)?.groups?.['seq']
  const head = log.streams.get('governance')?.[seq === undefined ? 0 : Number(seq) + 1]
  // One that is not there yet stays as it is: somebody has changed the journals.
  return head === undefined ? seen : `${head.seq}:${head.hash}/-`
}

/** Changes the body of an event, as JSON. */
export function rebody(event: Written, change: Record<string, unknown>): void {
  event.body = JSON.stringify({ ...(JSON.parse(event.body) as object), ...change })
}
