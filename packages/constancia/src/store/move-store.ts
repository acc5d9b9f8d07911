import { type StoreErrorCode, storeError } from './errors.js'
import type { Arrival, Departure, MoveState, Moving, Parcel, StoreCounts, StreamPiece } from './moving.js'

/** How a move is made. */
export interface MoveOptions {
  /** A fresh name for the move. */
  readonly id: string
  /** UTC milliseconds since 1970. */
  readonly nowMs: number
  /** Called with how much more was put, in the measure of {@link workOf}. */
  readonly onProgress?: (count: number) => void
  /** Asked between two parcels; throws to stop. Then nothing was moved. */
  readonly check?: () => void
}

/** Why there can be no move. Nothing was done. */
export type MoveObstacle =
  /** Both are the same database. */
  | { readonly kind: 'same_store' }
  /** Somebody works on the source. */
  | { readonly kind: 'workers_up'; readonly owners: readonly string[] }
  /** There is something in the target already. */
  | { readonly kind: 'not_empty' }
  /** Everything was moved out of the source before, to the place that is noted. */
  | { readonly kind: 'moved_before'; readonly state: MoveState }
  /** The source itself is waiting for what is to be moved into it. */
  | { readonly kind: 'source_unfinished'; readonly state: MoveState }
  /** Everything was moved out of the target before. */
  | { readonly kind: 'target_moved'; readonly state: MoveState }

/** How much would be moved, or why nothing can be. */
export type MoveSurvey = MoveObstacle | { readonly kind: 'ready'; readonly counts: StoreCounts }

/** What came of a move: all of it is in the target and the source refuses to be worked on, or there was an obstacle. */
export type MoveOutcome = MoveObstacle | { readonly kind: 'moved'; readonly counts: StoreCounts }

/** Looks whether one store can be moved into another, and how much that would be. Writes nothing; writers wait while it counts. */
export async function surveyMove(from: Moving, to: Moving): Promise<MoveSurvey> {
  const obstacle = await obstacleOf(from, to)
  if (obstacle !== undefined) return obstacle
  const departure = await from.depart()
  try {
    const { owners } = departure
    return owners.length > 0 ? { kind: 'workers_up', owners } : { kind: 'ready', counts: await departure.count() }
  } finally {
    await departure.end()
  }
}

async function obstacleOf(from: Moving, to: Moving): Promise<MoveObstacle | undefined> {
  if (from.identity === to.identity) return { kind: 'same_store' }
  const [state, expected] = [await from.state(), await to.state()]
  if (state?.kind === 'arriving') return { kind: 'source_unfinished', state }
  if (expected?.kind === 'moved') return { kind: 'target_moved', state: expected }
  // A move that was cut off between its last two steps goes on; one that was finished does not begin again.
  if (state !== undefined && expected?.id !== state.id) return { kind: 'moved_before', state }
  return (await to.isEmpty()) ? undefined : { kind: 'not_empty' }
}

/**
 * Moves everything of a store into another one that is empty. Until the very end the source is only read, while nobody can write
 * to it, and the target has no more than a note that refuses whoever would work on it. Then, in this order: everything is in one
 * open transaction of the target and compared; the source is sealed; the target commits. Whatever ends this process in between,
 * one of the two can be worked on at most, and the same call does the rest.
 *
 * Rejects with faults of the stores, with `journal_damaged` for a journal of the source that is not whole, and with
 * `store_failed` where the target does not hold what was put into it. Then nothing was moved, unless the source says that it was:
 * the same call does the rest in that case.
 */
export async function moveStore(from: Moving, to: Moving, options: MoveOptions): Promise<MoveOutcome> {
  const obstacle = await obstacleOf(from, to)
  if (obstacle !== undefined) return obstacle
  const departure = await from.depart()
  try {
    const { owners } = departure
    if (owners.length > 0) return { kind: 'workers_up', owners }
    const id = (await from.state())?.id ?? options.id
    return await fill({ from: departure, to, options, id, place: from.describe() })
  } finally {
    await departure.end()
  }
}

interface Filling {
  readonly from: Departure
  readonly to: Moving
  readonly options: MoveOptions
  readonly id: string
  /** Where it all comes from. */
  readonly place: string
}

async function fill(filling: Filling): Promise<MoveOutcome> {
  const { to, id, place, options } = filling
  if (!(await to.expect({ kind: 'arriving', id, place, atMs: options.nowMs }))) return { kind: 'not_empty' }
  const progress = { isSealing: false }
  try {
    return await fillExpected(filling, progress)
  } catch (error) {
    // Once the source may be sealed, the note is what a second try goes on from.
    if (!progress.isSealing) await to.release().catch(() => undefined)
    throw error
  }
}

async function fillExpected(
  { from, to, options, id }: Filling,
  progress: { isSealing: boolean },
): Promise<MoveOutcome> {
  const arrival = await to.arrive(id)
  if (arrival === undefined) {
    // Somebody who had it open was faster.
    await to.release()
    return { kind: 'not_empty' }
  }
  try {
    for await (const parcel of from.parcels()) {
      options.check?.()
      await arrival.put(parcel)
      options.onProgress?.(sizeOf(parcel))
    }
    const counts = await from.count()
    await compare(from, arrival, counts)
    options.check?.()
    progress.isSealing = true
    await from.seal({ kind: 'moved', id, place: to.describe(), atMs: options.nowMs })
    await arrival.commit()
    return { kind: 'moved', counts }
  } finally {
    await arrival.end()
  }
}

function sizeOf(parcel: Parcel): number {
  if (parcel.kind === 'tiles') return 0
  if (parcel.kind !== 'journals' && parcel.kind !== 'streams') return parcel.items.length
  const items: readonly Pick<StreamPiece, 'events'>[] = parcel.items
  return items.reduce((sum, { events }) => sum + events.length, 0)
}

/** How much there is to do, in the measure of `onProgress`. */
export function workOf(counts: StoreCounts): number {
  const { eventCount, purgedCount, deliveryCount, entryCount, leafCount, checkpointCount, attestationCount } = counts
  const ofLog = leafCount + checkpointCount + attestationCount
  return eventCount + purgedCount + deliveryCount + entryCount + ofLog
}

async function compare(from: Departure, to: Arrival, expected: StoreCounts): Promise<void> {
  const found = await to.count()
  for (const key of Object.keys(expected) as (keyof StoreCounts)[]) {
    if (found[key] !== expected[key]) throw unlike(`${key} is ${found[key]} instead of ${expected[key]}`)
  }
  const arrived = eachOf(to.ends())
  for await (const end of eachOf(from.ends())) {
    const { value } = (await arrived.next()) as { value: typeof end | undefined }
    if (value?.stream === end.stream && value.seq === end.seq && value.hash === end.hash) continue
    throw unlike(`where ${end.stream} ends with event ${end.seq}, it has ${value?.stream}, event ${value?.seq}`)
  }
  if ((await arrived.next()).done !== true) throw unlike('it has more streams')
}

async function* eachOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page
}

function unlike(what: string): Error {
  const code: StoreErrorCode = 'store_failed'
  return storeError(
    code,
    `The target does not hold what was put into it: ${what}. Nothing was moved: the source is as it was and can be worked on, the ` +
      'target is empty. Report this; give the command again to see whether it happens again.',
  )
}
