import { type ClaimId, type RunId, runStream } from '../../journal/index.js'
import {
  type Claim,
  type ClaimAnswer,
  type ClaimedFlow,
  type ClaimRef,
  type ClaimRequest,
  isSuspect,
  poisonMessage,
  type Suspend,
} from '../index.js'
import type { Due, DueList, DueLists } from './due-list.js'
import { atRest, type Handle, holds } from './handle.js'
import { Tally } from './limits.js'
import type { StoredRun } from './stored-run.js'

/** Which flow of a request is served first; it moves on so that each has its turn. */
export interface Turn {
  index: number
}

/** Takes due runs; see `Store.claim`. */
export function claim(handle: Handle, request: ClaimRequest, turn: Turn): ClaimAnswer {
  const nowMs = handle.parts.clock.now()
  const tally = new Tally(handle.disk, nowMs)
  const lanes = request.flows.map((flow) => new Lane(handle.disk.due(flow.flow, flow.version), flow))
  const taken: StoredRun[] = []
  const poisoned: StoredRun[] = []
  let suspectsLeft = request.suspectCountMax ?? Number.POSITIVE_INFINITY
  let idleCount = 0
  while (taken.length < request.limit && idleCount < lanes.length) {
    const due = lanes[turn.index++ % lanes.length]?.next(tally, nowMs)
    if (due === undefined) {
      idleCount++
      continue
    }
    idleCount = 0
    const isLost = due.run.row.claim !== undefined
    const lostLeaseCount = lostLeasesOf(due.run)
    if (isLost && lostLeaseCount >= request.lostLeaseCountMax) {
      poisoned.push(due.run)
      continue
    }
    if (isSuspect(lostLeaseCount)) suspectsLeft -= 1
    if (isSuspect(lostLeaseCount) && suspectsLeft < 0) continue
    taken.push(due.run)
    tally.add(due.run)
  }
  const nextDueAtMs = Math.min(...lanes.map((lane) => lane.leftAtMs(tally, nowMs)))
  return {
    claims: taken.map((run) => take(handle, { run, request, nowMs })),
    nextDueAtMs: Number.isFinite(nextDueAtMs) ? nextDueAtMs : undefined,
    setAside: poisoned.map((run) => setAside(handle, run)),
    nowMs,
  }
}

/** The due runs of one flow, those of the highest priority first, and how far a claim has come. */
class Lane {
  readonly #levels: readonly Level[]

  constructor(lists: DueLists, flow: ClaimedFlow) {
    this.#levels = lists.lists.map((list) => new Level(list, flow))
  }

  /** Moves on to the next run that may be taken now. */
  next(tally: Tally, nowMs: number): Due | undefined {
    for (const level of this.#levels) {
      const due = level.next(tally, nowMs)
      if (due !== undefined) return due
    }
    return undefined
  }

  /** When the first of those that were not reached is due, UTC milliseconds since 1970; infinity if there is none. */
  leftAtMs(tally: Tally, nowMs: number): number {
    return Math.min(...this.#levels.map((level) => level.leftAtMs(tally, nowMs)))
  }
}

/** Those of one priority, longest due first. Runs that a limit holds back are passed over. */
class Level {
  readonly #list: DueList
  readonly #flow: ClaimedFlow
  #place = 0

  constructor(list: DueList, flow: ClaimedFlow) {
    this.#list = list
    this.#flow = flow
  }

  /** Moves on to the next run that may be taken now. */
  next(tally: Tally, nowMs: number): Due | undefined {
    const due = this.#first(tally, nowMs)
    if (due === undefined || due.dueAtMs > nowMs) return undefined
    this.#place++
    return due
  }

  /** When the first of those that were not reached is due, UTC milliseconds since 1970; infinity if there is none. */
  leftAtMs(tally: Tally, nowMs: number): number {
    return this.#first(tally, nowMs)?.dueAtMs ?? Number.POSITIVE_INFINITY
  }

  #first(tally: Tally, nowMs: number): Due | undefined {
    let due = this.#list.at(this.#place)
    while (due !== undefined && due.dueAtMs <= nowMs && tally.holdsBack(due.run, this.#flow))
      due = this.#list.at(++this.#place)
    return due
  }
}

// How often in a row its lease ran out, if the run is taken now. Only what an owner wrote is progress.
function lostLeasesOf({ row, events, claimedHeadSeq }: StoredRun): number {
  if (row.claim === undefined) return row.lostLeaseCount
  const progressed = events.slice(claimedHeadSeq + 1).some(({ by }) => by.startsWith('claim:'))
  return progressed ? 1 : row.lostLeaseCount + 1
}

interface Take {
  readonly run: StoredRun
  readonly request: ClaimRequest
  readonly nowMs: number
}

function take({ disk, parts }: Handle, { run, request, nowMs }: Take): Claim {
  const id = Buffer.from(parts.randomBytes(16)).toString('hex') as ClaimId
  const leaseUntilMs = nowMs + request.leaseMs
  const epoch = run.row.epoch + 1
  const lostLeaseCount = lostLeasesOf(run)
  const { worker, workerId } = request
  const claim = { id, worker, workerId, sinceMs: nowMs, leaseUntilMs }
  disk.setRow(run, { ...run.row, ...atRest, status: 'running', epoch, claim, lostLeaseCount })
  disk.setDue(run, leaseUntilMs)
  const { id: runId, flow, version, head } = run.row
  run.claimedHeadSeq = head.seq
  disk.tell({ run: runId, headSeq: head.seq, due: false, outbox: false })
  return { run: runId, id, epoch, stream: runStream(runId), flow, version, head, lostLeaseCount }
}

function setAside({ disk }: Handle, run: StoredRun): RunId {
  const { id, claim: last, head } = run.row
  const lostLeaseCount = lostLeasesOf(run)
  const message = poisonMessage({ run: id, lostLeaseCount, worker: last?.worker })
  disk.setRow(run, { ...run.row, ...atRest, status: 'stuck', stuck: { code: 'poison', message }, lostLeaseCount })
  disk.setDue(run, undefined)
  disk.tell({ run: id, headSeq: head.seq, due: false, outbox: false })
  return id
}

/** Prolongs leases; see `Store.renew`. */
export function renew({ disk, parts }: Handle, claims: readonly ClaimRef[], leaseMs: number): ClaimRef[] {
  const leaseUntilMs = parts.clock.now() + leaseMs
  return claims.filter((one) => {
    const stored = disk.find(one.run)
    if (stored?.row.claim === undefined || !holds(one, stored.row)) return false
    disk.setRow(stored, { ...stored.row, claim: { ...stored.row.claim, leaseUntilMs } })
    disk.setDue(stored, leaseUntilMs)
    return true
  })
}

/** Gives a run back; see `Store.release`. */
export function release({ disk, parts }: Handle, given: ClaimRef): boolean {
  const stored = disk.find(given.run)
  if (stored === undefined || !holds(given, stored.row)) return false
  disk.setRow(stored, { ...stored.row, ...atRest, status: 'ready', lostLeaseCount: 0 })
  disk.setDue(stored, parts.clock.now())
  disk.tell({ run: given.run, headSeq: stored.row.head.seq, due: true, outbox: false })
  return true
}

/** Lays a run to rest; see `Store.suspend`. */
export function suspend({ disk }: Handle, { claim: given, head, rest, readSignalCount }: Suspend): boolean {
  const stored = disk.find(given.run)
  if (stored === undefined || !holds(given, stored.row)) return false
  const { row } = stored
  if (row.head.seq !== head.seq || row.head.hash !== head.hash) return false
  const base = { ...row, ...atRest, readSignalCount, lostLeaseCount: 0 }
  if (rest.kind === 'stuck') {
    disk.setRow(stored, { ...base, status: 'stuck', stuck: { code: rest.code, message: rest.message } })
    disk.setDue(stored, undefined)
  } else {
    disk.setRow(stored, { ...base, status: rest.kind, wakeAtMs: rest.wakeAtMs, waitingFor: rest.waitingFor })
    disk.setDue(stored, rest.wakeAtMs)
  }
  // A wake time, even one to come, is for whoever waits for the next due run to learn of.
  disk.tell({ run: given.run, headSeq: head.seq, due: stored.dueAtMs !== undefined, outbox: false })
  return true
}
