// @ts-check
// One of several processes that use one database at once. Arguments: mode, file, milliseconds, name. It works on for
// longer where it has not done much by then: a slow machine proves as much as a quick one.
import { randomBytes } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sqlite } from 'constancia/sqlite'
import { defaultLimits } from '../../dist/journal/index.js'
import { systemClock } from '../../dist/store/index.js'

/** @typedef {import('../../dist/store/index.js').Claim} Claim */
/** @typedef {import('../../dist/journal/index.js').RunId} RunId */

const [mode = '', file = '', durationMs = '0', name = ''] = process.argv.slice(2)
const warnings = /** @type {string[]} */ ([])
const parts = {
  clock: systemClock,
  randomBytes: (/** @type {number} */ count) => randomBytes(count),
  limits: defaultLimits,
  warn: (/** @type {string} */ message) => void warnings.push(message),
}
const store = await sqlite({ file })(parts)
const started = {
  kind: 'FlowStarted',
  body: '{"flow":"f","version":1,"actor":null,"contract":null,"patches":[]}',
  data: '1',
}
const stepped = { kind: 'StepCompleted', body: '{"op":"0","name":"s","attempt":1}', data: '{"ok":true}' }
const counts = { created: 0, appended: 0, claimed: 0, signalled: 0, conflicts: 0, lost: 0 }

/** @param {number} index */
function create(index) {
  const run = /** @type {RunId} */ (`${name}-${index}`)
  counts.created++
  return store.create({ run, drafts: [started], by: 'system:test', seen: '-/-' })
}

/** @param {RunId} run */
function signal(run) {
  const delivery = `${name}-${counts.signalled++}`
  const body = JSON.stringify({ name: 's', delivery })
  return store.decide({
    run,
    delivery,
    by: 'principal:bob',
    seen: '-/-',
    decide: ({ run: row }) => ({
      drafts: row?.outcome === 'open' ? [{ kind: 'SignalReceived', body, data: '1' }] : [],
      result: 0,
    }),
  })
}

/** @param {Claim} claim */
async function advance(claim) {
  let { head } = claim
  for (let step = 0; step < 3; step++) {
    const outcome = await store.append({ claim, head, drafts: [stepped, stepped], seen: '-/-', readSignalCount: 0 })
    if (outcome.kind === 'head_conflict') {
      counts.conflicts++
      head = outcome.head
    } else if (outcome.kind === 'appended') {
      counts.appended += 2
      head = outcome.events[1] ?? head
    } else {
      counts.lost++
      return
    }
  }
  await store.release(claim)
}

async function work() {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const endMs = performance.now() + Number(durationMs)
  await Promise.all(Array.from({ length: 20 }, (_, index) => create(index)))
  const flows = [{ flow: 'f', version: 1 }]
  while (performance.now() < endMs || counts.claimed < 60 || counts.conflicts === 0) {
    const { claims } = await store.claim({ worker: name, flows, limit: 16, leaseMs: 2000, lostLeaseCountMax: 1000 })
    counts.claimed += claims.length
    const signals = claims.slice(0, 2).map((claim) => signal(claim.run))
    await Promise.all([...claims.map(advance), ...signals])
    if (claims.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { longestBlockMs: delays.max / 1e6, usualBlockMs: delays.percentile(90) / 1e6 }
}

async function holdLease() {
  const flows = [{ flow: 'f', version: 1 }]
  const { claims } = await store.claim({ worker: name, flows, limit: 1, leaseMs: 2000, lostLeaseCountMax: 5 })
  const [claim] = claims
  if (claim === undefined) throw new Error('nothing was due')
  store.heartbeat({ leaseMs: 3000, stallMs: 60_000, onLost: () => undefined }).hold(claim)
  await new Promise((resolve) => setTimeout(resolve, 200))
  process.stdout.write(JSON.stringify({ held: true }))
}

if (mode === 'work') {
  const blocks = await work()
  await store.close()
  process.stdout.write(JSON.stringify({ counts, ...blocks, warnings }))
} else if (mode === 'open') {
  await create(0)
  await store.close()
  process.stdout.write(JSON.stringify({ opened: true }))
} else {
  // Nothing is closed: the process must end all the same.
  await holdLease()
}
