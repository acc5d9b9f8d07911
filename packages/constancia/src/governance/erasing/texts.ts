import type { StoredEvent, StreamId } from '../../journal/index.js'
import { type ErasedTexts, lawfulKinds, type RunRow, type Store } from '../../store/index.js'
import { governanceStream } from '../law-book.js'
import { refusalsStream } from '../refusals.js'

/** Texts of one stream that are to go. */
export interface StreamTexts {
  readonly stream: StreamId
  readonly ranges: readonly ErasedTexts[]
  readonly textCount: number
}

/** Which events carry what is to go. */
export type Wanted = (event: StoredEvent) => boolean

const pageSize = 500

/** The texts of a stream that are there and wanted, in as few ranges as there can be. Rejects with faults of the store. */
export async function textsOf(store: Pick<Store, 'read'>, stream: StreamId, isWanted: Wanted): Promise<StreamTexts> {
  const ranges: { stream: StreamId; from: number; to: number }[] = []
  let textCount = 0
  // Whether the next one that is wanted goes on with the last range: what carries nothing does not end it.
  let goesOn = false
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(stream, { fromSeq, limit: pageSize })
    for (const event of events) {
      if (event.data === undefined) continue
      const last = ranges.at(-1)
      const isOne = isWanted(event) && !isLawful(event)
      if (isOne && goesOn && last !== undefined) last.to = event.seq
      else if (isOne) ranges.push({ stream, from: event.seq, to: event.seq })
      if (isOne) textCount += 1
      goesOn = isOne
    }
    if (events.length < pageSize) return { stream, ranges, textCount }
  }
}

function isLawful({ stream, kind }: StoredEvent): boolean {
  return stream === governanceStream && (lawfulKinds as readonly string[]).includes(kind)
}

/** Walks over every run there is, a page at a time. */
export async function* allRuns(store: Pick<Store, 'runs'>): AsyncGenerator<RunRow> {
  for (let after: string | undefined; ; ) {
    const { items, next } = await store.runs({ limit: pageSize, ...(after === undefined ? {} : { after }) })
    yield* items
    if (next === undefined) return
    after = next
  }
}

/** What of a run is a principal's: all of it where the run acts as them, else what they said. */
export function wantedOf(principal: string, row: Pick<RunRow, 'actor'>): Wanted {
  return row.actor === principal ? () => true : saidBy(principal)
}

/** What a principal said, and of `governance` why something of theirs was changed. */
export async function textsBesideRuns(store: Pick<Store, 'read'>, principal: string): Promise<readonly StreamTexts[]> {
  const said = saidBy(principal)
  const reasons: Wanted = (event) => event.kind !== 'Erased' && (said(event) || isAbout(event, principal))
  return Promise.all([textsOf(store, governanceStream, reasons), textsOf(store, refusalsStream, said)])
}

function saidBy(principal: string): Wanted {
  return ({ by }) => by === `principal:${principal}`
}

function isAbout({ body }: StoredEvent, who: string): boolean {
  const { principal, person, from, to } = JSON.parse(body) as Readonly<Record<string, unknown>>
  return [principal, person, from, to].includes(who)
}

/** So much goes in one transaction at most: others write in between. */
const streamsAtOnce = 50
const rangesAtOnce = 500

/** Puts texts into batches, each for one event. */
export function batchesOf(texts: readonly StreamTexts[]): readonly (readonly StreamTexts[])[] {
  const batches: StreamTexts[][] = []
  let rangeCount = rangesAtOnce
  for (const one of texts.flatMap(pieces)) {
    const batch = batches.at(-1)
    if (batch === undefined || batch.length === streamsAtOnce || rangeCount + one.ranges.length > rangesAtOnce) {
      batches.push([one])
      rangeCount = one.ranges.length
      continue
    }
    batch.push(one)
    rangeCount += one.ranges.length
  }
  return batches
}

// The number of texts goes with the first of them.
function pieces({ stream, ranges, textCount }: StreamTexts): StreamTexts[] {
  const found: StreamTexts[] = []
  for (let at = 0; at < ranges.length; at += rangesAtOnce)
    found.push({ stream, ranges: ranges.slice(at, at + rangesAtOnce), textCount: at === 0 ? textCount : 0 })
  return found
}
