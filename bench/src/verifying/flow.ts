import { type FlowContext, flow } from 'constancia'
import { resultOf } from '../advancing.js'

/** Does so many steps. */
export const walk = flow({
  name: 'walk',
  version: 1,
  run: async (ctx: FlowContext, steps: number): Promise<void> => {
    for (let index = 0; index < steps; index += 1) await ctx.step('work', () => resultOf(index))
  },
})
