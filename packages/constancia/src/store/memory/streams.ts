import { emptyHead, type Head, headOf, type StoredEvent, type StreamId } from '../../journal/index.js'
import { type Append, assertRecordable, erasedBy, type Recorded, type RecordRequest } from '../index.js'
import { chained } from './batch.js'
import type { MemoryDisk } from './disk.js'
import { erase, notErasable } from './erasure.js'
import type { Handle } from './handle.js'

/** Adds to a stream that belongs to no run; see `Store.record`. */
export function record({ disk, parts }: Handle, request: RecordRequest): Recorded {
  assertRecordable(request)
  const { stream, drafts, by, seen } = request
  const head = streamHead(disk, stream)
  if (request.head !== undefined && !isHead(request.head, head)) return { kind: 'head_conflict', head }
  const texts = erasedBy(request)
  const kept = notErasable(disk, texts)
  if (kept.length > 0) return { kind: 'not_erasable', streams: kept }
  const events = chained(parts, { stream, drafts, head, by, seen })
  disk.addToStream(stream, events)
  erase(disk, texts)
  return { kind: 'recorded', events }
}

/** Where such a stream ends. */
export function streamHead(disk: MemoryDisk, stream: StreamId): Head {
  const last = disk.stream(stream).at(-1)
  return last === undefined ? emptyHead(stream) : headOf(last)
}

/** Whether what an append was decided from has grown, or says something else by now. */
export function hasMoved({ disk, parts }: Handle, basis: Append['basis']): boolean {
  if (basis === undefined) return false
  return !isHead(basis.head, streamHead(disk, basis.stream)) || parts.clock.now() >= (basis.untilMs ?? Infinity)
}

function isHead(known: Head, { seq, hash }: Pick<StoredEvent, 'seq' | 'hash'>): boolean {
  return known.seq === seq && known.hash === hash
}
