import {
  emptyHead,
  foldRun,
  type Head,
  journalError,
  type RunFold,
  type RunId,
  runStream,
  type StreamId,
  verifyChain,
} from '../journal/index.js'
import type { JournalPiece, StreamPiece } from './moving.js'
import type { RunRow } from './store.js'

/** A journal that came whole, and what is kept of its run. */
export interface WholeJournal {
  /** As the events tell. */
  readonly fold: RunFold
  /** As it was: what no event tells is taken from it. */
  readonly row: RunRow
  readonly dueAtMs: number | undefined
  /** Never less than any epoch that wrote an event: a claim that was lost must not hold again. */
  readonly epoch: number
  /** The last event when the run was last claimed, as far as it matters: its owner's own events come after it. */
  readonly claimedHeadSeq: number
}

interface Underway {
  readonly row: RunRow
  readonly head: Head
  readonly fold: RunFold | undefined
  readonly epoch: number
  readonly claimedHeadSeq: number | undefined
}

/**
 * Checks journals that come piece by piece: that each chain is unbroken from its beginning to the head that the run's row
 * names. What follows from the events is computed anew. Pure.
 */
export class JournalCheck {
  #underway: Underway | undefined

  /**
   * Takes the next piece. Returns the journal where this was its last piece. Throws `journal_damaged` for a piece that does not
   * follow the one before, or comes before that journal was whole.
   */
  take({ row, dueAtMs, events }: JournalPiece): WholeJournal | undefined {
    const before = this.#begin(row)
    const head = verifyChain(runStream(row.id), before.head, events)
    const fold = events.reduce((folded, event) => foldRun(row.id, folded, event), before.fold)
    const owner = row.claim === undefined ? undefined : `claim:${row.claim.id}@${row.epoch}`
    const first = events.find(({ by }) => by === owner)
    const claimedHeadSeq = before.claimedHeadSeq ?? (first === undefined ? undefined : first.seq - 1)
    const epoch = events.reduce((highest, { by }) => Math.max(highest, epochOf(by)), before.epoch)
    this.#underway = { row, head, fold, epoch, claimedHeadSeq }
    if (fold === undefined || head.seq < row.head.seq) return undefined
    if (head.seq !== row.head.seq || head.hash !== row.head.hash) throw unlike(row.id)
    this.#underway = undefined
    return { fold, row, dueAtMs, epoch, claimedHeadSeq: claimedHeadSeq ?? head.seq }
  }

  /** Throws `journal_damaged` unless the last journal was whole. */
  end(): void {
    if (this.#underway !== undefined) throw unlike(this.#underway.row.id)
  }

  #begin(row: RunRow): Underway {
    const underway = this.#underway
    if (underway?.row.id === row.id) return underway
    this.end()
    const { id, epoch } = row
    return { row, head: emptyHead(runStream(id)), fold: undefined, epoch, claimedHeadSeq: undefined }
  }
}

/** Checks streams of no run that come piece by piece: that each chain is unbroken from its beginning. Pure. */
export class StreamCheck {
  readonly #heads = new Map<StreamId, Head>()

  /** Takes the next piece. Throws `journal_damaged` for one that does not follow the one before. */
  take({ stream, events }: StreamPiece): void {
    this.#heads.set(stream, verifyChain(stream, this.#heads.get(stream) ?? emptyHead(stream), events))
  }
}

/** The epoch of the claim that wrote an event; 0 where none did. */
function epochOf(by: string): number {
  return by.startsWith('claim:') ? Number(by.slice(by.lastIndexOf('@') + 1)) : 0
}

function unlike(run: RunId): Error {
  return journalError(
    'journal_damaged',
    `The journal of run ${run} does not end where the list of runs says. Nothing was moved. Look at it with constancia doctor; ` +
      'constancia rebuild computes the lists anew from the journals.',
    { details: { run } },
  )
}
