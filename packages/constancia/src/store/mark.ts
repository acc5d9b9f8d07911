import type { RunId } from '../journal/index.js'

/** A stretch of a database's life: it begins when another server begins to serve it, and when an operator accepts it as it is. */
export interface Term {
  /** Nobody else's. */
  readonly id: string
  /** Who served it; compared with {@link Mark.server}, never read. Empty in the first, before anybody pulsed. */
  readonly server: string
  /** Pulses in it so far. */
  readonly pulse: number
  /** When the last of them was, or when it began; the database's clock, UTC milliseconds since 1970. */
  readonly atMs: number
  /** Whether it began with {@link Store.quarantine}. */
  readonly isAccepted: boolean
}

/** Where a database stands: what is kept of it elsewhere is compared with that. */
export interface Mark {
  /** Oldest first, at least one. The id of the first is that of the database. */
  readonly terms: readonly Term[]
  /** Who serves it now: another text once the server was started again, promoted or replaced. */
  readonly server: string
  /** What was found missing, since the last term began; undefined where nobody has found anything. */
  readonly held: string | undefined
}

/** What somebody outside the database knows of it. */
export interface KnownMark {
  /** Id of its first term. */
  readonly database: string
  /** Id of the term that was the last one. */
  readonly term: string
  readonly pulse: number
  readonly atMs: number
}

/** An event that was acknowledged. */
export interface NotedHead {
  readonly run: RunId
  readonly seq: number
  /** Hexadecimal; undefined where only the place is known. */
  readonly hash: string | undefined
}

/** What is known of a database once it was seen. */
export function knownOf({ terms }: Mark): KnownMark {
  const [first, last] = [terms[0], terms.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError('a mark has at least one term')
  return { database: first.id, term: last.id, pulse: last.pulse, atMs: last.atMs }
}

/** How a database compares with what is known of it. */
export type Standing =
  /** It has all that was known. */
  | 'level'
  /** Whether it has or not: an operator has accepted it since. */
  | 'accepted'
  | 'behind'
  | 'another'

/**
 * Compares. A pulse that is there proves that everything acknowledged before it is; and as each server counts in a term of its
 * own, pulses that came later never stand in for one that was lost.
 */
export function standingOf(known: KnownMark, found: Mark): Standing {
  if (found.terms[0]?.id !== known.database) return 'another'
  const place = found.terms.findIndex(({ id }) => id === known.term)
  // Whoever accepts a database accepts it as it is then, also where no pulse is missing but events after the last one are.
  if (place >= 0 && found.terms.slice(place + 1).some(({ isAccepted }) => isAccepted)) return 'accepted'
  const term = found.terms[place]
  if (term !== undefined && term.pulse >= known.pulse) return 'level'
  return found.terms.some(({ isAccepted, atMs }) => isAccepted && atMs >= known.atMs) ? 'accepted' : 'behind'
}
