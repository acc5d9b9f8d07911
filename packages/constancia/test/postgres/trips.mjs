// @ts-check
import { flow } from 'constancia'
import { send } from '../processes/destination.mjs'

/**
 * A run that has effects, one after the other, until it is told where it ends: it is under way for as long as a test needs it.
 *
 * @param {string} ledger
 */
export function trips(ledger) {
  return flow({
    name: 'trips',
    version: 1,
    retry: { attemptsMax: 1_000, delayMsFirst: 50, factor: 1, jitter: 0 },
    run: async (ctx) => {
      for (let leg = 0; ; leg += 1) {
        await ctx.step('leg', (attempt) => send(ledger, attempt, { leg }))
        const { kind } = await ctx.signal('last', undefined, { within: 100 })
        if (kind === 'received') return leg
      }
    },
  })
}
