import { decodeValue, type StoredEvent } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { governanceStream } from '../law-book.js'

/** One change of the directory, as the governance stream tells it. */
export interface DirectoryChange {
  readonly seq: number
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  /** `principal:<id>` of whoever did it. */
  readonly by: string
  readonly kind: DirectoryKind
  /** See `GovernanceBodies`. */
  readonly body: Readonly<Record<string, unknown>>
  readonly reason: string | undefined
}

type DirectoryKind = (typeof kinds)[number]

const kinds = ['RoleGranted', 'RoleRevoked', 'DelegationGranted', 'DelegationRevoked', 'IdentityLinked'] as const
const pageSize = 1_000

/** Reads every change of the directory, or those that are about one principal. Rejects with faults of the store. */
export async function readHistory(store: Store, principal: string | undefined): Promise<readonly DirectoryChange[]> {
  const changes: DirectoryChange[] = []
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(governanceStream, { fromSeq, limit: pageSize })
    changes.push(...events.filter(isOfDirectory).map(changeOf))
    if (events.length < pageSize) break
  }
  return principal === undefined ? changes : changes.filter(({ body }) => isAbout(body, principal))
}

function isOfDirectory({ kind }: StoredEvent): boolean {
  return (kinds as readonly string[]).includes(kind)
}

function changeOf({ seq, at, by, kind, body, data }: StoredEvent): DirectoryChange {
  return {
    seq,
    atMs: at,
    by,
    kind: kind as DirectoryKind,
    body: JSON.parse(body) as DirectoryChange['body'],
    reason: data === undefined ? undefined : String(decodeValue(data)),
  }
}

function isAbout({ principal, from, to, person }: Readonly<Record<string, unknown>>, who: string): boolean {
  return [principal, from, to, person].includes(who)
}
