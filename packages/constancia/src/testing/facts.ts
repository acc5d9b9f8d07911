import type { RunId, StoredEvent } from '../journal/index.js'

/** What two histories of the same run must agree on, byte for byte: no times, authors, salts or hashes. */
export interface Fact {
  readonly seq: number
  readonly kind: string
  readonly body: string
  readonly data: string | undefined
}

/** The facts of a run and of all that came of it: its children, theirs, and the runs that took over. */
export type FamilyFacts = ReadonlyMap<RunId, readonly Fact[]>

/** The facts of a journal. */
export function factsOf(events: readonly StoredEvent[]): Fact[] {
  return events.map(({ seq, kind, body, data }) => ({ seq, kind, body, data }))
}

/** Where two histories part, in words; undefined if they agree. */
export function firstDifference(expected: readonly Fact[], found: readonly Fact[]): string | undefined {
  for (let seq = 0; seq < Math.max(expected.length, found.length); seq += 1) {
    const wanted = describeFact(expected[seq])
    const got = describeFact(found[seq])
    if (wanted !== got) return `event ${seq} is ${got} where the run without a crash has ${wanted}`
  }
  return undefined
}

/** Where two histories of a family part, in words; undefined if they agree, run by run. */
export function firstFamilyDifference(expected: FamilyFacts, found: FamilyFacts): string | undefined {
  for (const run of new Set([...expected.keys(), ...found.keys()])) {
    const difference = firstDifference(expected.get(run) ?? [], found.get(run) ?? [])
    if (difference !== undefined) return expected.size === 1 ? difference : `in run ${run}, ${difference}`
  }
  return undefined
}

function describeFact(fact: Fact | undefined): string {
  return fact === undefined ? 'missing' : `${fact.kind} ${fact.body} ${fact.data ?? '-'}`
}
