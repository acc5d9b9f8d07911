import { type ClaimId, type RunId, runStream } from '../../journal/index.js'
import {
  type Claim,
  type ClaimAnswer,
  type ClaimedFlow,
  type ClaimRef,
  type ClaimRequest,
  isSuspect,
  type Suspend,
} from '../index.js'
import type { DueRecord } from './due.js'
import { Lane } from './lane.js'
import { Room } from './room.js'
import type { Session } from './session.js'
import { lostLeasesOf, setAside } from './set-aside.js'
import type { RunTip } from './tips.js'

/** Which flow of a request is served first; it moves on so that each has its turn. */
export interface Turn {
  index: number
}

/** Takes due runs; see `Store.claim`. */
export async function claim(session: Session, request: ClaimRequest, turn: Turn): Promise<ClaimAnswer> {
  for (const flow of request.flows) if (isLimited(flow)) session.limitedFlows.add(flow.flow)
  await session.presence.appear((gone) => expire(session, gone))
  // Without the lock first: a worker that has nothing to do disturbs nobody. Unless something is about to be stored, which may be what
  // it asks for: then it is answered by the same transaction.
  const idle = session.commit.isGathering ? undefined : await session.read(() => idleAnswer(session, request))
  if (idle !== undefined) return idle
  return session.write(() => takeDue(session, request, turn))
}

// Whoever begins to work finds the runs of those that are gone.
function expire(session: Session, marks: readonly string[]): Promise<void> {
  return session.write(() => {
    for (const mark of marks) session.claims.expire(mark, session.clock.now())
  })
}

function isLimited({ runningMax, runningPerKeyMax }: ClaimedFlow): boolean {
  return runningMax !== undefined || runningPerKeyMax !== undefined
}

function idleAnswer(session: Session, request: ClaimRequest): ClaimAnswer | undefined {
  const { lanes, nowMs } = lanesOf(session, { ...request, limit: 0 }, new Set())
  if (request.limit > 0 && lanes.some((lane) => lane.dueAtMs <= nowMs)) return undefined
  return { claims: [], nextDueAtMs: firstOf(lanes), setAside: [], nowMs }
}

function takeDue(session: Session, request: ClaimRequest, turn: Turn): ClaimAnswer {
  const taken = new Set<number>()
  const { lanes, room, nowMs } = lanesOf(session, request, taken)
  const claims: Claim[] = []
  const setAside: RunId[] = []
  let suspectsLeft = request.suspectCountMax ?? Number.POSITIVE_INFINITY
  let idleLanes = 0
  while (claims.length < request.limit && idleLanes < lanes.length) {
    turn.index %= lanes.length
    const lane = lanes[turn.index++]
    const first = lane?.next()
    if (lane === undefined || first === undefined) {
      idleLanes++
      continue
    }
    idleLanes = 0
    const claimed = take(session, { first, request, nowMs, suspectsLeft })
    if (claimed === 'set aside') setAside.push(first.fold.id)
    else taken.add(first.streamNo) // Or held back: either way it is not to be found again.
    if (typeof claimed === 'string') continue
    claims.push(claimed)
    if (isSuspect(claimed.lostLeaseCount)) suspectsLeft -= 1
    room.take(lane.flow, first.key)
  }
  return { claims, nextDueAtMs: firstOf(lanes), setAside, nowMs }
}

interface Lanes {
  readonly lanes: readonly Lane[]
  readonly room: Room
  readonly nowMs: number
}

function lanesOf(session: Session, { flows, limit }: ClaimRequest, taken: ReadonlySet<number>): Lanes {
  const nowMs = session.clock.now()
  const room = new Room(session.running, nowMs)
  const lanes = flows.map((flow) => new Lane({ session, room, nowMs, taken, limit }, flow))
  return { lanes, room, nowMs }
}

function firstOf(lanes: readonly Lane[]): number | undefined {
  const first = Math.min(...lanes.map((lane) => lane.dueAtMs))
  return Number.isFinite(first) ? first : undefined
}

interface Take {
  readonly first: DueRecord
  readonly request: ClaimRequest
  readonly nowMs: number
  readonly suspectsLeft: number
}

function take(session: Session, { first, request, nowMs, suspectsLeft }: Take): Claim | 'set aside' | 'held back' {
  const lostLeaseCount = lostLeasesOf(session, first)
  if (first.lastClaim !== undefined && lostLeaseCount >= request.lostLeaseCountMax) {
    setAside(session, first, lostLeaseCount)
    return 'set aside'
  }
  if (isSuspect(lostLeaseCount) && suspectsLeft <= 0) return 'held back'
  const { mark } = session.presence
  const claimId = (mark + Buffer.from(session.salt()).toString('hex').slice(mark.length)) as ClaimId
  const leaseUntilMs = nowMs + request.leaseMs
  const { streamNo, fold, readSignalCount } = first
  const { id: run, head, flow, version } = fold
  const epoch = first.epoch + 1
  const { worker, workerId } = request
  const taking = { streamNo, id: claimId, worker, workerId, nowMs, leaseUntilMs, headSeq: head.seq, lostLeaseCount }
  session.claims.take(taking)
  session.tips.set(run, { streamNo, fold, claimId, epoch, readSignalCount })
  session.watchers.took(run, head.seq)
  return { run, id: claimId, epoch, stream: runStream(run), flow, version, head, lostLeaseCount }
}

/** Prolongs leases; see `Store.renew`. */
export function renew(session: Session, claims: readonly ClaimRef[], leaseMs: number): Promise<ClaimRef[]> {
  return session.write(() => {
    const leaseUntilMs = session.clock.now() + leaseMs
    return claims.filter((one) => session.claims.renew(one, leaseUntilMs))
  })
}

/** Gives a run back; see `Store.release`. */
export function release(session: Session, given: ClaimRef): Promise<boolean> {
  return session.write(() => {
    const tip = session.tips.get(given.run)
    if (tip === undefined || !holds(given, tip)) return false
    session.runs.makeReady(tip.streamNo, session.clock.now())
    session.tips.forget(given.run)
    session.watchers.touch({ run: given.run, headSeq: tip.fold.head.seq, due: true, outbox: false })
    return true
  })
}

/** Lays a run to rest; see `Store.suspend`. */
export function suspend(session: Session, request: Suspend): Promise<boolean> {
  const { head, rest, readSignalCount } = request
  const { run } = request.claim
  return session.write(() => {
    const tip = session.tips.get(run)
    if (tip === undefined || !holds(request.claim, tip)) return false
    if (tip.fold.head.seq !== head.seq || tip.fold.head.hash !== head.hash) return false
    session.runs.rest(tip.streamNo, rest, readSignalCount)
    session.tips.forget(run)
    // A wake time, even one to come, is for whoever waits for the next due run to learn of; and where a limit holds runs back,
    // one that rests makes room.
    const wakes = rest.kind !== 'stuck' && rest.wakeAtMs !== undefined
    const due = wakes || session.limitedFlows.has(tip.fold.flow)
    session.watchers.touch({ run, headSeq: head.seq, due, outbox: false })
    return true
  })
}

/** Whether a claim is the one that the run's row names. */
export function holds(given: ClaimRef, tip: RunTip): boolean {
  return tip.claimId === given.id && tip.epoch === given.epoch
}
