import { type BundleEvent, type BundleText, commitPreimage, writeReceipt } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import {
  emptyHead,
  type Head,
  headOf,
  journalError,
  type RunId,
  runStream,
  type StoredEvent,
  type StreamId,
  sha256,
  verifyChain,
} from '../../journal/index.js'
import type { Checkpoint, Leaf, Store } from '../../store/index.js'
import { evidenceError } from '../index.js'
import { KeyLedger } from './keys.js'
import { bundleEventOf, notSealed, provenCheckpoints, provenLeaves } from './prove.js'
import { stampedFrom } from './tokens.js'
import { TileProofs } from './tree.js'

/** Which event a receipt is to be of. */
export interface ReceiptRequest {
  readonly run: RunId
  readonly origin: string
  /** The event by its seq, or by its op, if that has one decision or effect only; by neither, if the run has. */
  readonly of: { readonly seq: number } | { readonly op: string | undefined }
  /** What the event carries (an input, an output, a note) is left out. */
  readonly withholdsData?: boolean
  /** It rests on the first checkpoint that covers the event and has a token of a time-stamping authority. */
  readonly isStamped?: boolean
}

/** A receipt. */
export interface Receipt {
  readonly bytes: Uint8Array
  readonly seq: number
  readonly kind: string
  readonly checkpoint: Checkpoint
}

/** Kinds of events that somebody may want a receipt of: a decision, or what was done. */
const receiptKinds: ReadonlySet<string> = new Set([
  'ApprovalVoted',
  'ActionCompleted',
  'ActionFailed',
  'ActionDenied',
  'OutcomeStated',
  'StepCompleted',
  'MessageSent',
])

const pageSize = 500
const shownMax = 20

/**
 * Makes a receipt (`docs/evidence-format.md` §5) of one event, from its run's journal and the first checkpoint that covers it. Nothing of the
 * run is in it but this event and the bare heads of those behind it up to its leaf. Rejects with `unknown_run`, `run_purged`, `unknown_event`,
 * `ambiguous_event`, `not_sealed`, `journal_damaged`, and faults of the store.
 */
export async function makeReceipt(store: Store, request: ReceiptRequest): Promise<Receipt> {
  const { run, origin } = request
  const stream = runStream(run)
  const { event, before } = await eventAskedFor(store, request)
  const { leaf, checkpoint } = await sealOf(store, { stream, seq: event.seq }, request.isStamped === true)
  const events = await bareEvents(store, { stream, event, leaf }, request.withholdsData === true)
  const leaves = [leaf, ...(await store.log.leaves({ from: checkpoint.size - 1, limit: 1 }))]
  const proofs = new TileProofs(store.log)
  const parts = {
    origin,
    prev: before.hash,
    stream: { name: stream, eventCount: events.length, events },
    leaves: await provenLeaves(leaves, checkpoint.size, proofs),
    checkpoints: await provenCheckpoints(store.log, [checkpoint], proofs),
  }
  const pieces: Uint8Array[] = []
  for await (const piece of writeReceipt(parts, { sha256Stream: nodeCrypto.sha256Stream })) pieces.push(piece)
  return { bytes: Buffer.concat(pieces), seq: event.seq, kind: event.kind, checkpoint }
}

interface Found {
  readonly event: StoredEvent
  /** Where the journal ended before it. */
  readonly before: Head
}

// The journal is verified from its beginning: what does not fit its hashes is not evidence of anything.
async function eventAskedFor(store: Store, { run, of }: ReceiptRequest): Promise<Found> {
  const stream = runStream(run)
  const found: Found[] = []
  let head = emptyHead(stream)
  for (;;) {
    const events = await store.read(stream, { fromSeq: head.seq + 1, limit: pageSize })
    verifyChain(stream, head, events)
    for (const event of events) {
      if (isAskedFor(event, of)) found.push({ event, before: head })
      head = headOf(event)
    }
    if (events.length < pageSize) break
  }
  if (head.seq < 0) throw await missing(store, run)
  const [first] = found
  if (first === undefined) throw unknownEvent(run, of, head.seq)
  if (found.length > 1) throw ambiguous(run, of, found)
  return first
}

function isAskedFor({ seq, kind, body }: StoredEvent, of: ReceiptRequest['of']): boolean {
  if ('seq' in of) return seq === of.seq
  return receiptKinds.has(kind) && (of.op === undefined || opOf(body) === of.op)
}

function opOf(body: string): unknown {
  return (JSON.parse(body) as { readonly op?: unknown }).op
}

async function missing(store: Store, run: RunId): Promise<Error> {
  const [leaf] = await store.log.leavesOf(runStream(run), { limit: 1 })
  if (leaf === undefined)
    return evidenceError(
      'unknown_run',
      `There is no run ${run} in this store. Nothing was written; see constancia runs.`,
    )
  return evidenceError(
    'run_purged',
    `There was a run ${run}; its journal was purged, and with it what a receipt would show. Nothing was written.`,
  )
}

function unknownEvent(run: RunId, of: ReceiptRequest['of'], lastSeq: number): Error {
  const what =
    'seq' in of
      ? `no event ${of.seq}: its last one is event ${lastSeq}`
      : `no decision and no effect${of.op === undefined ? '' : ` of op ${of.op}`}`
  return evidenceError(
    'unknown_event',
    `Run ${run} has ${what}. Nothing was written; constancia show tells what there is, and --seq names any event.`,
  )
}

function ambiguous(run: RunId, of: ReceiptRequest['of'], found: readonly Found[]): Error {
  const where = 'op' in of && of.op !== undefined ? `Op ${of.op} of run ${run}` : `Run ${run}`
  const shown = found.slice(0, shownMax).map(({ event: { seq, kind, by } }) => `  ${seq}  ${kind}  by ${by}`)
  const more = found.length > shownMax ? ['  …'] : []
  const message = `${where} has ${found.length} decisions and effects, and a receipt is of one. Nothing was written; name it by --seq:`
  return evidenceError('ambiguous_event', [message, ...shown, ...more].join('\n'))
}

interface Place {
  readonly stream: StreamId
  readonly seq: number
}

interface Seal {
  readonly leaf: Leaf
  readonly checkpoint: Checkpoint
}

// The first leaf behind the event and the first checkpoint with it: the least to show, and the closest bound of its time.
async function sealOf(store: Store, { stream, seq }: Place, isStamped: boolean): Promise<Seal> {
  const { log } = store
  let leaf: Leaf | undefined
  for (let before: number | undefined; ; before = leaf?.index) {
    const some = await log.leavesOf(stream, { limit: pageSize, ...(before === undefined ? {} : { before }) })
    const covering = some.filter((one) => one.seq >= seq)
    leaf = covering.at(-1) ?? leaf
    if (covering.length < pageSize) break
  }
  if (leaf === undefined) throw notSealed(`Event ${seq} of ${stream} is not sealed yet.`)
  const checkpoint = await countingFrom(store, leaf.index + 1, isStamped)
  if (checkpoint !== undefined) return { leaf, checkpoint }
  const what = isStamped
    ? 'by no checkpoint with a token'
    : 'by no checkpoint that counts: the key that signed was compromised'
  throw notSealed(`Event ${seq} of ${stream} is sealed ${what}.`)
}

// The first checkpoint from a size on that counts, and has a token where that is wanted.
async function countingFrom(store: Store, fromSize: number, isStamped: boolean): Promise<Checkpoint | undefined> {
  const { log } = store
  const ledger = new KeyLedger()
  await ledger.readFrom(store)
  for (let from = fromSize; ; ) {
    const first = isStamped ? await stampedFrom(log, from) : from
    if (first === undefined) return undefined
    const some = await log.checkpoints({ fromSize: first, limit: isStamped ? 1 : pageSize })
    const checkpoint = some.find((one) => !isCompromised(ledger, one))
    const last = some.at(-1)
    if (checkpoint !== undefined || last === undefined) return checkpoint
    from = last.size + 1
  }
}

// What a key signed counts no further than it is said to; a later checkpoint by another key covers the event as well.
function isCompromised(ledger: KeyLedger, { size, note }: Checkpoint): boolean {
  const line = note.split('\n').find((one) => one.startsWith('— ')) ?? ''
  const id = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .subarray(0, 4)
    .toString('hex')
  return ledger.keys.some(({ key, lastGoodSize }) => key.split('+')[1] === id && size > (lastGoodSize ?? size))
}

interface Shown {
  readonly stream: StreamId
  readonly event: StoredEvent
  readonly leaf: Leaf
}

async function bareEvents(
  store: Store,
  { stream, event, leaf }: Shown,
  withholdsData: boolean,
): Promise<BundleEvent[]> {
  const all = [bundleEventOf(event, withholdsData ? { data: true } : {})]
  let head = headOf(event)
  while (head.seq < leaf.seq) {
    const limit = Math.min(pageSize, leaf.seq - head.seq)
    const events = await store.read(stream, { fromSeq: head.seq + 1, limit })
    if (events.length === 0) break
    head = verifyChain(stream, head, events)
    all.push(...events.map(bare))
  }
  if (head.hash === leaf.hash) return all
  throw journalError(
    'journal_damaged',
    `The journal of ${stream} is not the one that was sealed up to event ${leaf.seq}: it was changed, or cut. Nothing was written; constancia log tells more.`,
    { details: { stream, seq: leaf.seq } },
  )
}

// Of what is only there to lead to the leaf nobody learns what it says, nor whether that was erased.
function bare({ seq, kind, at, by, seen, hash, body, bodySalt, dataCommit }: StoredEvent): BundleEvent {
  const withheld = (commit: string): BundleText => ({ kind: 'withheld', commit })
  const data = dataCommit === undefined ? undefined : withheld(dataCommit)
  return { seq, kind, at, by, seen, hash, body: withheld(sha256(commitPreimage(bodySalt, body))), data }
}
