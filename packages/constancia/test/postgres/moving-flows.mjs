// @ts-check
import { appendFileSync, existsSync } from 'node:fs'
import { flow, hours, schedule } from 'constancia'

/** @typedef {import('constancia').FlowContext} FlowContext */

/**
 * Flows of a project that is moved. Each execution of a step is a line of the ledger, which no store knows of: the step's key.
 * @param {string} folder
 */
export function movingProject(folder) {
  /** @param {{ key: string }} attempt */
  const note = ({ key }) => appendFileSync(`${folder}/ledger`, `${key}\n`)

  const pay = flow({
    name: 'pay',
    version: 1,
    run: async (/** @type {FlowContext} */ ctx, /** @type {number} */ amount) => {
      await ctx.step('reserve', note)
      const by = await ctx.signal('approved')
      await ctx.step('charge', note)
      return [amount, by]
    },
  })
  const order = flow({
    name: 'order',
    version: 1,
    run: async (/** @type {FlowContext} */ ctx, /** @type {number} */ amount) => {
      const paid = await ctx.call(pay, amount)
      await ctx.step('ship', note)
      return paid
    },
  })
  const relay = flow({
    name: 'relay',
    version: 1,
    run: async (/** @type {FlowContext} */ ctx, /** @type {number} */ leg) => {
      await ctx.step('run', note)
      if (leg < 2) return ctx.continueAsNew(leg + 1)
      return ctx.signal('baton')
    },
  })
  const sleeper = flow({
    name: 'sleeper',
    version: 1,
    run: async (ctx) => {
      await ctx.step('lie down', note)
      await ctx.sleep(hours(20))
    },
  })
  const reader = flow({
    name: 'reader',
    version: 1,
    run: async (ctx) => [await ctx.signal('late'), await ctx.signal('early')],
  })
  const astray = flow({
    name: 'astray',
    version: 1,
    run: async (ctx) => {
      await ctx.step('set out', note)
      if (!existsSync(`${folder}/mended`)) await new Promise((resolve) => setTimeout(resolve, 1))
      await ctx.step('arrive', note)
    },
  })
  // Its second step lasts until it is told to end: whoever executes it can be killed meanwhile.
  const stalled = flow({
    name: 'stalled',
    version: 1,
    run: async (ctx) => {
      await ctx.step('begin', note)
      await ctx.step('endure', async (attempt) => {
        note(attempt)
        while (!existsSync(`${folder}/go`)) await new Promise((resolve) => setTimeout(resolve, 10))
      })
      await ctx.step('finish', note)
    },
  })
  const daily = schedule({ name: 'daily', cron: '0 3 * * *', timeZone: 'UTC', flow: sleeper, input: null })
  return { pay, order, relay, sleeper, reader, astray, stalled, daily }
}
