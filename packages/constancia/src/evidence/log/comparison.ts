import {
  checkCosignature,
  checkNote,
  hexOf,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  utf8Of,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import { type Store, storeError } from '../../store/index.js'
import type { OutsidePlace } from '../index.js'
import { evidenceError } from '../index.js'
import type { Tell } from './errand.js'
import type { KeyLedger, LogKey } from './keys.js'
import { TileProofs } from './tree.js'

/** What the database is compared with. */
export interface ComparisonParts {
  readonly store: Store
  readonly mine: LogKey
  readonly ledger: KeyLedger
  readonly tell: Tell
}

/** A checkpoint that is kept outside, as its note says. */
interface KeptOutside {
  readonly size: number
  readonly rootHex: string
  /** By the operator's cosignature, UTC milliseconds since 1970. */
  readonly atMs: number
}

/**
 * Compares the log with the last checkpoint that each place has kept. Returns the size of the greatest one at each place, 0 where it is not known. Where
 * the log is behind one of them, or is another one, and no operator has accepted the database since, that is noted in its mark (`Store.hold`) and
 * told. Rejects with `invalid_evidence` where a place keeps checkpoints of another log, and with faults of the store; a place that is away is
 * told, and not compared.
 */
export async function compareOutside(parts: ComparisonParts, places: readonly OutsidePlace[]): Promise<number[]> {
  const sizes: number[] = []
  for (const place of places) sizes.push(await compareWith(parts, place))
  return sizes
}

async function compareWith(parts: ComparisonParts, place: OutsidePlace): Promise<number> {
  const { store, tell } = parts
  if (place.last === undefined) return (await store.log.state()).size
  let note: string | undefined
  try {
    note = await place.last()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    tell(
      'warn',
      `${place.name} cannot be read (${reason}). The database is not compared with the checkpoints that are kept there.`,
    )
    return 0
  }
  if (note === undefined) return 0
  const kept = await readKept(parts, place, note)
  const problem = await problemWith(store, kept)
  if (problem === undefined) return kept.size
  // What is kept there is of another history from some point on: all of this one is brought there beside it.
  if (await isAccepted(store, kept)) return 0
  const message =
    `${store.describe()} ${problem} It was restored from a backup, a server took over that did not have everything, or it is another database. Workers ` +
    'take no run and nothing is sealed: steps that ran after that would run again, and the log would contradict what others have seen of it. If the right database is ' +
    `elsewhere, connect to it and everything goes on. If this is what is left: constancia quarantine parks every open run and accepts it. (Compared with ${place.name}.)`
  await store.hold(message)
  tell('error', message)
  return kept.size
}

async function problemWith({ log }: Store, { size, rootHex }: KeptOutside): Promise<string | undefined> {
  const { size: found } = await log.state()
  if (found < size) return `has lost its newest part: its log has ${found} leaves, and one of ${size} was signed.`
  const root = hexOf(await new TileProofs(log).root(size))
  if (root === rootHex) return undefined
  return `has another history: of its first ${size} leaves the root is ${root.slice(0, 12)}…, and one of ${rootHex.slice(0, 12)}… was signed.`
}

// Whoever accepts a database after the checkpoint was made accepts that it is not there.
async function isAccepted(store: Store, { atMs }: KeptOutside): Promise<boolean> {
  const { terms } = await store.mark()
  return terms.some((term) => term.isAccepted && term.atMs >= atMs)
}

async function readKept({ ledger, mine }: ComparisonParts, place: OutsidePlace, text: string): Promise<KeptOutside> {
  const parsed = parseNote(utf8Of(text))
  const checkpoint = parsed.kind === 'note' ? parseCheckpoint(parsed.note.text) : undefined
  if (parsed.kind !== 'note' || checkpoint === undefined) throw misplaced(place, 'what is kept there is no checkpoint')
  if (checkpoint.origin !== mine.origin) throw misplaced(place, `it keeps checkpoints of the log ${checkpoint.origin}`)
  const known = [mine.key.text, ...ledger.keys.map(({ key }) => key)]
  for (const keyText of new Set(known)) {
    const key = await parseVerifierKey(nodeCrypto, keyText)
    if (key.kind === 'refused' || (await checkNote(nodeCrypto, parsed.note, key.key)) !== 'valid') continue
    const { seconds = 0 } = await checkCosignature(nodeCrypto, parsed.note, key.key)
    return { size: checkpoint.size, rootHex: hexOf(checkpoint.root), atMs: seconds * 1_000 }
  }
  throw misplaced(place, 'what is kept there is signed by no key of this log')
}

function misplaced(place: OutsidePlace, what: string): Error {
  return evidenceError(
    'invalid_evidence',
    `${place.name} cannot be used for this log: ${what}. Nothing was opened; name a place of this log's own.`,
  )
}

/** Rejects with `store_rolled_back` where it is noted in the database that it lost its newest part. */
export async function requireWhole(store: Store): Promise<void> {
  const { held } = await store.mark()
  if (held !== undefined) throw storeError('store_rolled_back', held)
}
