import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import { systemClock } from '../index.js'
import { renewSql } from './claim-table.js'
import type { Database } from './driver.js'
import type { FromHeartbeat, HeartbeatData, ToHeartbeat } from './heartbeat-messages.js'
import { openAgain } from './open.js'

/**
 * The heartbeat's thread: renews leases over a connection of its own, whatever the main loop is busy with. It stops
 * renewing once the main loop has not turned for `stallMs`: a process that hangs gives up its runs. Many leases are renewed in
 * slices, with pauses: nobody waits long for the lock because of it.
 */

interface Held {
  readonly claim: ClaimRef
  /** Monotonic; taken before the lease was last prolonged. */
  renewedMs: number
}

// A thread may block: it waits for a lock inside SQLite.
const busyTimeoutMs = 1000
// So many leases a transaction, which takes a few milliseconds; and between two of them others come to the lock.
const sliceSize = 250
const pauseMs = 5

const data = workerData as HeartbeatData
const ticks = new Int32Array(data.ticks)
const held = new Map<string, Held>()
let database: Database | undefined
let seenTick = Atomics.load(ticks, 0)
let seenTickMs = systemClock.monotonic()
/** What is left of a beat. */
let left: Held[] = []
let disarm: () => void = () => undefined

assert(parentPort !== null, 'the heartbeat runs in a thread of its own')
const port = parentPort
// Node.js calls at once, and for ever, what is further away than 2^31 ms.
const timer = setInterval(beat, Math.min(data.leaseMs / 3, 2 ** 31 - 1))
let hasBegun = false

port.on('message', (message: ToHeartbeat) => {
  switch (message.kind) {
    case 'change':
      for (const claim of message.hold) held.set(claim.id, { claim, renewedMs: systemClock.monotonic() })
      for (const id of message.drop) held.delete(id)
      // The first leases began before this thread did, and it may have been long in starting.
      if (!hasBegun) setImmediate(beat)
      hasBegun = true
      return
    case 'stop':
      clearInterval(timer)
      disarm()
      database?.close()
      port.close()
  }
})

function beat(): void {
  disarm()
  // Those that waited longest come first: a beat that took longer than it should must not forget the same ones again.
  left = [...held.values()].sort((a, b) => a.renewedMs - b.renewedMs)
  renewSlice()
}

function renewSlice(): void {
  const nowMs = systemClock.monotonic()
  const slice = left.splice(0, sliceSize).filter((one) => held.get(one.claim.id) === one)
  if (slice.length > 0 && !isStalled(nowMs)) renewOrWarn(slice, nowMs)
  if (left.length > 0) disarm = systemClock.after(pauseMs, renewSlice)
}

function renewOrWarn(slice: readonly Held[], nowMs: number): void {
  try {
    for (const one of renewAll(slice, nowMs)) lose(one)
  } catch (error) {
    undo()
    say({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    // Nobody may have taken them, but nothing says so any more.
    for (const one of slice) if (nowMs - one.renewedMs > data.leaseMs) lose(one)
  }
}

function isStalled(nowMs: number): boolean {
  const tick = Atomics.load(ticks, 0)
  if (tick !== seenTick) {
    seenTick = tick
    seenTickMs = nowMs
  }
  return nowMs - seenTickMs > data.stallMs
}

// All in one transaction. Returns those that are lost.
function renewAll(slice: readonly Held[], nowMs: number): Held[] {
  const connection = connect()
  const renew = connection.prepare(renewSql)
  connection.exec('BEGIN IMMEDIATE')
  const leaseUntilMs = systemClock.now() + data.leaseMs
  const lost: Held[] = []
  for (const one of slice) {
    const { run, id, epoch } = one.claim
    if (Number(renew.run(leaseUntilMs, run, id, epoch).changes) !== 1) lost.push(one)
  }
  connection.exec('COMMIT')
  for (const one of slice) one.renewedMs = nowMs
  return lost
}

function connect(): Database {
  if (database !== undefined) return database
  database = openAgain(data.file)
  database.exec(`PRAGMA busy_timeout=${busyTimeoutMs}`)
  return database
}

function undo(): void {
  try {
    if (database?.isTransaction === true) database.exec('ROLLBACK')
  } catch {
    // The connection is of no more use: the next beat opens another.
    database = undefined
  }
}

function lose(one: Held): void {
  held.delete(one.claim.id)
  say({ kind: 'lost', claim: one.claim })
}

function say(message: FromHeartbeat): void {
  port.postMessage(message)
}
