import { assertExactTexts, chainDrafts, type Head, headOf } from '../../journal/index.js'
import {
  type Append,
  assertRecordable,
  type ErasedTexts,
  erasedBy,
  type Recorded,
  type RecordRequest,
} from '../index.js'
import { erase, notErasable } from './erasure.js'
import type { Session } from './session.js'

/** Adds to a stream that belongs to no run; see `Store.record`. */
export async function record(session: Session, request: RecordRequest): Promise<Recorded> {
  assertRecordable(request)
  assertExactTexts(request.drafts)
  const texts = erasedBy(request)
  const recorded = await session.write(() => recordNow(session, request, texts))
  if (texts.length > 0 && recorded.kind === 'recorded') await session.clearTraces()
  return recorded
}

function recordNow(session: Session, request: RecordRequest, texts: readonly ErasedTexts[]): Recorded {
  const { stream, head: known, drafts, by, seen } = request
  const head = session.heads.get(stream)
  if (known !== undefined && !isHead(known, head)) return { kind: 'head_conflict', head }
  const kept = notErasable(session, texts)
  if (kept.length > 0) return { kind: 'not_erasable', streams: kept }
  const nowMs = session.clock.now()
  const events = chainDrafts(head, drafts, {
    stream,
    nowMs,
    by,
    seen: session.known.complete(seen),
    salt: session.salt,
  })
  session.writer.add(session.events.streamNo(stream) ?? session.events.insertStream(stream), events)
  erase(session, texts)
  const last = events.at(-1)
  if (last !== undefined) session.heads.set(stream, headOf(last))
  return { kind: 'recorded', events }
}

/** Whether what an append was decided from has grown, or says something else by now. */
export function hasMoved(session: Session, basis: Append['basis']): boolean {
  if (basis === undefined) return false
  return !isHead(basis.head, session.heads.get(basis.stream)) || session.clock.now() >= (basis.untilMs ?? Infinity)
}

function isHead(known: Head, head: Head): boolean {
  return known.seq === head.seq && known.hash === head.hash
}
