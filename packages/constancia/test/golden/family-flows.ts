/** Flows that start others. */
import { flow } from '../../dist/index.js'
import { failed, type Golden, pay, payUnless } from './effects.js'

const leaf = flow<{ readonly name: string }>({
  name: 'leaf',
  version: 1,
  run: (ctx, { name }) => ctx.step('work', pay({ name })),
})

const branch = flow<readonly string[]>({
  name: 'branch',
  version: 1,
  async run(ctx, names) {
    const done: unknown[] = []
    for (const name of names) done.push(await ctx.call(leaf, { name }))
    return done
  },
})

const brittle = flow({
  name: 'brittle',
  version: 1,
  retry: { attemptsMax: 2, delayMsFirst: 1_000 },
  run: (ctx) => ctx.step('try', payUnless([1, 2], 'brittle')),
})

const endless = flow({
  name: 'endless',
  version: 1,
  async run(ctx) {
    await ctx.step('begin', pay('began'))
    await ctx.signal('never')
  },
})

export const family: Golden = {
  flow: flow({
    name: 'family',
    version: 1,
    async run(ctx) {
      const [kept, broken] = await Promise.all([
        ctx.call(branch, ['a']),
        ctx.call(brittle, undefined).catch((error: unknown) => failed(error)),
      ])
      void ctx.call(endless, undefined) // Nobody waits for it: it is cancelled at the end.
      const closed = await ctx.step('close', pay('closed'))
      return { kept, broken, closed }
    },
  }),
  input: undefined,
  flows: [leaf, branch, brittle, endless],
  everyNthPair: 8,
  gives: { kept: [{ name: 'a' }], broken: 'Error: attempt 2 of brittle failed', closed: 'closed' },
}
