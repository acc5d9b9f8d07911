import {
  checkpointText,
  cosignature,
  cosignatureMessage,
  headLeafText,
  hexOf,
  leafPreimage,
  noteSignature,
  noteText,
  utf8Of,
} from '@constancia/verify'
import type { Checkpoint, Clock, GrownHead, Store } from '../../store/index.js'
import { sha256Of } from './hash.js'
import { type KeyLedger, type LogKey, requireActive, signed } from './keys.js'
import { growTree } from './tree.js'

/** What a sealing is made with. */
export interface SealParts {
  readonly store: Store
  readonly mine: LogKey
  readonly ledger: KeyLedger
  readonly clock: Pick<Clock, 'now'>
  /** Whether it is only looked if there is something to seal. */
  readonly isLookOnly?: boolean
}

/** What became of it. */
export type SealOutcome =
  | { readonly kind: 'sealed'; readonly checkpoint: Checkpoint; readonly leafCount: number; readonly hasMore: boolean }
  /** Nothing has changed, and the last checkpoint is young enough. */
  | { readonly kind: 'quiet' }
  /** Something is to be sealed, and it was only looked. */
  | { readonly kind: 'due' }
  /** Somebody else has sealed meanwhile. */
  | { readonly kind: 'conflict' }

/** A checkpoint is made after so long, in milliseconds, even where nothing changes. */
export const quietMsMax = 3_600_000

// So many leaves at once: more follow at once in a sealing of their own.
const leafCountMax = 20_000

/**
 * Seals what has grown: leaves, tiles and a signed checkpoint, durable when this resolves, or nothing of it. The key has to be active at the event
 * of `governance` that is sealed last. Rejects with `key_not_active`, `key_invalid`, what the signer throws, and faults of the store.
 */
export async function seal({ store, mine, ledger, clock, isLookOnly = false }: SealParts): Promise<SealOutcome> {
  const { log } = store
  const { checkpoint: last } = await log.state()
  const grown = await log.grown(leafCountMax)
  const { governance, heads, size, cursor, hasMore } = grown
  const nowMs = Math.max(clock.now(), last?.atMs ?? 0)
  const isDue = heads.length > 0 || grown.hasGovernanceGrown || nowMs - (last?.atMs ?? 0) >= quietMsMax
  if (governance === undefined || !isDue) return { kind: 'quiet' }
  if (isLookOnly) return { kind: 'due' }
  await ledger.readFrom(store, governance.seq)
  // Where the ledger has read further than this sealing goes, somebody else's sealing will follow it.
  requireActive(ledger, mine)
  const all = [...heads, governance]
  const { root, tiles } = await growTree(log, size, all.map(leafHashOf))
  const after = size + all.length
  const note = await checkpointNote(mine, { size: after, root, seconds: Math.floor(nowMs / 1000) })
  const checkpoint = { size: after, root: hexOf(root), note, atMs: nowMs }
  const sealed = await log.seal({ size, heads: all, tiles, cursor, checkpoint })
  if (sealed.kind === 'conflict') return { kind: 'conflict' }
  return { kind: 'sealed', checkpoint, leafCount: all.length, hasMore }
}

/** The hash of the leaf that says where a stream ends. */
export function leafHashOf(head: Pick<GrownHead, 'stream' | 'seq' | 'hash'>): Uint8Array {
  return sha256Of(leafPreimage(utf8Of(headLeafText(head))))
}

interface ToSign {
  readonly size: number
  readonly root: Uint8Array
  readonly seconds: number
}

async function checkpointNote(mine: LogKey, { size, root, seconds }: ToSign): Promise<string> {
  const { key, origin } = mine
  const text = checkpointText({ origin, size, root })
  const own = noteSignature(key, await signed(mine, utf8Of(text)))
  const timed = cosignature(key, seconds, await signed(mine, cosignatureMessage(seconds, text)))
  return noteText({ text, signatures: [own, timed] })
}
