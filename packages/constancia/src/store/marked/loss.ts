import type { ConstanciaError, RunId } from '../../journal/index.js'
import { storeError } from '../errors.js'
import { type KnownMark, type Mark, type NotedHead, standingOf } from '../mark.js'
import type { Store } from '../store.js'

/** What a database has lost, as far as anybody knows. */
export interface Loss {
  readonly kind: /** It is at an earlier pulse than the one that is known. */
    | 'behind'
    /** It has every pulse that is known, and lacks events that were acknowledged after the last of them. */
    | 'missing'
    /** Somebody else has noticed. */
    | 'held'
    /** It is not the database that the mark is of. */
    | 'another'
    /** Its file was put away under this process. */
    | 'replaced'
  /** What was lost, what it means for the runs, what to do. */
  readonly message: string
  /** Everything acknowledged up to this moment is there, UTC milliseconds since 1970; undefined where nobody knows one. */
  readonly wholeUntilMs: number | undefined
  /** Acknowledged events that are known to be missing. There may be others. */
  readonly missing: readonly NotedHead[]
}

/** What tells of a loss. */
export interface Evidence {
  /** How people know the database. */
  readonly place: string
  /** What knows better: a file, or this process. */
  readonly source: string
  readonly known: KnownMark
  readonly found: Mark
  readonly missing: readonly NotedHead[]
}

/** What somebody else has noticed; see `Store.hold`. */
export async function heldLoss(store: Store): Promise<Loss | undefined> {
  const { held } = await store.mark()
  return held === undefined ? undefined : heldBy(held)
}

const consequence =
  'Workers take no run and nothing is written: steps that ran after that would run again. If the right database is elsewhere, connect ' +
  'to it and everything goes on. If this is what is left: constancia quarantine parks every open run, and constancia retry lets one go on once ' +
  'somebody has looked what it did.'

/** Tells what a comparison means; undefined where nothing is missing, or an operator has accepted that. */
export function lossOf(evidence: Evidence): Loss | undefined {
  const { found, known, missing } = evidence
  const standing = standingOf(known, found)
  if (standing === 'another') return another(evidence)
  if (standing === 'behind') return behind(evidence)
  if (standing === 'level' && missing.length > 0) return lacking(evidence)
  return found.held === undefined ? undefined : heldBy(found.held)
}

function heldBy(message: string): Loss {
  return { kind: 'held', message, wholeUntilMs: undefined, missing: [] }
}

function behind({ place, source, known, found, missing }: Evidence): Loss {
  const wholeUntilMs = wholeUntil(known, found)
  const message =
    `${place} has lost its newest part: ${source} knows of what was stored until ${momentOf(known.atMs)}, and the database of nothing ` +
    `after ${momentOf(wholeUntilMs)}. It was restored from a backup, or a server took over that did not have everything. ` +
    `${missingText(missing)}${consequence}`
  return { kind: 'behind', message, wholeUntilMs, missing }
}

function lacking({ place, known, missing }: Evidence): Loss {
  const message =
    `${place} has lost events that were acknowledged after ${momentOf(known.atMs)}. A server took over that did not have everything, or ` +
    `the database was restored. ${missingText(missing)}${consequence}`
  return { kind: 'missing', message, wholeUntilMs: known.atMs, missing }
}

function another({ place, source, known }: Evidence): Loss {
  const message =
    `${place} is not the database that ${source} belongs to: that one is ${known.database}. It was replaced by another one, or the mark is of ` +
    `another project. ${consequence} If the mark is of another project, name another file for this one.`
  return { kind: 'another', message, wholeUntilMs: undefined, missing: [] }
}

const namedMax = 10

function missingText(missing: readonly NotedHead[]): string {
  if (missing.length === 0) return ''
  const named = missing.slice(0, namedMax).map(({ run, seq }) => `run ${run} (event ${seq})`)
  const rest = missing.length > namedMax ? [`at least ${missing.length - namedMax} more`] : []
  return `Known to be missing: ${[...named, ...rest].join(', ')}. `
}

// The last pulse that it has of those that are known; others may have come since, from whoever did not notice.
function wholeUntil({ term, atMs }: KnownMark, { terms }: Mark): number | undefined {
  const same = terms.find(({ id }) => id === term)
  return (same ?? terms.filter((one) => one.atMs <= atMs).at(-1))?.atMs
}

function momentOf(ms: number | undefined): string {
  return ms === undefined ? 'an unknown moment' : new Date(ms).toISOString()
}

/** What every write is refused with. */
export function lossError({ message }: Loss): ConstanciaError {
  return storeError('store_rolled_back', message)
}

/** What is said of runs that are parked for a loss. */
export function parkedBecause(loss: Loss | undefined): string {
  const since =
    loss?.wholeUntilMs === undefined ? 'its newest part' : `what was acknowledged after ${momentOf(loss.wholeUntilMs)}`
  return (
    `The database lost ${since}, and an operator accepted it as it was. Effects of this run after that may have happened, and its journal does ` +
    'not know of them: going on, it would do them again, with the same keys. Look what it did, then retry it; or cancel it.'
  )
}

/** Orders heads by run, so that texts are the same each time. */
export function byRun(heads: Iterable<NotedHead>): NotedHead[] {
  const name = ({ run }: NotedHead): RunId => run
  return [...heads].sort((a, b) => (name(a) < name(b) ? -1 : 1))
}
