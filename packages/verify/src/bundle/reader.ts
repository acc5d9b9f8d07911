import { bytesOfBase64, bytesOfHex, hexOf } from '../bytes.js'
import type { Crypto } from '../crypto.js'
import { proofHashCountMax } from '../merkle/index.js'
import { type Checkpoint, isOrigin, type Note, noteBytesMax, parseCheckpoint, parseNote } from '../note/index.js'
import { PlainSha256 } from '../sha256.js'
import { ByteReader } from './byte-reader.js'
import {
  bundleFormat,
  checkpointCountMax,
  eventCountMax,
  isHash,
  isRunStream,
  isStreamName,
  leafCountMax,
  momentOf,
  numberOf,
  receiptFormat,
  runCountMax,
  streamEventCountMax,
  tokenBytesMax,
  tokenCountMax,
} from './grammar.js'
import { Kept } from './kept.js'
import type { BundleLeaf, Scope } from './parts.js'
import { type ReadEvent, type Reading, readEvent } from './read-event.js'

/** What a bundle or a receipt is made of, in the order of the file. */
export type BundleItem =
  | { readonly kind: 'bundle'; readonly origin: string; readonly scope: Scope }
  /** `prev` is the hash of the event before the first. */
  | { readonly kind: 'receipt'; readonly origin: string; readonly prev: string }
  | { readonly kind: 'stream'; readonly name: string; readonly eventCount: number }
  | { readonly kind: 'event'; readonly event: ReadEvent }
  | { readonly kind: 'leaf'; readonly leaf: BundleLeaf }
  | ReadCheckpoint
  /** `hash` is what the line says, `digest` what it should say. */
  | { readonly kind: 'end'; readonly hash: string; readonly digest: string }
  | { readonly kind: 'claim'; readonly note: Note }

/** A checkpoint that was read; nothing about it is verified but its form. */
export interface ReadCheckpoint {
  readonly kind: 'checkpoint'
  readonly note: Note
  readonly checkpoint: Checkpoint
  readonly consistency: readonly Uint8Array[]
  readonly tokens: readonly string[]
}

/**
 * Reads a bundle or a receipt from chunks of any size and hands out its parts as they come. Only the form is checked. Throws
 * {@link UnreadableBundleError} where it is none, with the byte; what the source throws passes through. Keeps no more than the
 * largest part.
 */
export async function* readBundle(
  source: AsyncIterable<Uint8Array>,
  crypto: Crypto,
): AsyncGenerator<BundleItem, void, undefined> {
  const reader = new ByteReader(source, crypto.sha256Stream?.() ?? new PlainSha256())
  const reading = { reader, crypto, kept: new Kept(reader) }
  try {
    const format = await reader.line()
    if (format !== bundleFormat && format !== receiptFormat) throw reader.unreadable('it is no bundle and no receipt')
    const origin = await field(reader, 'origin')
    if (!isOrigin(origin)) throw reader.unreadable('the origin is none')
    let isInterval = false
    if (format === receiptFormat) yield* readReceiptStream(reading, origin)
    else {
      const scope = await readScope(reader)
      isInterval = scope.kind === 'interval'
      yield { kind: 'bundle', origin, scope }
      yield* readStreams(reading, scope)
    }
    yield* readLeaves(reader)
    yield* readCheckpoints(reader)
    yield* readEnd(reader, isInterval)
  } finally {
    await reader.close()
  }
}

async function field(reader: ByteReader, name: string): Promise<string> {
  const line = await reader.line()
  if (!line.startsWith(`${name} `)) throw reader.unreadable(`it is not the line of ${name}`)
  return line.slice(name.length + 1)
}

async function count(reader: ByteReader, name: string, max: number): Promise<number> {
  const number = numberOf(await field(reader, name))
  if (number === undefined) throw reader.unreadable(`${name} is no number`)
  if (number > max) throw reader.unreadable(`${name} is more than ${max}`)
  return number
}

async function readScope(reader: ByteReader): Promise<Scope> {
  const [kind, ...words] = (await field(reader, 'scope')).split(' ')
  const runCount = numberOf(words.at(-1) ?? '')
  if (runCount === undefined) throw reader.unreadable('the scope is none')
  if (runCount > runCountMax) throw reader.unreadable(`there are more than ${runCountMax} runs`)
  if (kind === 'runs' && words.length === 1 && runCount > 0) return { kind, count: runCount }
  const [fromMs, toMs] = words.slice(0, 2).map(momentOf)
  if (kind !== 'interval' || words.length !== 3 || fromMs === undefined || toMs === undefined || fromMs >= toMs)
    throw reader.unreadable('the scope is none')
  return { kind, fromMs, toMs, count: runCount }
}

async function* readStreams(reading: Reading, scope: Scope): AsyncGenerator<BundleItem> {
  const { reader, kept } = reading
  let before = ''
  let room = eventCountMax
  for (let number = 0; number <= scope.count; number++) {
    const { name, eventCount } = await readStreamLine(reader, room)
    room -= eventCount
    const isInPlace = number === 0 ? name === 'governance' : isRunStream(name) && name > before
    if (!isInPlace) throw reader.unreadable('another stream should be here')
    before = name
    kept.begin()
    yield { kind: 'stream', name, eventCount }
    for (let seq = 0; seq < eventCount; seq++) yield { kind: 'event', event: await readEvent(reading, name) }
  }
}

async function readStreamLine(reader: ByteReader, room: number): Promise<{ name: string; eventCount: number }> {
  const [name = '', countText = '', ...more] = (await field(reader, 'stream')).split(' ')
  const eventCount = numberOf(countText)
  if (!isStreamName(name) || !eventCount || more.length > 0) throw reader.unreadable('it is not the line of a stream')
  if (eventCount > streamEventCountMax)
    throw reader.unreadable(`the stream has more than ${streamEventCountMax} events`)
  if (eventCount > room) throw reader.unreadable(`there are more than ${eventCountMax} events`)
  return { name, eventCount }
}

async function* readReceiptStream(reading: Reading, origin: string): AsyncGenerator<BundleItem> {
  const { reader } = reading
  const prev = await field(reader, 'prev')
  if (!isHash(prev)) throw reader.unreadable('the hash is none')
  yield { kind: 'receipt', origin, prev }
  const { name, eventCount } = await readStreamLine(reader, eventCountMax)
  yield { kind: 'stream', name, eventCount }
  for (let number = 0; number < eventCount; number++) {
    const event = await readEvent(reading, name)
    const carries = event.body.kind === 'text' || (event.data !== undefined && event.data.kind !== 'withheld')
    if (number > 0 && carries) throw reader.unreadable('only the first event of a receipt carries anything')
    yield { kind: 'event', event }
  }
}

async function* readLeaves(reader: ByteReader): AsyncGenerator<BundleItem> {
  const leafCount = await count(reader, 'leaves', leafCountMax)
  let before = -1
  for (let number = 0; number < leafCount; number++) {
    const [indexText = '', stream = '', seqText = '', hash = '', ...more] = (await field(reader, 'leaf')).split(' ')
    const index = numberOf(indexText)
    const seq = numberOf(seqText)
    const hasForm = isStreamName(stream) && isHash(hash) && more.length === 0
    if (index === undefined || seq === undefined || !hasForm) throw reader.unreadable('it is not the line of a leaf')
    if (index <= before) throw reader.unreadable('the leaves do not ascend')
    before = index
    yield { kind: 'leaf', leaf: { index, stream, seq, hash, path: await readProof(reader, 'path') } }
  }
}

async function readProof(reader: ByteReader, name: string): Promise<Uint8Array[]> {
  const hashCount = await count(reader, name, proofHashCountMax)
  const hashes: Uint8Array[] = []
  for (let number = 0; number < hashCount; number++) {
    const line = await reader.line()
    const hash = isHash(line) ? bytesOfHex(line) : undefined
    if (hash === undefined) throw reader.unreadable('the hash is none')
    hashes.push(hash)
  }
  return hashes
}

async function* readCheckpoints(reader: ByteReader): AsyncGenerator<BundleItem> {
  const checkpointCount = await count(reader, 'checkpoints', checkpointCountMax)
  if (checkpointCount === 0) throw reader.unreadable('there is no checkpoint')
  let sizeBefore = 0
  for (let number = 0; number < checkpointCount; number++) {
    const note = await readNote(reader, 'checkpoint')
    const checkpoint = parseCheckpoint(note.text)
    if (checkpoint === undefined) throw reader.unreadable('the note is no checkpoint')
    if (checkpoint.size <= sizeBefore) throw reader.unreadable('the checkpoints do not ascend')
    sizeBefore = checkpoint.size
    const consistency = await readProof(reader, 'consistency')
    if (number === 0 && consistency.length > 0) throw reader.unreadable('nothing is before the first checkpoint')
    yield { kind: 'checkpoint', note, checkpoint, consistency, tokens: await readTokens(reader) }
  }
}

async function readNote(reader: ByteReader, name: string): Promise<Note> {
  const byteCount = await count(reader, name, noteBytesMax)
  const parsed = parseNote(await reader.bytes(byteCount))
  if (parsed.kind === 'refused') throw reader.unreadable(`the note is none: ${parsed.why}`)
  return parsed.note
}

async function readTokens(reader: ByteReader): Promise<string[]> {
  const tokenCount = await count(reader, 'tokens', tokenCountMax)
  const tokens: string[] = []
  for (let number = 0; number < tokenCount; number++) {
    const token = await reader.line(tokenBytesMax)
    if (token === '' || bytesOfBase64(token) === undefined) throw reader.unreadable('the token is not strict base64')
    tokens.push(token)
  }
  return tokens
}

async function* readEnd(reader: ByteReader, isInterval: boolean): AsyncGenerator<BundleItem> {
  const hash = await field(reader, 'end')
  if (!isHash(hash)) throw reader.unreadable('the hash is none')
  yield { kind: 'end', hash, digest: hexOf(reader.digestBefore()) }
  if (await reader.isAtEnd()) return
  if (!isInterval) throw reader.unreadable('there is something after the end')
  yield { kind: 'claim', note: await readNote(reader, 'claim') }
  if (!(await reader.isAtEnd())) throw reader.unreadable('there is something after the end')
}
