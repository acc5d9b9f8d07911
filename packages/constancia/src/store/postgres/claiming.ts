import { assert, type ClaimId, type RunId, runStream } from '../../journal/index.js'
import { type Claim, type ClaimAnswer, type ClaimRequest, isSuspect, systemClock } from '../index.js'
import { DueRuns, type Next, nextOf, nextOfLimited, nextOfUnlimited, type Search } from './due.js'
import { arrayOf } from './literals.js'
import { Wait } from './patience.js'
import { isLimited, Room } from './room.js'
import { foldOf, type RunRecord } from './run-record.js'
import type { Session } from './session.js'
import { type Aside, asideOf, lostLeasesOf, setAsideSql } from './set-aside.js'
import { inTransaction, type Transaction } from './transaction.js'

/** Which flow of a request is served first; it moves on so that each has its turn. */
export interface Turn {
  index: number
}

/** A run that is taken: its row as it was, and what the claim is. */
interface Taken {
  readonly record: RunRecord
  readonly claim: Claim
}

/** What one claim found. */
interface Found {
  readonly taken: readonly Taken[]
  readonly aside: readonly Aside[]
  readonly nextDueAtMs: number | undefined
  readonly nowMs: number
}

const triesMax = 5
const lockedAgainMs = 200

/** Takes due runs; see `Store.claim`. */
export async function claim(session: Session, request: ClaimRequest, turn: Turn): Promise<ClaimAnswer> {
  for (const flow of request.flows) if (isLimited(flow)) session.limitedFlows.add(flow.flow)
  const found = await findDue(session, request, turn)
  if ('claims' in found) return found
  const { taken, aside, nextDueAtMs, nowMs } = found
  for (const { record, claim: one } of taken) {
    session.tips.set(one.run, foldOf(record))
    session.watchers.tell([{ run: one.run, headSeq: one.head.seq, due: false, outbox: false, isLoud: false }])
  }
  for (const { run, headSeq } of aside) {
    session.tips.forget(run)
    session.watchers.tell([{ run, headSeq, due: false, outbox: false, isLoud: false }])
  }
  const setAside = aside.map(({ run }): RunId => run)
  return { claims: taken.map(({ claim: one }) => one), nextDueAtMs, setAside, nowMs }
}

// Rows that somebody else has locked are passed over. Mostly that is over in a moment; where it is not, nobody is to look at them
// again and again without a pause.
async function findDue(session: Session, request: ClaimRequest, turn: Turn): Promise<ClaimAnswer | Found> {
  for (let tries = 0; ; tries++) {
    // Without a lock first: a worker that has nothing to do disturbs nobody.
    const looked = await session.patiently(() => lookForDue(session, request))
    if ('claims' in looked) return looked
    const found = await claimNow({ session, request, turn }, looked)
    const { taken, aside, nextDueAtMs, nowMs } = found
    if (taken.length > 0 || aside.length > 0 || nextDueAtMs === undefined || nextDueAtMs > nowMs) return found
    if (tries === triesMax) return { ...found, nextDueAtMs: nowMs + lockedAgainMs }
    await new Promise<void>((resolve) => void systemClock.after(2 ** tries, resolve))
  }
}

/** What was seen without a lock; undefined where what is due depends on limits, which are counted under one. */
interface Looked {
  readonly next: Next | undefined
}

async function lookForDue(session: Session, { flows, limit }: ClaimRequest): Promise<ClaimAnswer | Looked> {
  const on = session.connections
  const next = await nextOfUnlimited(session, on, { flows, passed: [] })
  const { dueAtMs, nowMs } = next
  if (limit > 0 && dueAtMs <= nowMs) return { next: flows.some(isLimited) ? undefined : next }
  const room = await Room.count(session, on, { flows, nowMs })
  const first = Math.min(dueAtMs, await nextOfLimited({ session, on, room, nowMs, seen: [], limit }, flows))
  if (limit > 0 && first <= nowMs) return { next: undefined }
  return { claims: [], nextDueAtMs: finite(first), setAside: [], nowMs }
}

async function claimNow(wanted: Wanted, looked: Looked): Promise<Found> {
  const { session } = wanted
  const wait = new Wait(session.patience)
  let doubtful: Found | undefined
  let next: Next | undefined = looked.next
  for (;;) {
    try {
      if (doubtful !== undefined && (await isStored(session, doubtful))) return doubtful
      doubtful = undefined
      const found = await inTransaction(session, (on) =>
        takeDue({ ...wanted, on, next }, (one) => {
          doubtful = one
        }),
      )
      session.patience.report(false)
      return found
    } catch (error) {
      if ((await wait.bear(error)) !== 'away') doubtful = undefined
      next = undefined // It is old by now.
    }
  }
}

// Nobody heard whether it was committed: the rows are locked first, so that the lost transaction has ended by then.
async function isStored(session: Session, { taken, aside }: Found): Promise<boolean> {
  if (taken.length === 0) return aside.length === 0
  const lock =
    'SELECT r.claim_id FROM {schema}.runs AS r WHERE r.stream = ANY ($1::bigint[]) ORDER BY r.id FOR NO KEY UPDATE'
  const streams = arrayOf(taken.map(({ record }) => record.stream))
  const rows = await inTransaction(session, (on) => on.commit(on.query(session.sql(lock), [streams])))
  const ids = new Set(taken.map(({ claim: one }) => one.id as string))
  return rows.some((row) => ids.has(String(row['claim_id'])))
}

/** What is wanted, and by whom. */
interface Wanted {
  readonly session: Session
  readonly request: ClaimRequest
  readonly turn: Turn
}

interface Claiming extends Wanted {
  readonly on: Transaction
  /** What is due, where that was seen just now. */
  readonly next: Next | undefined
}

async function takeDue(claiming: Claiming, beforeCommit: (found: Found) => void): Promise<Found> {
  const { session, request, on } = claiming
  const { flows, limit } = request
  await lockLimits(claiming)
  const { nowMs, due } = claiming.next ?? (await nextOf(session, on, { flows, passed: [] }))
  const room = await Room.count(session, on, { flows, nowMs })
  const search: Search = { session, on, room, nowMs, seen: [], limit }
  const { taken, aside, passed } = await chooseAll(claiming, search, due)
  const found = { taken, aside, nextDueAtMs: nowMs, nowMs }
  beforeCommit(found)
  // Sent together with the commit, answered in this order. The rows are locked, so that the statements can do no other than fit.
  const [, , unlimited, ...limited] = await on.commit(
    Promise.all([
      writeTaken(claiming, taken),
      aside.length > 0 ? on.query(session.sql(setAsideSql), asideValues(aside)) : undefined,
      nextOfUnlimited(session, on, { flows, passed }),
      ...flows.map((flow) => nextOfLimited({ ...search, seen: passed }, [flow])),
    ]),
  )
  return { ...found, nextDueAtMs: finite(Math.min(unlimited.dueAtMs, ...limited)) }
}

// Who counts runs holds the flow's row meanwhile, so that two do not fill the same place.
async function lockLimits({ session, request, on }: Claiming): Promise<void> {
  const limited = [...new Set(request.flows.filter(isLimited).map(({ flow }) => flow))].sort()
  if (limited.length === 0) return
  const make = 'INSERT INTO {schema}.limits (flow) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING'
  const lock = 'SELECT 1 FROM {schema}.limits WHERE flow = ANY ($1::text[]) ORDER BY flow FOR UPDATE'
  await on.query(session.sql(make), [arrayOf(limited)])
  await on.query(session.sql(lock), [arrayOf(limited)])
}

interface Chosen {
  readonly taken: Taken[]
  readonly aside: Aside[]
  /** Streams that do not count for when the next run is due. */
  readonly passed: number[]
}

async function chooseAll({ session, request, turn }: Claiming, search: Search, due: Next['due']): Promise<Chosen> {
  const chosen: Chosen = { taken: [], aside: [], passed: [] }
  const lanes = request.flows.map((flow, index) => new DueRuns(search, flow, due.get(index) ?? []))
  let suspectsLeft = request.suspectCountMax ?? Number.POSITIVE_INFINITY
  let idleCount = 0
  while (chosen.taken.length < request.limit && idleCount < lanes.length) {
    turn.index %= lanes.length
    const lane = lanes[turn.index++]
    const record = await lane?.next()
    if (lane === undefined || record === undefined) {
      idleCount++
      continue
    }
    idleCount = 0
    chosen.passed.push(record.stream)
    const lostLeaseCount = lostLeasesOf(record)
    if (record.claim_id !== null && lostLeaseCount >= request.lostLeaseCountMax) {
      chosen.aside.push(asideOf(record, lostLeaseCount))
      continue
    }
    if (isSuspect(lostLeaseCount) && suspectsLeft <= 0) continue
    if (isSuspect(lostLeaseCount)) suspectsLeft -= 1
    chosen.taken.push({ record, claim: claimOf(session, record, lostLeaseCount) })
    search.room.take(lane.flow, record.key)
  }
  return chosen
}

function claimOf(session: Session, record: RunRecord, lostLeaseCount: number): Claim {
  const { id: run, flow, version } = record
  const id = Buffer.from(session.salt()).toString('hex') as ClaimId
  const { head } = foldOf(record)
  return { run, id, epoch: record.epoch + 1, stream: runStream(run), flow, version, head, lostLeaseCount }
}

const takeSql = `
  UPDATE {schema}.runs AS r SET status = 'running', epoch = i.epoch, claim_id = i.claim, worker = $5,
    due_at = {schema}.now_ms() + $6::bigint, progressed = false, lost_leases = i.lost, wake_at = NULL, waiting_for = NULL,
    held_epoch = i.epoch, held_by = $7, held_since = {schema}.now_ms()
  FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[]) AS i (stream, claim, epoch, lost)
  WHERE r.stream = i.stream AND r.epoch = i.epoch - 1 RETURNING r.stream`

async function writeTaken({ session, request, on }: Claiming, taken: readonly Taken[]): Promise<void> {
  if (taken.length === 0) return
  assert(taken.length <= request.limit, `${request.limit} runs were asked for, but ${taken.length} were taken`)
  const values = [
    arrayOf(taken.map(({ record }) => record.stream)),
    arrayOf(taken.map(({ claim: { id } }) => id)),
    arrayOf(taken.map(({ claim: { epoch } }) => epoch)),
    arrayOf(taken.map(({ claim: { lostLeaseCount } }) => lostLeaseCount)),
  ]
  const { worker, workerId = null, leaseMs } = request
  const rows = await on.query(session.sql(takeSql), [...values, worker, Math.ceil(leaseMs), workerId])
  assert(rows.length === taken.length, `${taken.length} runs were to be taken, but ${rows.length} were`)
}

function asideValues(aside: readonly Aside[]): [string, string, string] {
  return [
    arrayOf(aside.map(({ streamNo }) => streamNo)),
    arrayOf(aside.map(({ message }) => message)),
    arrayOf(aside.map(({ lostLeaseCount }) => lostLeaseCount)),
  ]
}

function finite(dueAtMs: number): number | undefined {
  return Number.isFinite(dueAtMs) ? dueAtMs : undefined
}
