import { ConstanciaError, flow, PermanentError } from 'constancia'

/** @typedef {import('constancia').FlowContext} FlowContext */

/** Waits for a person between two steps. */
export const pay = flow({
  name: 'pay',
  version: 1,
  run: async (/** @type {FlowContext} */ ctx, /** @type {{ amount: number }} */ { amount }) => {
    const hold = await ctx.step('reserve', () => `hold on ${amount}`)
    await ctx.signal('approved')
    return ctx.step('charge', () => `paid: ${hold}`)
  },
})

/** Fails for good. */
export const fail = flow({
  name: 'fail',
  version: 1,
  run: (ctx) =>
    ctx.step('hopeless', () => {
      throw new PermanentError('no such account')
    }),
})

/** Fails once with words that would recolour a terminal, then succeeds. */
export const flaky = flow({
  name: 'flaky',
  version: 1,
  retry: { delayMsFirst: 1, jitter: 0 },
  run: (ctx) =>
    ctx.step('send \u001b[31mred', ({ attempt }) => {
      if (attempt === 1) throw new Error('no answer\u001b[2J\u202e')
      return { sent: true }
    }),
})

/** Calls a flow that waits. */
export const order = flow({
  name: 'order',
  version: 1,
  run: (/** @type {FlowContext} */ ctx, /** @type {{ amount: number }} */ input) => ctx.call(pay, input),
})

/** Goes on as another run, once. */
export const relay = flow({
  name: 'relay',
  version: 1,
  run: async (/** @type {FlowContext} */ ctx, /** @type {{ leg: number }} */ { leg }) => {
    if (leg === 0) return ctx.continueAsNew({ leg: 1 })
    await ctx.signal('baton')
    return 'arrived'
  },
})

/** Awaits what is not in the journal. */
export const astray = flow({
  name: 'astray',
  version: 1,
  run: async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await ctx.step('never', () => 1)
  },
})

/** Tells whether an error of the engine is an instance of the class that this file imports. */
export const kin = flow({
  name: 'kin',
  version: 1,
  run: async (ctx) => {
    try {
      await ctx.sleep(-1)
      return 'no error'
    } catch (error) {
      return error instanceof ConstanciaError ? 'one copy' : 'two copies'
    }
  },
})

/** All of them. */
export const flows = [pay, fail, flaky, order, relay, astray, kin]
