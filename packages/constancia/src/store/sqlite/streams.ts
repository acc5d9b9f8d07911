import { assertExactTexts, chainDrafts, emptyHead, type Head, headOf, type StreamId } from '../../journal/index.js'
import { type Append, assertRecordable, type Recorded, type RecordRequest } from '../index.js'
import type { Database, Statement } from './driver.js'
import type { Session } from './session.js'

/**
 * Where streams that belong to no run end, remembered from transaction to transaction as {@link Tips} are. Only for use within
 * one.
 */
export class StreamHeads {
  readonly #last: Statement
  readonly #heads = new Map<StreamId, Head>()

  constructor(database: Database) {
    this.#last = database.prepare(`
      SELECT e.seq, lower(hex(e.hash)) AS hash, e.at FROM events AS e
      WHERE e.stream = (SELECT no FROM streams WHERE name = ?) ORDER BY e.seq DESC LIMIT 1`)
  }

  get(stream: StreamId): Head {
    const known = this.#heads.get(stream)
    if (known !== undefined) return known
    const head = { ...((this.#last.get(stream) as Head | undefined) ?? emptyHead(stream)) }
    this.#heads.set(stream, head)
    return head
  }

  /** Remembers what the transaction under way adds. */
  set(stream: StreamId, head: Head): void {
    this.#heads.set(stream, head)
  }

  /** Forgets everything: it was not committed, or somebody else committed. */
  forgetAll(): void {
    this.#heads.clear()
  }
}

/** Adds to a stream that belongs to no run; see `Store.record`. */
export async function record(session: Session, request: RecordRequest): Promise<Recorded> {
  assertRecordable(request)
  assertExactTexts(request.drafts)
  return session.write(() => recordNow(session, request))
}

function recordNow(session: Session, { stream, head: known, drafts, by, seen }: RecordRequest): Recorded {
  const head = session.heads.get(stream)
  if (known !== undefined && !isHead(known, head)) return { kind: 'head_conflict', head }
  const nowMs = session.clock.now()
  const events = chainDrafts(head, drafts, { stream, nowMs, by, seen, salt: session.salt })
  session.writer.add(session.events.streamNo(stream) ?? session.events.insertStream(stream), events)
  const last = events.at(-1)
  if (last !== undefined) session.heads.set(stream, headOf(last))
  return { kind: 'recorded', events }
}

/** Whether what an append was decided from has grown. */
export function hasMoved(session: Session, basis: Append['basis']): boolean {
  return basis !== undefined && !isHead(basis.head, session.heads.get(basis.stream))
}

function isHead(known: Head, head: Head): boolean {
  return known.seq === head.seq && known.hash === head.hash
}
