// Code that is deployed again and again while its runs are paused: this text is changed, and the outcome put to work.
import { flow } from 'constancia'
import { tax } from 'taxes'

const say = (what) => globalThis.executed.push(what)

const approved = flow({
  name: 'approved',
  version: 1,
  run: async (ctx, amount) => {
    const price = await ctx.step('quote', () => {
      say(`quote ${ctx.runId}`)
      return tax(amount)
    })
    const answer = await ctx.signal('approved')
    return ctx.step('close', () => {
      say(`close ${ctx.runId}`)
      return [price, answer]
    })
  },
})

const asleep = flow({
  name: 'asleep',
  version: 1,
  run: async (ctx, amount) => {
    const price = await ctx.step('quote', () => {
      say(`quote ${ctx.runId}`)
      return tax(amount)
    })
    await ctx.sleep(86_400_000)
    return [price, 'awake']
  },
})

const signalled = flow({
  name: 'signalled',
  version: 1,
  run: async (ctx, amount) => {
    const [price, answer] = await Promise.all([
      ctx.step('quote', () => {
        say(`quote ${ctx.runId}`)
        return tax(amount)
      }),
      ctx.signal('signalled'),
    ])
    return [price, answer]
  },
})

export const flows = [approved, asleep, signalled]
