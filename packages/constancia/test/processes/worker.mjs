// @ts-check
// A worker process that tells its parent what happens in it, one word at a time. It is told by `{ … }` as its only argument.
import { open } from 'constancia'
import { deadlyFlowsFor } from './deadly-flows.mjs'
import { send } from './destination.mjs'
import { sharedFlowFor } from './shared-flow.mjs'
import storeAt from './stores.mjs'
import { flowsFor } from './watched-flows.mjs'

/** @typedef {import('./worker-words.js').WorkerOrder} WorkerOrder */
/** @typedef {import('./worker-words.js').WorkerWord} WorkerWord */

process.once('disconnect', () => process.exit())
const order = /** @type {WorkerOrder} */ (JSON.parse(process.argv[2] ?? ''))
const { isDeaf = false, areStepsHeld = false, without = [] } = order
// Most tests end the workers of one run again and again; only some are about what becomes of such a run.
const worker = { pollMs: order.worker.leaseMs, concurrency: 16, lostLeaseCountMax: 1_000_000, ...order.worker }

/** @param {WorkerWord} word */
const tell = (word) => void process.send?.(word)

let isTold = false
const waiting = /** @type {(() => void)[]} */ ([])
process.on('message', () => {
  isTold = true
  for (const go of waiting.splice(0)) go()
})
/** Resolves once the parent has said something. */
const told = () => new Promise((resolve) => (isTold ? resolve(undefined) : waiting.push(() => resolve(undefined))))

const named = { tell, told, send, areStepsHeld, worker: order.worker.name }
const all = [...flowsFor(named), ...deadlyFlowsFor(named), sharedFlowFor(named)]
const flows = all.filter(({ name }) => !without.includes(name))

/** @type {import('constancia').StoreFactory} */
const store = async (parts) => {
  const inner = await storeAt(order.store, { isDeaf })(parts)
  return new Proxy(inner, {
    get(target, property) {
      const value = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      if (property === 'append') return append
      return property === 'heartbeat' && isDeaf ? deafHeartbeat : value.bind(target)
    },
  })

  /** @param {import('../../dist/store/index.js').Append} request */
  async function append(request) {
    const answer = await inner.append(request)
    tell({ kind: 'append', answer: answer.kind, run: request.claim.run, epoch: request.claim.epoch })
    return answer
  }

  // Leases are renewed, but whoever lost one learns of it only by trying to write.
  /** @param {import('../../dist/store/index.js').HeartbeatOptions} options */
  function deafHeartbeat(options) {
    return inner.heartbeat({ ...options, onLost: () => undefined })
  }
}

// However these processes end, nothing is lost by it, and none may say so.
const mark = order.store.kind === 'sqlite' ? { mark: `${order.store.file}.mark` } : {}
const runtime = await open({ store, flows, worker, ...mark })
process.once('SIGTERM', () => void runtime.close().then(() => process.exit(0)))
tell({ kind: 'ready', describe: runtime.describe() })
