import {
  checkNote,
  emptyFrontier,
  extended,
  type Frontier,
  hexOf,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  rootOf,
  utf8Of,
} from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import { ConstanciaError, emptyHead, type Head, type StreamId, verifyChain } from '../../journal/index.js'
import type { Checkpoint, Leaf, Store, StreamStanding } from '../../store/index.js'
import { KeyLedger } from './keys.js'
import { leafHashOf } from './sealing.js'
import { TileProofs } from './tree.js'

/** Something in a store that cannot be, had nobody changed it after it was written. */
export interface LogFinding {
  readonly kind: /** The leaves do not lead to the root that a checkpoint says. */
    | 'root'
    /** A checkpoint is no note of this log, or no key of the log signed it. */
    | 'checkpoint'
    /** The tiles do not hold the hashes of the leaves. */
    | 'tile'
    /** Two leaves of one stream contradict each other. */
    | 'two_histories'
    /** A leaf and the event that it names are not the same. */
    | 'leaf'
    /** A journal is broken: an event does not fit its hash, or does not follow. */
    | 'journal'
    /** A stream, or its end, is gone that a leaf names. */
    | 'gone'
  readonly message: string
  readonly stream?: StreamId
}

/** What was looked at. */
export interface LogReport {
  readonly findings: readonly LogFinding[]
  readonly leafCount: number
  readonly checkpointCount: number
  readonly streamCount: number
  readonly eventCount: number
  /** Streams that go on after their last leaf. */
  readonly unsealedCount: number
}

/** Is told of each leaf, of how many, and then of each journal that was read. */
export type LogWatch = (what: 'leaf' | 'journal', count?: number) => void

const pageSize = 1_000

/**
 * Reads the whole log and every journal and compares them: whoever changed rows of a database, whatever triggers he took away, leaves
 * something that does not fit, unless he holds the key as well and made everything anew; that only a checkpoint kept elsewhere shows. Writes nothing. Rejects
 * with faults of the store.
 */
export async function inspectLog(store: Store, origin: string, watch: LogWatch = () => undefined): Promise<LogReport> {
  const findings: LogFinding[] = []
  const ledger = new KeyLedger()
  try {
    await ledger.readFrom(store)
  } catch (error) {
    if (!(error instanceof ConstanciaError) || error.code !== 'journal_damaged') throw error
    // Told below, with the other journals.
  }
  const checkpoints = new CheckpointWalk({ store, origin, ledger, findings })
  const leafCountKnown = (await store.log.state()).checkpoint?.size
  const leaves = await walkLeaves(store, findings, (frontier) => {
    watch('leaf', leafCountKnown)
    return checkpoints.pass(frontier)
  })
  await checkpoints.end(leaves.frontier)
  const streams = await walkStreams({ store, findings, watch }, leaves.last)
  const { size: leafCount } = leaves.frontier
  return { findings, leafCount, checkpointCount: checkpoints.count, ...streams }
}

interface WalkParts {
  readonly store: Store
  readonly origin: string
  readonly ledger: KeyLedger
  readonly findings: LogFinding[]
}

/** Compares checkpoints with the leaves, in one pass over both. */
class CheckpointWalk {
  readonly #parts: WalkParts
  #waiting: Checkpoint[] = []
  #nextSize = 0
  count = 0

  constructor(parts: WalkParts) {
    this.#parts = parts
  }

  async pass(frontier: Frontier): Promise<void> {
    const next = await this.#peek()
    if (next === undefined || next.size > frontier.size) return
    this.#waiting.shift()
    this.count += 1
    if (next.size < frontier.size)
      return this.#tell('root', `There is a checkpoint of ${next.size} leaves between two sealings.`)
    await this.#check(next, hexOf(rootOf(nodeCrypto.sha256, frontier)))
  }

  /** What is left once every leaf was passed. */
  async end(frontier: Frontier): Promise<void> {
    for (let next = await this.#peek(); next !== undefined; next = await this.#peek()) {
      this.#waiting.shift()
      this.count += 1
      this.#tell('root', `There is a checkpoint of ${next.size} leaves, and the log has ${frontier.size}.`)
    }
    if (frontier.size === 0) return
    const kept = await new TileProofs(this.#parts.store.log).root(frontier.size).catch(() => undefined)
    const root = hexOf(rootOf(nodeCrypto.sha256, frontier))
    const [edge] = await this.#parts.store.log.tiles([{ level: 0, index: Math.floor(frontier.size / 256) }])
    const isLonger = (edge?.length ?? 0) !== (frontier.size % 256) * 32
    if (kept === undefined || hexOf(kept) !== root || isLonger)
      this.#tell('tile', 'The tiles of the log do not hold the hashes of its leaves: proofs made of them are wrong.')
    const last = await this.#parts.store.log.checkpointUpTo(frontier.size)
    if (last?.size !== frontier.size)
      this.#tell('root', `The log has ${frontier.size} leaves, and its last checkpoint ${last?.size ?? 0}.`)
  }

  async #peek(): Promise<Checkpoint | undefined> {
    if (this.#waiting.length === 0) {
      this.#waiting = await this.#parts.store.log.checkpoints({ fromSize: this.#nextSize, limit: pageSize })
      this.#nextSize = (this.#waiting.at(-1)?.size ?? this.#nextSize) + 1
    }
    return this.#waiting[0]
  }

  async #check({ size, root, note }: Checkpoint, found: string): Promise<void> {
    const { origin, ledger } = this.#parts
    const parsed = parseNote(utf8Of(note))
    const said = parsed.kind === 'note' ? parseCheckpoint(parsed.note.text) : undefined
    if (parsed.kind !== 'note' || said === undefined || said.origin !== origin)
      return this.#tell('checkpoint', `The checkpoint of ${size} leaves is no checkpoint of the log ${origin}.`)
    if (said.size !== size || hexOf(said.root) !== found || root !== found)
      this.#tell(
        'root',
        `The checkpoint of ${size} leaves says another root than its leaves have: a leaf was changed after it was sealed.`,
      )
    for (const { key } of ledger.keys) {
      const read = await parseVerifierKey(nodeCrypto, key)
      if (read.kind === 'key' && (await checkNote(nodeCrypto, parsed.note, read.key)) === 'valid') return
    }
    this.#tell('checkpoint', `The checkpoint of ${size} leaves is signed by no key of the log.`)
  }

  #tell(kind: LogFinding['kind'], message: string): void {
    this.#parts.findings.push({ kind, message })
  }
}

interface WalkedLeaves {
  readonly frontier: Frontier
  /** The last leaf of each stream. */
  readonly last: ReadonlyMap<StreamId, Leaf>
}

async function walkLeaves(
  { log }: Store,
  findings: LogFinding[],
  pass: (frontier: Frontier) => Promise<void>,
): Promise<WalkedLeaves> {
  const last = new Map<StreamId, Leaf>()
  let frontier = emptyFrontier
  for (;;) {
    const some = await log.leaves({ from: frontier.size, limit: pageSize })
    for (const leaf of some) {
      const before = last.get(leaf.stream)
      const isSame = before?.seq === leaf.seq && before.hash === leaf.hash
      if (before !== undefined && before.seq >= leaf.seq && !isSame) {
        const message = `Leaf ${before.index} says that ${leaf.stream} went to event ${before.seq}, and leaf ${leaf.index} after it has another history up to event ${leaf.seq}.`
        findings.push({ kind: 'two_histories', message, stream: leaf.stream })
      }
      last.set(leaf.stream, leaf)
      frontier = extended(nodeCrypto.sha256, frontier, [leafHashOf(leaf)])
      await pass(frontier)
    }
    if (some.length < pageSize) return { frontier, last }
  }
}

type WalkedStreams = Pick<LogReport, 'streamCount' | 'eventCount' | 'unsealedCount'>

async function walkStreams(
  { store, findings, watch }: Pick<WalkParts, 'store' | 'findings'> & { readonly watch: LogWatch },
  last: ReadonlyMap<StreamId, Leaf>,
): Promise<WalkedStreams> {
  const found = new Set<StreamId>()
  const counts = { streamCount: 0, eventCount: 0, unsealedCount: 0 }
  for (let after: StreamId | undefined; ; ) {
    const some = await store.log.streams({ limit: pageSize, ...(after === undefined ? {} : { after }) })
    for (const standing of some) {
      found.add(standing.stream)
      counts.streamCount += 1
      watch('journal')
      counts.eventCount += await checkStream(store, findings, standing)
      if ((last.get(standing.stream)?.seq ?? -1) < standing.seq) counts.unsealedCount += 1
    }
    after = some.at(-1)?.stream
    if (some.length < pageSize) break
  }
  for (const { stream, seq } of last.values())
    if (!found.has(stream))
      findings.push({ kind: 'gone', message: `${stream} is gone: it was sealed up to event ${seq}.`, stream })
  return counts
}

// How many events there are.
async function checkStream(store: Store, findings: LogFinding[], standing: StreamStanding): Promise<number> {
  const { stream } = standing
  const leaves = (await allLeavesOf(store, stream)).reverse()
  let head: Head = emptyHead(stream)
  if (standing.isPurged) {
    const end = leaves.at(-1)
    if (end !== undefined && (end.seq !== standing.seq || end.hash !== standing.hash))
      findings.push({
        kind: 'leaf',
        message: `What is left of ${stream}, which was purged, is not what was sealed of it.`,
        stream,
      })
    return 0
  }
  const hashes = new Map(leaves.map((leaf) => [leaf.seq, leaf]))
  try {
    for (;;) {
      const events = await store.read(stream, { fromSeq: head.seq + 1, limit: pageSize })
      for (const { seq, hash } of events) {
        const leaf = hashes.get(seq)
        if (leaf !== undefined && leaf.hash !== hash)
          findings.push({
            kind: 'leaf',
            message: `Event ${seq} of ${stream} is another one than was sealed as leaf ${leaf.index}.`,
            stream,
          })
      }
      head = verifyChain(stream, head, events)
      if (events.length < pageSize) break
    }
  } catch (error) {
    if (!(error instanceof ConstanciaError) || error.code !== 'journal_damaged') throw error
    findings.push({ kind: 'journal', message: error.message, stream })
    return head.seq + 1
  }
  const sealedSeq = leaves.at(-1)?.seq ?? -1
  if (head.seq < sealedSeq) {
    const message = `The end of ${stream} is gone: it was sealed up to event ${sealedSeq}, and goes to event ${head.seq}.`
    findings.push({ kind: 'gone', message, stream })
  }
  return head.seq + 1
}

async function allLeavesOf({ log }: Store, stream: StreamId): Promise<Leaf[]> {
  const all: Leaf[] = []
  for (;;) {
    const before = all.at(-1)?.index
    const some = await log.leavesOf(stream, { limit: pageSize, ...(before === undefined ? {} : { before }) })
    all.push(...some)
    if (some.length < pageSize) return all
  }
}
