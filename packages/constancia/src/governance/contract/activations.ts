import type { DeclaredContract, GovernanceBodies } from '@constancia/verify'
import { emptyHead, headOf, type StoredEvent, verifyChain } from '../../journal/index.js'
import type { Store } from '../../store/index.js'
import { governanceStream } from '../law-book.js'

/** A contract that was put in force, and by whom. */
export interface Activation {
  /** Its position in the governance stream. */
  readonly seq: number
  /** UTC milliseconds since 1970. */
  readonly atMs: number
  readonly by: string
  readonly digest: string
  readonly declared: DeclaredContract
  /** Who wanted it, where it took more than one. */
  readonly approvedBy: readonly string[]
}

const pageSize = 1_000

/** All contracts that were ever put in force, the first one first. What is read is verified. Rejects with faults of the store. */
export async function activationsOf(store: Pick<Store, 'read'>): Promise<readonly Activation[]> {
  const found: Activation[] = []
  for await (const event of governanceEvents(store)) {
    if (event.kind === 'ContractActivated') found.push(activationOf(event))
  }
  return found
}

/** The governance stream from its beginning, verified page by page. Rejects with faults of the store. */
export async function* governanceEvents(store: Pick<Store, 'read'>): AsyncGenerator<StoredEvent> {
  let head = emptyHead(governanceStream)
  for (;;) {
    const events = await store.read(governanceStream, { fromSeq: head.seq + 1, limit: pageSize })
    verifyChain(governanceStream, head, events)
    yield* events
    const last = events.at(-1)
    if (last === undefined || events.length < pageSize) return
    head = headOf(last)
  }
}

function activationOf({ seq, at, by, body, data = '' }: StoredEvent): Activation {
  const { digest, approvedBy } = JSON.parse(body) as GovernanceBodies['ContractActivated']
  return { seq, atMs: at, by, digest, declared: JSON.parse(data) as DeclaredContract, approvedBy }
}
