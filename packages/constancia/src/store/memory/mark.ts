import { epochLeap, type Mark, type NotedHead, type Parking, parkedMessage, type Term } from '../index.js'
import type { MemoryDisk } from './disk.js'
import { atRest, type Handle } from './handle.js'
import type { KeptTerms } from './kept-terms.js'

/** Nothing else can serve what is in this process. */
const server = 'memory'

/** Where the disk stands; see `Store.mark`. */
export function mark(handle: Handle): Mark {
  const { terms, held } = keptOf(handle)
  return { terms: [...terms], server, held }
}

/** Counts one up; see `Store.pulse`. */
export function pulse(handle: Handle): Mark {
  const kept = keptOf(handle)
  const last = kept.terms.at(-1)
  if (last?.server === server)
    kept.terms[kept.terms.length - 1] = { ...last, pulse: last.pulse + 1, atMs: nowMs(handle) }
  else kept.terms.push(newTerm(handle, { server, isAccepted: false }))
  return mark(handle)
}

/** Events that are not there; see `Store.missing`. */
export function missing({ disk }: Handle, heads: readonly NotedHead[]): NotedHead[] {
  return heads.filter((head) => !isThere(disk, head))
}

function isThere(disk: MemoryDisk, { run, seq, hash }: NotedHead): boolean {
  const event = disk.find(run)?.events[seq]
  if (event === undefined) return disk.findPurged(run) !== undefined
  return hash === undefined || event.hash === hash
}

/** Notes what is missing; see `Store.hold`. */
export function hold(handle: Handle, reason: string): void {
  keptOf(handle).held ??= reason
}

/** Parks every open run and begins a term; see `Store.quarantine`. */
export function quarantine(handle: Handle, { code, message }: Parking): { readonly parkedCount: number } {
  const { disk } = handle
  let parkedCount = 0
  for (const stored of disk.all()) {
    const { row } = stored
    if (row.outcome !== 'open') continue
    const { stuck: before } = row
    const said = before === undefined ? message : parkedMessage(message, before)
    const stuck = { code: before?.code === 'poison' ? before.code : code, message: said }
    disk.setRow(stored, { ...row, ...atRest, status: 'stuck', stuck, epoch: row.epoch + epochLeap, lostLeaseCount: 0 })
    disk.setDue(stored, undefined)
    disk.tell({ run: row.id, headSeq: row.head.seq, due: false, outbox: false })
    parkedCount += 1
  }
  const kept = keptOf(handle)
  kept.terms.push(newTerm(handle, { server, isAccepted: true }))
  kept.held = undefined
  return { parkedCount }
}

function keptOf(handle: Handle): KeptTerms {
  const { disk } = handle
  disk.kept ??= { terms: [newTerm(handle, { server: '', isAccepted: false })], held: undefined }
  return disk.kept
}

function newTerm(handle: Handle, change: Pick<Term, 'server' | 'isAccepted'>): Term {
  return { id: Buffer.from(handle.parts.randomBytes(16)).toString('hex'), pulse: 0, atMs: nowMs(handle), ...change }
}

function nowMs({ parts }: Handle): number {
  return parts.clock.now()
}
