// @ts-check
// A flow whose steps bring something else each time: what was handed on must be what is in the journal.
import { randomUUID } from 'node:crypto'
import { flow } from 'constancia'
import { send } from './destination.mjs'

const chance = flow({
  name: 'chance',
  version: 1,
  retry: { attemptsMax: 3, delayMsFirst: 1 },
  run: async (ctx, /** @type {string} */ ledger) => {
    const sent = []
    for (let round = 0; round < 6; round++) {
      const drawn = await ctx.step('draw', () => randomUUID())
      // The ledger refuses a key that comes again with another body.
      sent.push(drawn === (await ctx.step('send', (attempt) => send(ledger, attempt, drawn))))
    }
    return sent
  },
})

// biome-ignore lint/style/noDefaultExport: the processes of a kill test take the flows from there.
export default [chance]
