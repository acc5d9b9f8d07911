import { type Draft, parseRunId, type RunId, runStream } from '../../journal/index.js'
import type { RunRow, Store } from '../../store/index.js'
import { type Changed, type ChangeParts, changeLaw, encodeReason, lawDraft, principalId } from '../changes.js'
import { invalid, objectionTo } from '../directory/permission.js'
import { governanceError } from '../errors.js'
import { notOver } from './not-over.js'
import { remainsOf } from './remains.js'
import { allRuns, batchesOf, type StreamTexts, textsBesideRuns, textsOf, wantedOf } from './texts.js'

/** Whose personal data: whole runs, by their ids; or a principal's. */
export type ErasureSubject = { readonly runs: readonly string[] } | { readonly principal: string }

/** What is to be erased. */
export interface ErasureRequest {
  readonly of: ErasureSubject
  /** The principal who does it. */
  readonly by: string
  /** In words, for whoever reads the history; no personal data. */
  readonly reason?: string
  /** Erases what is over, and leaves runs as they are that are not. */
  readonly leaveOpen?: boolean
}

/** What an erasure takes and what it leaves. */
export interface ErasurePreview {
  /** By their streams: `run/<id>`, `governance`, `refusals`. */
  readonly texts: readonly { readonly stream: string; readonly textCount: number }[]
  readonly textCount: number
  /** Runs that hold texts of it and are not over; nothing is erased unless they are to be left. */
  readonly open: readonly RunId[]
  /** What stays, in whole sentences. */
  readonly remains: readonly string[]
}

/** What was erased. */
export interface Erasure extends ErasurePreview {
  /** Positions of the `Erased` events in the governance stream; none where there was nothing to erase. */
  readonly seqs: readonly number[]
}

interface Found {
  readonly texts: readonly StreamTexts[]
  readonly open: readonly RunRow[]
  readonly relatives: readonly RunId[]
  readonly identities: readonly string[]
  readonly principal: string | undefined
}

/**
 * What {@link erase} would take now, and what it would leave; nothing is written. Reads all journals where it is about a principal. Rejects with
 * `unknown_run`, `invalid_id`, and faults of the store.
 */
export async function previewErasure(parts: ChangeParts, of: ErasureSubject): Promise<ErasurePreview> {
  return previewOf(parts.store, await find(parts, of))
}

/**
 * Erases personal data: deletes what events carry, and the salts of it, so that the rest is proven as before. Of a principal that is what runs carry which
 * act as them, what they said in others, and reasons of changes by them or about them. For administrators; whoever else tries is refused with `not_permitted`, and the
 * attempt is recorded. Each `Erased` in the governance stream and the deletion of what it names are one transaction; a large erasure is several. Rejects with
 * `run_open` where a run is not over, before anything is erased, unless these are to be left; with `unknown_run`, `invalid_id`, and faults of the store.
 */
export async function erase(parts: ChangeParts, request: ErasureRequest): Promise<Erasure> {
  const { of, leaveOpen = false } = request
  const by = principalId(request.by)
  const data = encodeReason(request.reason, parts.limits)
  const attempt = { change: 'erase' as const, by, about: aboutOf(of) }
  const record = (drafts: readonly Draft[]): Promise<Changed<undefined>> =>
    changeLaw<undefined>(parts, by, (now) => objectionTo(attempt, now) ?? { kind: 'change', drafts, result: undefined })
  // Whoever may not is told so before all journals are read.
  await record([])
  const found = await find(parts, of)
  if (found.open.length > 0 && !leaveOpen) throw notOver(found.open.map(({ id }) => id))
  const principal = found.principal ?? null
  const seqs: number[] = []
  for (const batch of batchesOf(found.texts)) {
    const texts = batch.flatMap(({ ranges }) => ranges)
    const { events } = await record([lawDraft('Erased', { texts, principal }, data)])
    seqs.push(...events.map(({ seq }) => seq))
  }
  return { ...previewOf(parts.store, found), seqs }
}

function previewOf(store: Store, { texts, open, relatives, identities, principal }: Found): ErasurePreview {
  return {
    texts: texts.map(({ stream, textCount }) => ({ stream, textCount })),
    textCount: texts.reduce((sum, { textCount }) => sum + textCount, 0),
    open: open.map(({ id }) => id),
    remains: remainsOf({ store, principal, identities, relatives, open: open.map(({ id }) => id) }),
  }
}

async function find(parts: ChangeParts, of: ErasureSubject): Promise<Found> {
  const found =
    'principal' in of ? await findOfPrincipal(parts, principalId(of.principal)) : await findOfRuns(parts, of.runs)
  return { ...found, texts: found.texts.filter(({ textCount }) => textCount > 0) }
}

async function findOfRuns({ store }: ChangeParts, ids: readonly string[]): Promise<Found> {
  const runs = [...new Set(ids.map((id) => parseRunId(id)))]
  if (runs.length === 0) throw invalidRequest('No run was named whose data is to be erased.')
  const [texts, open, relatives]: [StreamTexts[], RunRow[], Set<RunId>] = [[], [], new Set()]
  const telling = await tellingRuns(store)
  for (const run of runs) {
    const row = await store.run(run)
    if (row === undefined) throw unknownRun(run)
    if (!(await isOver(store, row, telling))) open.push(row)
    else texts.push(await textsOf(store, runStream(run), () => true))
    for (const id of await relativesOf(store, row)) if (!runs.includes(id)) relatives.add(id)
  }
  return { texts, open, relatives: [...relatives], identities: [], principal: undefined }
}

async function findOfPrincipal({ store, book }: ChangeParts, principal: string): Promise<Found> {
  const [texts, open]: [StreamTexts[], RunRow[]] = [[], []]
  const telling = await tellingRuns(store)
  for await (const row of allRuns(store)) {
    const one = await textsOf(store, runStream(row.id), wantedOf(principal, row))
    if (one.textCount === 0) continue
    if (await isOver(store, row, telling)) texts.push(one)
    else open.push(row)
  }
  texts.push(...(await textsBesideRuns(store, principal)))
  await book.catchUp()
  const person = book.law.personOf(principal)
  const known = new Set(book.law.grants(Math.max(book.nowMs, book.head.at)).map((grant) => grant.principal))
  const identities = [...known.add(person)].filter((one) => one !== principal && book.law.personOf(one) === person)
  return { texts, open, relatives: [], identities, principal }
}

// Runs that have something to tell another, which reads it from their journals.
async function tellingRuns(store: Store): Promise<ReadonlySet<RunId>> {
  const found = new Set<RunId>()
  for (let after: string | undefined; ; ) {
    const { items, next } = await store.outbox({ limit: 1_000, ...(after === undefined ? {} : { after }) })
    for (const { run } of items) found.add(run)
    if (next === undefined) return found
    after = next
  }
}

// Runs of a line take over from each other as they end: it is over with the last of them.
async function isOver(store: Store, row: RunRow, telling: ReadonlySet<RunId>): Promise<boolean> {
  if (row.outcome === 'open' || telling.has(row.id)) return false
  const root = row.root === row.id ? row : await store.run(row.root)
  const latest = root?.latest === undefined ? root : await store.run(root.latest)
  return latest === undefined || latest.outcome !== 'open'
}

async function relativesOf(store: Store, { id, parent, root, continuedAs }: RunRow): Promise<readonly RunId[]> {
  const { items: children } = await store.runs({ parent: id, limit: 1_000 })
  const line = [root, continuedAs, parent?.run].filter((one) => one !== undefined && one !== id) as RunId[]
  return [...line, ...children.map((child) => child.id)]
}

function aboutOf(of: ErasureSubject): Readonly<Record<string, string>> {
  if ('principal' in of) return { principal: principalId(of.principal) }
  return { runs: of.runs.slice(0, 20).map(parseRunId).join(' ') }
}

function invalidRequest(message: string): Error {
  const decision = invalid(message)
  return decision.kind === 'invalid' ? decision.error : new TypeError(message)
}

function unknownRun(run: RunId): Error {
  return governanceError(
    'unknown_run',
    `There is no run ${run} in this store, or it was purged. Nothing was erased; look for its id in the list of runs.`,
  )
}
