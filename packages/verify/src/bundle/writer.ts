import { hexOf, utf8Of } from '../bytes.js'
import type { Sha256Stream } from '../crypto.js'
import { type Note, noteText } from '../note/index.js'
import { PlainSha256 } from '../sha256.js'
import { bundleFormat, momentText, receiptFormat } from './grammar.js'
import {
  type BundleCheckpoint,
  type BundleEvent,
  type BundleLeaf,
  type BundleStream,
  type BundleText,
  claimText,
  type Scope,
  scopeLine,
} from './parts.js'

/** What a bundle is written from; in the order of the file, which nobody sorts here. */
export interface BundleParts {
  readonly origin: string
  readonly scope: Scope
  /** `governance` first, then the runs in ascending order of their bytes. */
  readonly streams: Iterable<BundleStream> | AsyncIterable<BundleStream>
  /** In ascending order of their indices. */
  readonly leaves: readonly BundleLeaf[]
  /** In strictly ascending order of their sizes. */
  readonly checkpoints: readonly BundleCheckpoint[]
  /** Makes the signed claim of an interval from its text. Must be there for an interval, and not for anything else. */
  readonly claim?: (text: string) => Note | Promise<Note>
}

/** What a receipt is written from. */
export interface ReceiptParts {
  readonly origin: string
  /** The hash of the event before the first. */
  readonly prev: string
  readonly stream: BundleStream
  readonly leaves: readonly BundleLeaf[]
  readonly checkpoints: readonly BundleCheckpoint[]
}

/** Where SHA-256 of pieces comes from, if the platform has a faster one. */
export interface WriteOptions {
  readonly sha256Stream?: () => Sha256Stream
}

/**
 * Writes a bundle, piece by piece. It writes what it is given: whether that is proven, only a verifier says. Throws `RangeError` where
 * the number of events or of runs is not as announced, or the claim of an interval is missing.
 */
export async function* writeBundle(parts: BundleParts, options: WriteOptions = {}): AsyncGenerator<Uint8Array> {
  const { origin, scope, claim } = parts
  if ((scope.kind === 'interval') !== (claim !== undefined))
    throw new RangeError('An interval, and it alone, has a claim.')
  const hash = options.sha256Stream?.() ?? new PlainSha256()
  for await (const text of bundleTexts(parts)) {
    const bytes = utf8Of(text)
    hash.update(bytes)
    yield bytes
  }
  const end = hexOf(hash.digest())
  yield utf8Of(`end ${end}\n`)
  if (claim !== undefined) yield utf8Of(noteBlock('claim', await claim(claimText(origin, scope, end))))
}

/** Writes a receipt, piece by piece. */
export async function* writeReceipt(parts: ReceiptParts, options: WriteOptions = {}): AsyncGenerator<Uint8Array> {
  const hash = options.sha256Stream?.() ?? new PlainSha256()
  for await (const text of receiptTexts(parts)) {
    const bytes = utf8Of(text)
    hash.update(bytes)
    yield bytes
  }
  yield utf8Of(`end ${hexOf(hash.digest())}\n`)
}

async function* bundleTexts({ origin, scope, streams, leaves, checkpoints }: BundleParts): AsyncGenerator<string> {
  yield `${bundleFormat}\norigin ${origin}\n${scopeLine(scope)}\n`
  let streamCount = 0
  for await (const stream of streams) {
    yield* streamTexts(stream)
    streamCount += 1
  }
  if (streamCount !== scope.count + 1)
    throw new RangeError(`There are ${streamCount} streams instead of governance and ${scope.count} runs.`)
  yield* sealTexts(leaves, checkpoints)
}

async function* receiptTexts({ origin, prev, stream, leaves, checkpoints }: ReceiptParts): AsyncGenerator<string> {
  yield `${receiptFormat}\norigin ${origin}\nprev ${prev}\n`
  yield* streamTexts(stream)
  yield* sealTexts(leaves, checkpoints)
}

async function* streamTexts({ name, eventCount, events }: BundleStream): AsyncGenerator<string> {
  yield `stream ${name} ${eventCount}\n`
  let count = 0
  for await (const event of events) {
    yield eventText(event)
    count += 1
  }
  if (count !== eventCount) throw new RangeError(`${name} has ${count} events instead of ${eventCount}.`)
}

/** An event as it stands in a bundle. */
export function eventText({ seq, kind, at, by, seen, hash, body, data }: BundleEvent): string {
  const line = `event ${seq} ${kind} ${momentText(at)} ${by} ${seen} ${hash}\n`
  return `${line}body ${textBlock(body)}data ${data === undefined ? 'none\n' : textBlock(data)}`
}

function textBlock(text: BundleText): string {
  if (text.kind !== 'text') return `${text.kind} ${text.commit}\n`
  return `${text.salt} ${utf8Of(text.text).length}\n${text.text}\n`
}

function* sealTexts(leaves: readonly BundleLeaf[], checkpoints: readonly BundleCheckpoint[]): Generator<string> {
  yield `leaves ${leaves.length}\n`
  for (const { index, stream, seq, hash, path } of leaves)
    yield `leaf ${index} ${stream} ${seq} ${hash}\n${proofBlock('path', path)}`
  yield `checkpoints ${checkpoints.length}\n`
  for (const { note, consistency, tokens } of checkpoints) {
    yield noteBlock('checkpoint', note) + proofBlock('consistency', consistency)
    yield `tokens ${tokens.length}\n${tokens.map((token) => `${token}\n`).join('')}`
  }
}

function proofBlock(name: string, hashes: readonly Uint8Array[]): string {
  return `${name} ${hashes.length}\n${hashes.map((hash) => `${hexOf(hash)}\n`).join('')}`
}

function noteBlock(name: string, note: Note): string {
  const text = noteText(note)
  return `${name} ${utf8Of(text).length}\n${text}`
}
