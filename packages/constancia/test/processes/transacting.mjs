// @ts-check
// A process whose actions have their effects in the database of the store, and which ends by SIGKILL at a place that it is told. Its
// only argument is `{ store, table, place, run, ids }`: it starts `run` and is killed the first time that it comes to that place.
// Without them it goes on until all of `ids` have ended, and tells their results; where there are none, it puts its law in force.
import { action, allow, contract, flow, open, transactional } from 'constancia'
import { z } from 'zod'
import storeAt from './stores.mjs'

/** @typedef {import('../../dist/store/index.js').Append} Append */
/** @typedef {'before the append' | 'in the transaction' | 'before the commit' | 'after the commit'} Place */

const order =
  /** @type {{ store: import('./scene-store.js').StoreAddress, table: string, place?: Place, run?: string, ids: string[] }} */ (
    JSON.parse(process.argv[2] ?? '')
  )
const { table, place } = order
/** @param {Place} here */
const pass = (here) => void (here === place && process.kill(process.pid, 'SIGKILL'))

const common = { name: 'till.book', input: z.object({ cents: z.number() }), output: z.object({ count: z.number() }) }
const book =
  order.store.kind === 'sqlite'
    ? action({
        ...common,
        effect: transactional('sqlite'),
        run: ({ cents }, { tx, key }) => {
          tx.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run(key, cents)
          pass('in the transaction')
          return /** @type {{ count: number }} */ (
            tx.prepare(`SELECT count(*) AS count FROM ${table} WHERE key = ?`).get(key)
          )
        },
      })
    : action({
        ...common,
        effect: transactional('postgres'),
        run: async ({ cents }, { tx, key }) => {
          await tx.query(`INSERT INTO ${table} VALUES ($1, $2)`, [key, cents])
          pass('in the transaction')
          const { rows } = await tx.query(`SELECT count(*)::integer AS count FROM ${table} WHERE key = $1`, [key])
          return /** @type {{ count: number }} */ (rows[0])
        },
      })

const booking = flow({
  name: 'booking',
  version: 1,
  resume: { roles: ['analyst'] },
  models: 'none',
  run: async (ctx) => [await ctx.do(book, { cents: 1 }), await ctx.do(book, { cents: 2 })],
})
const law = contract({
  name: 'till',
  version: '1',
  roles: { analyst: 'books' },
  flows: [booking],
  rules: [allow(book).to('analyst')],
  templates: { 'resume-denied': 'You may no longer resume this.' },
})

/** @type {import('constancia').StoreFactory} */
const store = async (parts) => {
  const inner = await storeAt(order.store)(parts)
  return new Proxy(inner, {
    get(target, property) {
      const value = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return property === 'append' ? append : value.bind(target)
    },
  })

  /** @param {Append} request */
  async function append(request) {
    const { within } = request
    if (within === undefined) return inner.append(request)
    pass('before the append')
    /** @type {typeof within.outcome} */
    const outcome = (result) => {
      pass('before the commit')
      return within.outcome(result)
    }
    const answer = await inner.append({ ...request, within: { ...within, outcome } })
    pass('after the commit')
    return answer
  }
}

// Before anything is done that it may be killed for.
if (order.run !== undefined) {
  const starter = await open({ store: storeAt(order.store), flows: [booking], contract: law, worker: false })
  await starter.start(booking, undefined, { id: order.run, actor: 'ann' })
  await starter.close()
}

const worker = { name: `till-${order.run ?? 'last'}`, leaseMs: 3_000, pollMs: 200, lostLeaseCountMax: 1_000 }
const runtime = await open({ store, flows: [booking], contract: law, worker, log: () => undefined })
if (order.run === undefined && order.ids.length === 0) {
  const { governance } = runtime
  await governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
  await governance.activate({ contract: law, by: 'ada' })
  await governance.directory.grant({ principal: 'ann', role: 'analyst', by: 'ada' })
}
if (order.ids.length > 0) await tell(await Promise.all(order.ids.map((id) => runtime.run(id).result())))
if (order.run === undefined) {
  await runtime.close()
  process.disconnect?.()
}

/** @param {unknown} word */
function tell(word) {
  return new Promise((told) => void process.send?.(word, told))
}
