import type { Note } from '../note/index.js'

/** Which runs a bundle is about. */
export type Scope =
  | { readonly kind: 'runs'; readonly count: number }
  /** All runs that began from `fromMs` on and before `toMs`, UTC milliseconds since 1970. */
  | { readonly kind: 'interval'; readonly fromMs: number; readonly toMs: number; readonly count: number }

/** A text of an event as a bundle carries it. */
export type BundleText =
  /** The salt in hexadecimal. */
  | { readonly kind: 'text'; readonly salt: string; readonly text: string }
  /** Left out by whoever made the bundle, or gone for ever; the commit remains, in hexadecimal. */
  | { readonly kind: 'withheld' | 'erased'; readonly commit: string }

/** An event as a bundle carries it. */
export interface BundleEvent {
  /** From 0. */
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970. */
  readonly at: number
  readonly by: string
  readonly seen: string
  /** Lower-case hexadecimal, as all hashes that are texts. */
  readonly hash: string
  /** Never erased. */
  readonly body: BundleText
  /** Undefined where the event never had any. */
  readonly data: BundleText | undefined
}

/** A stream with its events. */
export interface BundleStream {
  /** `governance` or `run/<id>`. */
  readonly name: string
  readonly eventCount: number
  readonly events: Iterable<BundleEvent> | AsyncIterable<BundleEvent>
}

/** A leaf of the log with the proof that the last checkpoint includes it. */
export interface BundleLeaf {
  readonly index: number
  readonly stream: string
  readonly seq: number
  readonly hash: string
  /** From the leaf's sibling upwards. */
  readonly path: readonly Uint8Array[]
}

/** A checkpoint as a bundle carries it. */
export interface BundleCheckpoint {
  readonly note: Note
  /** That the one before it in the file is a beginning of it; empty for the first. */
  readonly consistency: readonly Uint8Array[]
  /** RFC 3161 tokens over SHA-256 of the note's text, each base64 of DER. */
  readonly tokens: readonly string[]
}

/** The line that names a scope. */
export function scopeLine(scope: Scope): string {
  if (scope.kind === 'runs') return `scope runs ${scope.count}`
  const [from, to] = [scope.fromMs, scope.toMs].map((ms) => new Date(ms).toISOString())
  return `scope interval ${from} ${to} ${scope.count}`
}

/** What the operator signs for an interval: that it has no other runs than these. */
export function claimText(origin: string, scope: Scope, endHash: string): string {
  return `constancia.claim/v1\n${origin}\n${scopeLine(scope)}\n${endHash}\n`
}
