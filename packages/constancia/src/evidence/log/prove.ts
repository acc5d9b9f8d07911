import {
  type BundleCheckpoint,
  type BundleEvent,
  type BundleLeaf,
  type BundleStream,
  type BundleText,
  commitPreimage,
  type Note,
  noteSignature,
  type Scope,
  utf8Of,
  writeBundle,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import {
  emptyHead,
  type RunId,
  runStream,
  type StoredEvent,
  type StreamId,
  sha256,
  verifyChain,
} from '../../journal/index.js'
import { type Checkpoint, type Leaf, type Log, type Store, sealedLast } from '../../store/index.js'
import { evidenceError } from '../index.js'
import { cosignedNote, firstCosigned, lastCosigned } from './cosigned.js'
import { Erasures } from './erasures.js'
import { type LogKey, signed } from './keys.js'
import { stampedAfter, tokensOf } from './tokens.js'
import { TileProofs } from './tree.js'

/** What is to be proven. */
export interface ProveRequest {
  /** The runs, or all that began from one moment on and before another (UTC milliseconds since 1970), which takes the key of the log: it claims that these are all. */
  readonly of:
    | { readonly runs: readonly RunId[] }
    | { readonly fromMs: number; readonly beforeMs: number; readonly mine: LogKey }
  readonly origin: string
  /** The size of a checkpoint that an auditor has kept: the file shows that the log goes on from it. */
  readonly since?: number
  /** What is left out of runs; of `governance` nothing is. */
  readonly withhold?: Withholding
  /** Is told of each run once it was looked up, and once it is about to be written, of how many. */
  readonly watch?: (what: 'found' | 'writing', count: number) => void
}

/** What is left out: its commits stay, so that all the rest is proven as before. */
export interface Withholding {
  /** The data of all events, or of these kinds. */
  readonly data?: true | readonly string[]
  /** The bodies of these kinds. */
  readonly bodies?: readonly string[]
}

/** A bundle that is about to be written. */
export interface Proof {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly runs: readonly ProvenRun[]
  readonly checkpoint: Checkpoint
}

/** How far a run is proven. */
export interface ProvenRun {
  readonly run: RunId
  /** The last event that is in the file: the last that is sealed. */
  readonly sealedSeq: number
  /** The last event that there is. */
  readonly headSeq: number
}

const pageSize = 500
// So many leaves of a run at most: each bounds the times of what came before it more closely.
const leavesOfRunMax = 16

/**
 * Makes a bundle (`docs/evidence-format.md` §4) out of journals and checkpoints, and of nothing else that a store keeps. It is written as it is read:
 * memory is bounded by the journals' leaves and checkpoints. Rejects with `not_sealed` where nothing of a run is sealed yet, `interval_purged`,
 * `invalid_evidence` for a checkpoint that is not kept, `journal_damaged`, and faults of the store, also while it is written.
 */
export async function proveRuns(store: Store, request: ProveRequest): Promise<Proof> {
  const { log } = store
  const { checkpoint } = await log.state()
  if (checkpoint === undefined) throw notSealed('Nothing is sealed in this store yet.')
  const ids = 'runs' in request.of ? [...new Set(request.of.runs)].sort() : await begunIn(store, request.of, checkpoint)
  const [governance] = await log.leaves({ from: checkpoint.size - 1, limit: 1 })
  if (governance?.stream !== sealedLast) throw new RangeError('the last leaf of the log is not that of governance')
  const leaves = new Map<number, Leaf>()
  const sizes = new Set([checkpoint.size, ...(await lastCosigned(log, checkpoint))])
  const runs: ProvenRun[] = []
  for (const run of ids) {
    runs.push(await addRun({ store, checkpoint, leaves, sizes }, run))
    request.watch?.('found', ids.length)
  }
  const erasures = new Erasures(governance.seq)
  await addNamed(store, { stream: sealedLast, upToSeq: governance.seq }, { sizes, erasures })
  // The nearest checkpoint behind each leaf that somebody else dated bounds the time of what it seals.
  const covering = [...leaves.keys()].map((index) => index + 1)
  for (const size of await stampedAfter(log, covering)) if (size < checkpoint.size) sizes.add(size)
  if (request.since !== undefined) sizes.add(request.since)
  const kept = await checkpointsOf(log, sizes, request.since)
  for (const { size } of kept)
    for (const leaf of await log.leaves({ from: size - 1, limit: 1 })) leaves.set(leaf.index, leaf)
  const scope = scopeOf(request, ids.length)
  const proofs = new TileProofs(log)
  const parts = {
    origin: request.origin,
    scope,
    streams: streamsOf(store, { runs, erasures, withhold: request.withhold ?? {}, watch: request.watch }),
    leaves: await provenLeaves([...leaves.values()], checkpoint.size, proofs),
    checkpoints: await provenCheckpoints(log, kept, proofs),
    ...('mine' in request.of ? { claim: claimBy(request.of.mine) } : {}),
  }
  return { bytes: writeBundle(parts, { sha256Stream: nodeCrypto.sha256Stream }), runs, checkpoint }
}

function scopeOf({ of }: ProveRequest, count: number): Scope {
  return 'runs' in of ? { kind: 'runs', count } : { kind: 'interval', fromMs: of.fromMs, toMs: of.beforeMs, count }
}

/** The fault that says that something is not sealed. */
export function notSealed(what: string): Error {
  return evidenceError(
    'not_sealed',
    `${what} Nothing was written. A worker with evidence seals within 10 seconds of what changes: see that one runs, and try again.`,
  )
}

interface Gathering {
  readonly store: Store
  readonly checkpoint: Checkpoint
  readonly leaves: Map<number, Leaf>
  readonly sizes: Set<number>
}

async function addRun({ store, checkpoint, leaves, sizes }: Gathering, run: RunId): Promise<ProvenRun> {
  const stream = runStream(run)
  const all = await store.log.leavesOf(stream, { before: checkpoint.size, limit: leavesOfRunMax })
  const [last] = all
  if (last === undefined) throw notSealed(`Nothing of run ${run} is sealed yet, or there is no such run.`)
  for (const leaf of all) {
    leaves.set(leaf.index, leaf)
    const [first] = await store.log.checkpoints({ fromSize: leaf.index + 1, limit: 1 })
    if (first !== undefined) sizes.add(first.size)
  }
  const cosigned = await firstCosigned(store.log, last.index, checkpoint)
  if (cosigned !== undefined) sizes.add(cosigned)
  await addNamed(store, { stream, upToSeq: last.seq }, { sizes })
  let headSeq = last.seq
  for (;;) {
    const more = await store.read(stream, { fromSeq: headSeq + 1, limit: pageSize })
    headSeq = more.at(-1)?.seq ?? headSeq
    if (more.length < pageSize) return { run, sealedSeq: last.seq, headSeq }
  }
}

// Every checkpoint that an event says was known.
async function addNamed(
  store: Store,
  upTo: UpTo,
  { sizes, erasures }: { readonly sizes: Set<number>; readonly erasures?: Erasures },
): Promise<void> {
  for await (const event of eventsOf(store, upTo)) {
    const size = /\/(\d+):/.exec(event.seen)?.[1]
    if (size !== undefined) sizes.add(Number(size))
    erasures?.add(event)
  }
}

interface UpTo {
  readonly stream: StreamId
  readonly upToSeq: number
}

// Verified as it is read: what does not fit its hashes is not evidence of anything.
async function* eventsOf(store: Store, { stream, upToSeq }: UpTo): AsyncGenerator<StoredEvent> {
  let head = emptyHead(stream)
  while (head.seq < upToSeq) {
    const limit = Math.min(pageSize, upToSeq - head.seq)
    const events = await store.read(stream, { fromSeq: head.seq + 1, limit })
    head = verifyChain(stream, head, events)
    yield* events
    if (events.length < limit) throw gone(stream, head.seq, upToSeq)
  }
}

function gone(stream: StreamId, foundSeq: number, sealedSeq: number): Error {
  return evidenceError(
    'not_sealed',
    `${stream} is sealed up to event ${sealedSeq}, but the store has it up to ${foundSeq} only: its journal was purged, or is damaged. It cannot be proven; constancia log tells more.`,
  )
}

async function checkpointsOf(log: Log, sizes: ReadonlySet<number>, since: number | undefined): Promise<Checkpoint[]> {
  const kept: Checkpoint[] = []
  for (const size of [...sizes].sort((one, other) => one - other)) {
    const found = await log.checkpointUpTo(size)
    if (found?.size === size) kept.push(found)
    else if (size === since) {
      throw evidenceError(
        'invalid_evidence',
        `The log has no checkpoint of ${size} leaves. Nothing was written. Name the size of one that it has made: the second line of its note.`,
      )
    }
  }
  return kept
}

/** Leaves with the proofs that they are among the first `size`, in their order. Rejects with faults of the store. */
export async function provenLeaves(leaves: readonly Leaf[], size: number, proofs: TileProofs): Promise<BundleLeaf[]> {
  const proven: BundleLeaf[] = []
  for (const leaf of [...leaves].sort((one, other) => one.index - other.index))
    proven.push({ ...leaf, path: await proofs.inclusion(leaf.index, size) })
  return proven
}

/** Checkpoints, each with the proof that the one before it is a beginning of it. Rejects with faults of the store. */
export async function provenCheckpoints(
  log: Log,
  kept: readonly Checkpoint[],
  proofs: TileProofs,
): Promise<BundleCheckpoint[]> {
  const proven: BundleCheckpoint[] = []
  let before: number | undefined
  for (const checkpoint of kept) {
    const { size } = checkpoint
    const consistency = before === undefined ? [] : await proofs.consistency(before, size)
    proven.push({ note: await cosignedNote(log, checkpoint), consistency, tokens: await tokensOf(log, size) })
    before = size
  }
  return proven
}

interface Streams {
  readonly runs: readonly ProvenRun[]
  readonly erasures: Erasures
  readonly withhold: Withholding
  readonly watch: ProveRequest['watch']
}

function* streamsOf(store: Store, { runs, erasures, withhold, watch }: Streams): Generator<BundleStream> {
  const streamOf = (stream: StreamId, upToSeq: number, left: Withholding): BundleStream => {
    const events = bundleEvents(store, { stream, upToSeq }, { erasures, withhold: left })
    return { name: stream, eventCount: upToSeq + 1, events }
  }
  yield streamOf(sealedLast, erasures.sealedSeq, {})
  for (const { run, sealedSeq } of runs) {
    watch?.('writing', runs.length)
    yield streamOf(runStream(run), sealedSeq, withhold)
  }
}

async function* bundleEvents(
  store: Store,
  upTo: UpTo,
  { erasures, withhold }: Pick<Streams, 'erasures' | 'withhold'>,
): AsyncGenerator<BundleEvent> {
  for await (const event of eventsOf(store, upTo)) {
    const made = bundleEventOf(event, withhold)
    if (made.data?.kind === 'erased' && (await erasures.isUnsealed(store, event)))
      throw notSealed(`What event ${event.seq} of ${upTo.stream} carried was erased since the last sealing.`)
    yield made
  }
}

/** An event as a file carries it, without what is to be left out. */
export function bundleEventOf(event: StoredEvent, withhold: Withholding): BundleEvent {
  const { seq, kind, at, by, seen, hash } = event
  return { seq, kind, at, by, seen, hash, body: bodyOf(event, withhold), data: dataOf(event, withhold) }
}

function bodyOf({ kind, body, bodySalt }: StoredEvent, { bodies = [] }: Withholding): BundleText {
  if (bodies.includes(kind)) return { kind: 'withheld', commit: sha256(commitPreimage(bodySalt, body)) }
  return { kind: 'text', salt: Buffer.from(bodySalt).toString('hex'), text: body }
}

function dataOf({ kind, data, dataSalt, dataCommit }: StoredEvent, withhold: Withholding): BundleText | undefined {
  if (dataCommit === undefined) return undefined
  if (data === undefined || dataSalt === undefined) return { kind: 'erased', commit: dataCommit }
  const isWithheld = withhold.data === true || withhold.data?.includes(kind) === true
  if (isWithheld) return { kind: 'withheld', commit: dataCommit }
  return { kind: 'text', salt: Buffer.from(dataSalt).toString('hex'), text: data }
}

function claimBy(mine: LogKey): (text: string) => Promise<Note> {
  return async (text) => ({ text, signatures: [noteSignature(mine.key, await signed(mine, utf8Of(text)))] })
}

interface Interval {
  readonly fromMs: number
  readonly beforeMs: number
}

async function begunIn(store: Store, interval: Interval, checkpoint: Checkpoint): Promise<RunId[]> {
  await requireNonePurged(store, interval, checkpoint)
  const found: RunId[] = []
  for (;;) {
    const last = found.at(-1)
    const some = await store.log.begun({ ...interval, limit: pageSize, ...(last === undefined ? {} : { after: last }) })
    found.push(...some)
    if (some.length < pageSize) return found
  }
}

// When a run began that was purged nobody knows any more; only that it was there when its last leaf was sealed.
async function requireNonePurged({ log }: Store, { fromMs }: Interval, { size }: Checkpoint): Promise<void> {
  let count = 0
  for (let after: StreamId | undefined; ; ) {
    const some = await log.streams({ limit: pageSize, ...(after === undefined ? {} : { after }) })
    for (const { stream, isPurged } of some) {
      if (!isPurged) continue
      const [leaf] = await log.leavesOf(stream, { before: size, limit: 1 })
      const [covering] = leaf === undefined ? [] : await log.checkpoints({ fromSize: leaf.index + 1, limit: 1 })
      if (covering === undefined || covering.atMs >= fromMs) count += 1
    }
    after = some.at(-1)?.stream
    if (some.length < pageSize) break
  }
  if (count === 0) return
  throw evidenceError(
    'interval_purged',
    `${count} runs were purged that may have begun in the interval: nobody can say any more that the others are all. Nothing was written. Prove the runs that are ` +
      'there by their ids, or an interval that begins later.',
  )
}
