import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../journal/index.js'
import type { ClaimRef } from '../index.js'
import { systemClock } from '../index.js'
import { renewSql, renewValues } from './claims.js'
import { connect, type OwnConnection } from './driver.js'
import type { FromHeartbeat, HeartbeatData, ToHeartbeat } from './heartbeat-messages.js'
import { schemaFiller } from './schema.js'

/**
 * The heartbeat's thread: renews leases over a connection of its own, whatever the main loop is busy with. It stops
 * renewing once the main loop has not turned for `stallMs`: a process that hangs gives up its runs.
 */

interface Held {
  readonly claim: ClaimRef
  /** Monotonic; taken before the lease was last prolonged. */
  renewedMs: number
}

const data = workerData as HeartbeatData
const ticks = new Int32Array(data.ticks)
const held = new Map<string, Held>()
const sql = schemaFiller(data.schema)(renewSql)
let connection: OwnConnection | undefined
// Were an answer waited for longer, a line that is silently dead would cost the lease: there is time for another one.
const answerMsMax = Math.min(data.leaseMs / 6, 25_000)
const againMs = Math.min(data.leaseMs / 10, 1_000)
let disarmAgain: () => void = () => undefined
let isBeating = false
let isStopped = false
let seenTick = Atomics.load(ticks, 0)
let seenTickMs = systemClock.monotonic()

assert(parentPort !== null, 'the heartbeat runs in a thread of its own')
const port = parentPort
// Node.js calls at once, and for ever, what is further away than 2^31 ms.
const timer = setInterval(() => void beat(), Math.min(data.leaseMs / 3, 2 ** 31 - 1))
let hasBegun = false

port.on('message', (message: ToHeartbeat) => {
  switch (message.kind) {
    case 'hold':
      held.set(message.claim.id, { claim: message.claim, renewedMs: systemClock.monotonic() })
      // The first leases began before this thread did, and it may have been long in starting.
      if (!hasBegun) setImmediate(() => void beat())
      hasBegun = true
      return
    case 'drop':
      held.delete(message.claim.id)
      return
    case 'stop':
      isStopped = true
      clearInterval(timer)
      disarmAgain()
      connection?.close().catch(() => undefined)
      port.close()
  }
})

async function beat(): Promise<void> {
  const nowMs = systemClock.monotonic()
  if (held.size === 0 || isStalled(nowMs) || isBeating || isStopped) return
  isBeating = true
  try {
    await renewAll(nowMs)
  } catch (error) {
    forget()
    say({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    // Nobody may have taken them, but nothing says so any more.
    for (const one of [...held.values()]) if (nowMs - one.renewedMs > data.leaseMs) lose(one)
    beatAgain()
  } finally {
    isBeating = false
  }
}

// Sooner than usual, so that what passes costs no lease.
function beatAgain(): void {
  disarmAgain()
  if (!isStopped) disarmAgain = systemClock.after(againMs, () => void beat())
}

function isStalled(nowMs: number): boolean {
  const tick = Atomics.load(ticks, 0)
  if (tick !== seenTick) {
    seenTick = tick
    seenTickMs = nowMs
  }
  return nowMs - seenTickMs > data.stallMs
}

// All in one statement.
async function renewAll(nowMs: number): Promise<void> {
  connection ??= await connectAnew()
  const all = [...held.values()]
  const rows = await connection.query(
    sql,
    renewValues(
      all.map(({ claim }) => claim),
      data.leaseMs,
    ),
  )
  const renewed = new Set(rows.map((row) => row['claim_id']))
  for (const one of all) {
    if (renewed.has(one.claim.id)) one.renewedMs = nowMs
    else if (held.get(one.claim.id) === one) lose(one)
  }
}

async function connectAnew(): Promise<OwnConnection> {
  const made = await connect(data.connection, { answerMsMax })
  // An open connection keeps the thread alive.
  if (isStopped) await made.close()
  made.onEnd(() => {
    if (connection === made) connection = undefined
  })
  return made
}

// It is of no more use: the next beat opens another.
function forget(): void {
  connection?.close().catch(() => undefined)
  connection = undefined
}

function lose(one: Held): void {
  held.delete(one.claim.id)
  say({ kind: 'lost', claim: one.claim })
}

function say(message: FromHeartbeat): void {
  port.postMessage(message)
}
