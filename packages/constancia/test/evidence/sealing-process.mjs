// @ts-check
// Seals under load until it is killed: `sealing-process.mjs ORDER`. Every checkpoint that it has made goes to standard output, a note a line, as JSON.
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { logKey, Sealer, signerOf } from '../../dist/evidence/log/index.js'
import { defaultLimits, draftOf, nothingSeen, parseRunId } from '../../dist/journal/index.js'
import { systemClock } from '../../dist/store/index.js'
import storeAt from '../processes/stores.mjs'

/** @type {{ address: import('../processes/scene-store.js').StoreAddress, origin: string, signerKey: string, name: string, at: number }} */
const { address, origin, signerKey, name, at } = JSON.parse(process.argv[2] ?? '{}')

const store = await storeAt(address)({ clock: systemClock, randomBytes, limits: defaultLimits, warn: () => undefined })
const mine = logKey(origin, signerOf(signerKey))

// Every call of the store by which it seals counts twice: before it is made, and once it is done.
let moment = 0
function pass() {
  moment += 1
  if (moment === at) process.kill(process.pid, 'SIGKILL')
}

/** @template {object} T @param {T} target @param {readonly string[]} counted @returns {T} */
function watched(target, counted) {
  return new Proxy(target, {
    get(from, property) {
      const found = Reflect.get(from, property, from)
      if (typeof found !== 'function') return found
      const call = found.bind(from)
      if (!counted.includes(String(property))) return call
      return async (/** @type {unknown[]} */ ...args) => {
        pass()
        const answer = await call(...args)
        pass()
        return answer
      }
    },
  })
}

const log = watched(store.log, ['state', 'grown', 'tiles', 'seal'])
const sealed = new Proxy(store, {
  get: (from, property) => {
    if (property === 'log') return log
    const found = Reflect.get(from, property, from)
    return typeof found === 'function' ? found.bind(from) : found
  },
})
const sealer = await Sealer.start({
  store: sealed,
  mine,
  outside: [],
  clock: systemClock,
  holder: name,
  tell: () => undefined,
})
moment = 0

let count = 0
async function work() {
  const body = { flow: 'f', version: 1, actor: null, contract: null, patches: [] }
  const drafts = [draftOf('FlowStarted', body, '1'), draftOf('FlowCompleted', {}, '"done"')]
  await store.create({ run: parseRunId(`${name}-${count++}`), drafts, by: 'system:api', seen: nothingSeen })
}

for (;;) {
  const [outcome] = await Promise.all([sealer.sealNow(), work(), work()])
  if (outcome.kind === 'sealed') writeSync(1, `${JSON.stringify(outcome.checkpoint.note)}\n`)
}
