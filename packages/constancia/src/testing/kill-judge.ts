import { inspect } from 'node:util'
import { emptyHead, parseRunId, runStream, type StoredEvent, verifyChain } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import type { Diary } from './kill-diary.js'

/** What is found of one run when every process is gone. */
export interface FoundRun {
  /** Undefined where the store does not know the run. */
  readonly row: RunRow | undefined
  readonly events: readonly StoredEvent[]
}

/** What a round left: its runs by id, and what the destination accepted, by key. */
export interface Found {
  readonly runs: ReadonlyMap<string, FoundRun>
  readonly accepted: Readonly<Record<string, unknown>>
}

/** What is judged. */
export interface Case {
  readonly found: Found
  /** The round in which nobody was killed. */
  readonly expected: Found
  readonly diaries: readonly Diary[]
  /** Whether a run gives the same facts each time; if not, what its events carry is left out. */
  readonly repeatable: boolean
}

/** Every way in which a round is not what it must be, in words; empty if it is. */
export function judge(given: Case): string[] {
  const runs = [...given.found.runs].flatMap(([id, run]) => [
    ...judgeJournal(id, run),
    ...judgeOwners(id, run.events),
    ...judgeFacts(id, { run, expected: given.expected.runs.get(id), repeatable: given.repeatable }),
  ])
  return [...judgeAcknowledged(given), ...runs, ...judgeAccepted(given)]
}

// Whoever was told that something is stored finds it there, the very same.
function judgeAcknowledged({ diaries, found }: Case): string[] {
  const eventsOf = (run: string): readonly StoredEvent[] => found.runs.get(run)?.events ?? []
  const lost = diaries.flatMap(({ stored }) => stored.filter(({ run, seq, hash }) => eventsOf(run)[seq]?.hash !== hash))
  const unheard = diaries.flatMap(({ delivered }) =>
    delivered.filter(
      ({ run, delivery }) => eventsOf(run).filter((event) => deliveryOf(event) === delivery).length !== 1,
    ),
  )
  return [
    ...lost.map(
      ({ run, seq }) =>
        `event ${seq} of run ${run} was acknowledged, and is ${eventsOf(run)[seq] === undefined ? 'gone' : 'another one'}`,
    ),
    ...unheard.map(({ run, delivery }) => `delivery ${delivery} to run ${run} was acknowledged, and is not there once`),
  ]
}

function judgeJournal(id: string, { row, events }: FoundRun): string[] {
  if (row === undefined) return [`run ${id} is gone`]
  if (row.outcome === 'open') return [`run ${id} has not ended: it is ${row.status}${reasonOf(row)}`]
  const stream = runStream(parseRunId(id))
  try {
    const head = verifyChain(stream, emptyHead(stream), events)
    return head.hash === row.head.hash ? [] : [`the journal of run ${id} ends elsewhere than its row says`]
  } catch (error) {
    return [(error as Error).message]
  }
}

function reasonOf({ stuck, waitingFor }: RunRow): string {
  if (stuck !== undefined) return ` (${stuck.message})`
  return waitingFor.length === 0 ? '' : ` for ${waitingFor.map(({ kind, name }) => `${kind} "${name}"`).join(', ')}`
}

// Claims take turns: once another has written, an earlier one never does again.
function judgeOwners(id: string, events: readonly StoredEvent[]): string[] {
  let last = { claim: '', epoch: 0 }
  return events.flatMap(({ by, seq }) => {
    const owner = ownerOf(by)
    if (owner === undefined) return []
    const { claim, epoch } = last
    if (owner.epoch > epoch || owner.claim === claim) last = owner
    if (owner === last) return []
    return [
      `claim ${owner.claim} of epoch ${owner.epoch} wrote event ${seq} of run ${id} after claim ${claim} of epoch ${epoch} had`,
    ]
  })
}

function ownerOf(by: string): { readonly claim: string; readonly epoch: number } | undefined {
  const [, claim, epoch] = /^claim:(.+)@(\d+)$/.exec(by) ?? []
  return claim === undefined ? undefined : { claim, epoch: Number(epoch) }
}

interface FactsCase {
  readonly run: FoundRun
  readonly expected: FoundRun | undefined
  readonly repeatable: boolean
}

// Branches that run at once come in any order, so each op's facts are compared by themselves.
function judgeFacts(id: string, { run, expected, repeatable }: FactsCase): string[] {
  const wanted = factsByPlace(expected?.events ?? [], repeatable)
  const got = factsByPlace(run.events, repeatable)
  return [...new Set([...wanted.keys(), ...got.keys()])].flatMap((place) => {
    const [want, have] = [wanted.get(place) ?? 'nothing', got.get(place) ?? 'nothing']
    return want === have ? [] : [`run ${id} has, of ${place}, ${have} where the run that nobody killed has ${want}`]
  })
}

function factsByPlace(events: readonly StoredEvent[], repeatable: boolean): Map<string, string> {
  const facts = new Map<string, string>()
  for (const event of events) {
    const place = placeOf(event)
    const fact = `${event.kind} ${event.body} ${repeatable ? (event.data ?? '-') : ''}`.trim()
    const before = facts.get(place)
    facts.set(place, before === undefined ? fact : `${before}, ${fact}`)
  }
  return facts
}

function placeOf(event: StoredEvent): string {
  const { op, delivery } = JSON.parse(event.body) as { op?: string; delivery?: string }
  return op !== undefined ? `op ${op}` : delivery !== undefined ? `delivery ${delivery}` : event.kind
}

function deliveryOf(event: StoredEvent): string | undefined {
  return event.kind === 'SignalReceived' ? (JSON.parse(event.body) as { delivery: string }).delivery : undefined
}

function judgeAccepted({ found, expected, repeatable }: Case): string[] {
  const keys = new Set([...Object.keys(found.accepted), ...Object.keys(expected.accepted)])
  return [...keys].flatMap((key) => {
    const [got, wanted] = [found.accepted, expected.accepted].map((all) => textOf(all, key, repeatable))
    return got === wanted
      ? []
      : [`of key ${key} the destination has ${got} where it had ${wanted} when nobody was killed`]
  })
}

function textOf(all: Readonly<Record<string, unknown>>, key: string, withBody: boolean): string {
  if (!Object.hasOwn(all, key)) return 'nothing'
  return withBody ? inspect(all[key], { depth: 20, sorted: true }) : 'something'
}
