// @ts-check
// A worker process on PostgreSQL. It is told by `{ url, schema, ledger, leaseMs }` as its only argument, and is usually killed.
import { flow, open } from 'constancia'
import { postgres } from 'constancia/postgres'
import { send } from '../processes/destination.mjs'

process.once('disconnect', () => process.exit())
const { url, schema, ledger, leaseMs } = JSON.parse(process.argv[2] ?? '')

const orders = flow({
  name: 'orders',
  version: 1,
  retry: { attemptsMax: 10, delayMsFirst: 5, factor: 1, jitter: 0 },
  run: async (ctx, /** @type {number} */ no) => {
    for (const what of ['reserve', 'charge']) await ctx.step(what, (attempt) => send(ledger, attempt, { no, what }))
    await ctx.sleep(20)
    const paid = await ctx.signal('paid')
    await Promise.all(['pack', 'bill'].map((what) => ctx.step(what, (attempt) => send(ledger, attempt, { no, what }))))
    return [no, paid]
  },
})

// These tests end the workers of one run again and again.
const worker = { leaseMs, pollMs: leaseMs / 4, concurrency: 16, lostLeaseCountMax: 1_000_000 }
await open({ store: postgres({ url, schema }), flows: [orders], worker, log: () => undefined })
process.send?.('ready')
