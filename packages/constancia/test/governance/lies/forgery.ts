import { chainDrafts, emptyHead, headOf, nothingSeen, type StoredEvent, seenOf } from '../../../dist/journal/index.js'
import type { Journals } from '../replayed.js'

// biome-ignore lint/suspicious/noExplicitAny: whoever lies writes what they like.
type Body = any

/** An event that can be changed. `seen` is the position in the governance stream. */
export interface Loose {
  kind: string
  at: number
  by: string
  seen: number
  body: Body
  data: string | undefined
}

/** Journals in the hands of somebody who can write anything, and chains it anew so that no hash betrays it. */
export class Forgery {
  readonly law: Loose[]
  readonly run: Loose[]

  constructor(journals: Journals) {
    this.law = (journals.get('governance') ?? []).map(loose)
    this.run = (journals.get('run/r') ?? []).map(loose)
  }

  /** An event of the run: the last of this kind, or the one with this number among them, from 0. */
  event(kind: string, nth?: number): Loose {
    return found(this.run, kind, nth)
  }

  /** An event of the governance stream, in the same way. */
  change(kind: string, nth?: number): Loose {
    return found(this.law, kind, nth)
  }

  /** The one that gives this role to this principal. */
  grantOf(principal: string, role: string): Loose {
    const event = this.law.find(
      ({ kind, body }) => kind === 'RoleGranted' && body.principal === principal && body.role === role,
    )
    if (event === undefined) throw new Error(`Nobody gave ${role} to ${principal}.`)
    return event
  }

  /** Takes events away. */
  drop(...events: readonly Loose[]): void {
    for (const event of events) this.run.splice(this.run.indexOf(event), 1)
  }

  /** Puts a copy with these changes right behind an event; it is of the same moment unless it says otherwise. */
  insert(behind: Loose, changes: Partial<Loose>): Loose {
    const made = { ...structuredClone(behind), ...changes }
    this.run.splice(this.run.indexOf(behind) + 1, 0, made)
    return made
  }

  /** The law was changed before this event of the run, which and all that follow it know that. */
  lawBefore(event: Loose, change: Pick<Loose, 'kind' | 'body'> & Partial<Loose>): Loose {
    const made = this.#changeBehind(event.seen, { at: event.at, by: 'principal:root', data: undefined, ...change })
    for (const later of this.run.slice(this.run.indexOf(event))) later.seen = Math.max(later.seen, event.seen + 1)
    return made
  }

  /** The law was changed behind this position; no event of a run knows it that did not know later ones. */
  #changeBehind(seen: number, change: Omit<Loose, 'seen'>): Loose {
    for (const event of this.run) if (event.seen > seen) event.seen += 1
    for (const event of this.law) if (event.seen > seen) event.seen += 1
    const made = { ...change, seen }
    this.law.splice(seen + 1, 0, made)
    for (const event of this.law.slice(seen + 2)) event.seen = Math.max(event.seen, seen + 1)
    return made
  }

  /** A change of the law that is the last one. */
  adds(change: Pick<Loose, 'kind' | 'body'> & Partial<Loose>): Loose {
    const last = this.law.at(-1) as Loose
    const made = { at: last.at + 1_000, by: 'principal:root', data: undefined, seen: this.law.length - 1, ...change }
    this.law.push(made)
    return made
  }

  /** Moves everything from this event of the run on to later, and what came of it. */
  later(event: Loose, byMs: number): void {
    for (const one of this.run.slice(this.run.indexOf(event))) one.at += byMs
  }

  /** Where an event is. */
  placeOf(event: Loose): { readonly stream: string; readonly seq: number } {
    const inRun = this.run.indexOf(event)
    if (inRun >= 0) return { stream: 'run/r', seq: inRun }
    return { stream: 'governance', seq: this.law.indexOf(event) }
  }

  /** Journals whose hashes all fit. */
  journals(): Journals {
    const law = chained('governance', this.law, [])
    return new Map([
      ['governance', law],
      ['run/r', chained('run/r', this.run, law)],
    ])
  }
}

function loose({ kind, at, by, seen, body, data }: StoredEvent): Loose {
  return { kind, at, by, seen: Number(/^(\d+):/.exec(seen)?.[1] ?? -1), body: JSON.parse(body), data }
}

function found(events: readonly Loose[], kind: string, nth?: number): Loose {
  const all = events.filter((event) => event.kind === kind)
  const event = nth === undefined ? all.at(-1) : all[nth]
  if (event === undefined) throw new Error(`There is no ${kind} to lie about.`)
  return event
}

function chained(stream: string, events: readonly Loose[], law: readonly StoredEvent[]): StoredEvent[] {
  const made: StoredEvent[] = []
  for (const { kind, at, by, seen, body, data } of events) {
    const known = (stream === 'governance' ? made : law)[seen]
    const provenance = {
      stream: stream as never,
      nowMs: at,
      by,
      seen: known === undefined ? nothingSeen : seenOf(headOf(known)),
      salt: () => new Uint8Array(16),
    }
    const last = made.at(-1)
    const head = last === undefined ? emptyHead(stream as never) : headOf(last)
    made.push(...chainDrafts(head, [{ kind, body: JSON.stringify(body), data }], provenance))
  }
  return made
}
