import { type ClaimId, runStream } from '../../journal/index.js'
import type { Claim, ClaimAnswer, ClaimRef, ClaimRequest, Suspend } from '../index.js'
import type { Due } from './due-list.js'
import { atRest, type Handle, holds } from './handle.js'

/** Which flow of a request is served first; it moves on so that each has its turn. */
export interface Turn {
  index: number
}

/** Takes due runs; see `Store.claim`. */
export function claim(handle: Handle, request: ClaimRequest, turn: Turn): ClaimAnswer {
  const nowMs = handle.parts.clock.now()
  const lists = request.flows.map(({ flow, version }) => handle.disk.due(flow, version))
  const taken: Due[] = []
  const places = lists.map(() => 0)
  let idleCount = 0
  while (taken.length < request.limit && idleCount < lists.length) {
    const index = turn.index++ % lists.length
    const place = places[index] ?? 0
    const due = lists[index]?.at(place)
    if (due === undefined || due.dueAtMs > nowMs) {
      idleCount++
      continue
    }
    idleCount = 0
    places[index] = place + 1
    taken.push(due)
  }
  const left = lists.map((list, index) => list.at(places[index] ?? 0)?.dueAtMs ?? Number.POSITIVE_INFINITY)
  const nextDueAtMs = Math.min(...left)
  const claims = taken.map(({ run }) => take(handle, { run, request, nowMs }))
  return { claims, nextDueAtMs: Number.isFinite(nextDueAtMs) ? nextDueAtMs : undefined }
}

interface Take {
  readonly run: Due['run']
  readonly request: ClaimRequest
  readonly nowMs: number
}

function take({ disk, parts }: Handle, { run, request, nowMs }: Take): Claim {
  const id = Buffer.from(parts.randomBytes(16)).toString('hex') as ClaimId
  const leaseUntilMs = nowMs + request.leaseMs
  const epoch = run.row.epoch + 1
  run.row = { ...run.row, ...atRest, status: 'running', epoch, claim: { id, worker: request.worker, leaseUntilMs } }
  disk.setDue(run, leaseUntilMs)
  const { id: runId, flow, version, head } = run.row
  disk.tell({ run: runId, headSeq: head.seq, due: false })
  return { run: runId, id, epoch, stream: runStream(runId), flow, version, head }
}

/** Prolongs leases; see `Store.renew`. */
export function renew({ disk, parts }: Handle, claims: readonly ClaimRef[], leaseMs: number): ClaimRef[] {
  const leaseUntilMs = parts.clock.now() + leaseMs
  return claims.filter((one) => {
    const stored = disk.find(one.run)
    if (stored?.row.claim === undefined || !holds(one, stored.row)) return false
    stored.row = { ...stored.row, claim: { ...stored.row.claim, leaseUntilMs } }
    disk.setDue(stored, leaseUntilMs)
    return true
  })
}

/** Gives a run back; see `Store.release`. */
export function release({ disk, parts }: Handle, given: ClaimRef): boolean {
  const stored = disk.find(given.run)
  if (stored === undefined || !holds(given, stored.row)) return false
  stored.row = { ...stored.row, ...atRest, status: 'ready' }
  disk.setDue(stored, parts.clock.now())
  disk.tell({ run: given.run, headSeq: stored.row.head.seq, due: true })
  return true
}

/** Lays a run to rest; see `Store.suspend`. */
export function suspend({ disk }: Handle, { claim: given, head, rest, readSignalCount }: Suspend): boolean {
  const stored = disk.find(given.run)
  if (stored === undefined || !holds(given, stored.row)) return false
  const { row } = stored
  if (row.head.seq !== head.seq || row.head.hash !== head.hash) return false
  const base = { ...row, ...atRest, readSignalCount }
  if (rest.kind === 'stuck') {
    stored.row = { ...base, status: 'stuck', stuck: { code: rest.code, message: rest.message } }
    disk.setDue(stored, undefined)
  } else {
    stored.row = { ...base, status: 'waiting', wakeAtMs: rest.wakeAtMs, waitingFor: rest.waitingFor }
    disk.setDue(stored, rest.wakeAtMs)
  }
  // A wake time, even one to come, is for whoever waits for the next due run to learn of.
  disk.tell({ run: given.run, headSeq: head.seq, due: stored.dueAtMs !== undefined })
  return true
}
