import type { GovernanceBodies } from '@constancia/verify/governance'
import { decodeValue, type StoredEvent } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { governanceStream } from '../law-book.js'

/** One step of a contract's way into force. */
export interface ContractChange {
  readonly kind: 'proposed' | 'confirmed' | 'activated'
  readonly seq: number
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  /** `principal:<id>` of whoever did it. */
  readonly by: string
  readonly digest: string
  /** Undefined for a confirmation. */
  readonly contract: { readonly name: string; readonly version: string; readonly text: string } | undefined
  /** Of an activation: the principals whose confirmations it took. */
  readonly approvedBy: readonly string[] | undefined
  readonly reason: string | undefined
}

const pageSize = 1_000

/** Reads how contracts came into force, the oldest first. Rejects with faults of the store. */
export async function readContracts(store: Store): Promise<readonly ContractChange[]> {
  const changes: ContractChange[] = []
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(governanceStream, { fromSeq, limit: pageSize })
    changes.push(...events.flatMap(changeOf))
    if (events.length < pageSize) return changes
  }
}

function changeOf(event: StoredEvent): ContractChange[] {
  const { seq, at: atMs, by, data } = event
  const base = { seq, atMs, by, contract: undefined, approvedBy: undefined, reason: undefined }
  switch (event.kind) {
    case 'ContractConfirmed': {
      const { digest } = JSON.parse(event.body) as GovernanceBodies['ContractConfirmed']
      const reason = data === undefined ? undefined : String(decodeValue(data))
      return [{ ...base, kind: 'confirmed', digest, reason }]
    }
    case 'ContractProposed':
    case 'ContractActivated': {
      const { name, version, digest, approvedBy } = JSON.parse(event.body) as GovernanceBodies['ContractActivated']
      const kind = event.kind === 'ContractProposed' ? 'proposed' : 'activated'
      return [{ ...base, kind, digest, contract: { name, version, text: data ?? '' }, approvedBy }]
    }
    default:
      return []
  }
}
