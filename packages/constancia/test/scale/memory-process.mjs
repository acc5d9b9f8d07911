// @ts-check
// One process that works through many runs and tells what it holds after each part of them; needs --expose-gc.
import { setTimeout as pause } from 'node:timers/promises'
import { flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'

/** @typedef {import('./memory-words.js').MemoryOrder} MemoryOrder */
/** @typedef {import('./memory-words.js').Held} Held */
/** @typedef {import('constancia').FlowContext} FlowContext */

const order = /** @type {MemoryOrder} */ (JSON.parse(process.argv[2] ?? ''))
const monthMs = 30 * 86_400_000

const short = flow({
  name: 'short',
  version: 1,
  async run(/** @type {FlowContext} */ ctx) {
    const first = await ctx.step('first', () => ({ text: 'x'.repeat(200) }))
    await ctx.step('second', ({ signal }) => void signal.throwIfAborted(), { timeoutMs: 60_000 })
    return first.text.length
  },
})
const sleeper = flow({ name: 'sleeper', version: 1, run: (/** @type {FlowContext} */ ctx) => ctx.sleep(monthMs) })
const listener = flow({ name: 'listener', version: 1, run: (/** @type {FlowContext} */ ctx) => ctx.signal('go') })
const parent = flow({ name: 'parent', version: 1, run: (/** @type {FlowContext} */ ctx) => ctx.call(sleeper, null) })

const unopened = await held()
const runtime = await open({
  store: sqlite({ file: order.file }),
  flows: [short, sleeper, listener, parent],
  log: () => undefined,
})
// Whatever is compiled, filled or grown once is there before anything is compared.
await runShort(Math.max(800, order.shortCount / 8))
await cancel(await park(200, 200))
const begun = await held()
await runShort(order.shortCount / 4)
const quarter = await held()
await runShort(order.shortCount / 4)
const half = await held()
await runShort(order.shortCount / 2)
const whole = await held()
const ids = await park(order.parkedCount, order.cancelledCount)
const parked = await held()
const cancelledCount = await cancel(ids)
const cancelled = await held()
await runtime.close()
const closed = await held()
process.send?.({ unopened, begun, quarter, half, whole, parked, cancelled, closed, cancelledCount })

/** @param {number} count */
async function runShort(count) {
  for (let left = count; left > 0; left -= 250) {
    const runs = await Promise.all(Array.from({ length: Math.min(250, left) }, () => runtime.start(short, null)))
    await Promise.all(runs.map((run) => run.result()))
  }
}

/** Starts runs of every kind and waits until they rest; returns the ids of the first of them, for ids take memory too.
 * @param {number} count
 * @param {number} idCount */
async function park(count, idCount) {
  const ids = /** @type {string[]} */ ([])
  for (let left = count; left > 0; left -= 250) {
    const starts = Array.from({ length: Math.min(250, left) }, (_, index) => {
      if (index % 10 === 0) return runtime.start(parent, null)
      return index % 2 === 0 ? runtime.start(sleeper, null) : runtime.start(listener, null)
    })
    for (const run of await Promise.all(starts)) if (ids.length < idCount) ids.push(run.id)
    await atRest()
  }
  return ids
}

async function atRest() {
  for (;;) {
    const lists = [runtime.runs({ status: 'ready' }), runtime.runs({ status: 'running' }), runtime.outbox()]
    if ((await Promise.all(lists)).every(({ items }) => items.length === 0)) return
    await pause(2)
  }
}

/** Cancels runs and waits until they have ended; returns how many have ended as cancelled.
 * @param {string[]} ids */
async function cancel(ids) {
  let count = 0
  for (let from = 0; from < ids.length; from += 250) {
    const runs = ids.slice(from, from + 250).map((id) => runtime.run(id))
    await Promise.all(runs.map((run) => run.cancel({ reason: 'not needed any more' })))
    const ends = await Promise.allSettled(runs.map((run) => run.result()))
    count += ends.filter((end) => end.status === 'rejected' && end.reason.code === 'run_cancelled').length
  }
  await atRest()
  return count
}

/** @returns {Promise<Held>} */
async function held() {
  // What ended last has timers of the store and of the heartbeat behind it.
  await pause(100)
  let heapBytes = Infinity
  let resources = /** @type {Record<string, number>} */ ({})
  let fewest = Infinity
  for (let round = 0; round < 15; round += 1) {
    global.gc?.()
    await pause(10)
    heapBytes = Math.min(heapBytes, process.memoryUsage().heapUsed)
    // A worker looks for runs each second: what it needs for that is not kept.
    const kinds = process.getActiveResourcesInfo()
    if (kinds.length < fewest) resources = countsOf(kinds)
    fewest = Math.min(fewest, kinds.length)
  }
  const listenerCount = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { heapBytes, resources, listenerCount }
}

/** @param {string[]} kinds */
function countsOf(kinds) {
  const counts = /** @type {Record<string, number>} */ ({})
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
