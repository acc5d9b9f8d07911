// @ts-check
// Flows that break a promise of theirs: a kill test must say so.
import { randomUUID } from 'node:crypto'
import { flow } from 'constancia'
import { send } from './destination.mjs'

const chosenKey = flow({
  name: 'chosen-key',
  version: 1,
  run: async (ctx, /** @type {string} */ ledger) => {
    for (const what of ['one', 'two', 'three']) {
      await ctx.step(what, async () => {
        await send(ledger, { key: randomUUID() }, what)
      })
    }
  },
})

const endless = flow({ name: 'endless', version: 1, run: async (ctx) => ctx.signal('nobody sends it') })

const failing = flow({
  name: 'failing',
  version: 1,
  run: () => Promise.reject(new RangeError('It cannot.')),
})

// biome-ignore lint/style/noDefaultExport: the processes of a kill test take the flows from there.
export default [chosenKey, endless, failing]
