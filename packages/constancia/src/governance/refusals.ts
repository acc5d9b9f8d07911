import {
  type ConstanciaError,
  decodeValue,
  encodeValue,
  type Limits,
  type StoredEvent,
  type StreamId,
} from '../journal/index.js'
import type { Store } from '../store/index.js'
import { governanceError } from './errors.js'
import type { VoteRefusalCode } from './kinds.js'

/** The stream of what somebody tried who may not. */
export const refusalsStream = 'refusals' as StreamId

/**
 * The kinds of events of the refusals stream, and what their bodies say. `by` is whoever tried it; `data` is the reason in
 * words.
 */
export interface RefusalBodies {
  /** A change of roles, or of the contract, by somebody who may not, or that would leave nobody who may. */
  readonly ChangeRefused: {
    readonly change: GovernedChange
    readonly code: 'not_permitted' | 'last_administrator'
    /** What it was about: ids, and nothing else. */
    readonly about: Readonly<Record<string, string>>
  }
  /** A vote, its withdrawal or the statement of an outcome that did not count. */
  readonly VoteRefused: {
    readonly run: string
    readonly op: string
    readonly choice: 'approve' | 'reject' | 'withdraw' | 'done' | 'not_done' | 'failed'
    readonly code: VoteRefusalCode
    /** What stands instead: the outcome of the approval or of the run; `open` while there is none. */
    readonly stands: string
  }
}

/** What somebody wanted to change. */
export type GovernedChange =
  | 'bootstrap'
  | 'grant'
  | 'revoke'
  | 'delegate'
  | 'undelegate'
  | 'link'
  | 'import'
  | 'activate'
  | 'add_key'
  | 'retire_key'
  | 'compromise_key'
  | 'erase'

/** A kind of event of the refusals stream. */
export type RefusalKind = keyof RefusalBodies

/** Something that was refused. */
export interface Refusal<K extends RefusalKind = RefusalKind> {
  readonly kind: K
  readonly body: RefusalBodies[K]
  /** Why, in words. */
  readonly reason: string
  /** The principal that tried it. */
  readonly by: string
  /** What was known then; see `seenOf`. */
  readonly seen: string
}

/** Writes down that something was refused. It is durable on return. Rejects with faults of the store. */
export async function recordRefusal<K extends RefusalKind>(
  { store, limits }: { readonly store: Store; readonly limits: Limits },
  { kind, body, reason, by, seen }: Refusal<K>,
): Promise<void> {
  const data = encodeValue(reason, { limits, what: 'reason of a refusal' })
  const drafts = [{ kind, body: JSON.stringify(body), data }]
  await store.record({ stream: refusalsStream, head: undefined, drafts, by: `principal:${by}`, seen })
}

/** Something that was refused, as the stream tells it. */
export interface ToldRefusal {
  readonly seq: number
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  /** `principal:<id>` of whoever tried it. */
  readonly by: string
  readonly kind: RefusalKind
  readonly body: RefusalBodies[RefusalKind]
  /** Why, in words; undefined where the words were erased. */
  readonly reason: string | undefined
}

const pageSize = 1_000

/** Reads what was refused, the oldest first, a page at a time. Rejects with faults of the store. */
export async function* readRefusals(store: Pick<Store, 'read'>): AsyncGenerator<ToldRefusal> {
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(refusalsStream, { fromSeq, limit: pageSize })
    for (const event of events) yield toldRefusal(event)
    if (events.length < pageSize) return
  }
}

function toldRefusal({ seq, at, by, kind, body, data }: StoredEvent): ToldRefusal {
  const reason = data === undefined ? undefined : String(decodeValue(data))
  return { seq, atMs: at, by, kind: kind as RefusalKind, body: JSON.parse(body) as ToldRefusal['body'], reason }
}

/** What whoever tried a change is told. */
export function changeRefused({ body, reason }: Refusal<'ChangeRefused'>): ConstanciaError {
  return governanceError(body.code, `${reason} Nothing was changed, and the attempt was recorded.`)
}
