// @ts-check
// Moves a SQLite file into a schema, and ends by SIGKILL at one place of it, such as `before seal`: `{ file, url, schema, place }`.
import { randomBytes } from 'node:crypto'
import { postgres } from 'constancia/postgres'
import { sqlite } from 'constancia/sqlite'
import { defaultLimits } from '../../dist/journal/index.js'
import { moveStore, systemClock } from '../../dist/store/index.js'

const { file, url, schema, place } = JSON.parse(process.argv[2] ?? '')

/**
 * Calls through to a store; each call is two places.
 * @template {object} T
 * @param {T} target
 * @param {readonly string[]} names
 * @returns {T}
 */
function mined(target, names) {
  return new Proxy(target, {
    get: (of, name) => {
      const value = Reflect.get(of, name)
      if (typeof value !== 'function') return value
      if (!names.includes(String(name))) return value.bind(of)
      return async (/** @type {unknown[]} */ ...args) => {
        pass(`before ${String(name)}`)
        const result = await value.apply(of, args)
        pass(`after ${String(name)}`)
        return name === 'depart' || name === 'arrive' ? mined(result, names) : result
      }
    },
  })
}

/** @param {string} reached */
function pass(reached) {
  if (reached === place) process.kill(process.pid, 'SIGKILL')
}

const parts = { clock: systemClock, randomBytes, limits: defaultLimits, warn: () => undefined }
const from = mined(await sqlite({ file }).openToMove(parts), ['depart', 'seal'])
const to = mined(await postgres({ url, schema }).openToMove(parts), ['expect', 'arrive', 'put', 'commit'])
await moveStore(from, to, { id: randomBytes(8).toString('hex'), nowMs: systemClock.now() })
process.exit()
