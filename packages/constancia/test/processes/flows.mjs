// @ts-check
// Flows that are killed: their steps have effects on a ledger in another process. What each returns follows from its input.
import { flow } from 'constancia'
import { send } from './destination.mjs'

/** @typedef {{ readonly ledger: string, readonly order: string }} Input */

const retry = { attemptsMax: 10, delayMsFirst: 5, factor: 1, jitter: 0 }

const linear = flow({
  name: 'linear',
  version: 1,
  retry,
  run: async (ctx, /** @type {Input} */ { ledger, order }) => {
    const done = []
    for (const what of ['reserve', 'charge', 'pack', 'ship', 'bill', 'thank']) {
      done.push(await ctx.step(what, async (attempt) => (await send(ledger, attempt, { order, what })).what))
    }
    return { order, done }
  },
})

const branches = flow({
  name: 'branches',
  version: 1,
  retry,
  run: async (ctx, /** @type {Input} */ { ledger, order }) => {
    const pair = async (/** @type {import('constancia').FlowContext} */ branch, /** @type {string} */ what) => {
      await branch.step(`${what}-first`, (attempt) => send(ledger, attempt, { order, what, part: 1 }))
      return (await branch.step(`${what}-second`, (attempt) => send(ledger, attempt, { order, what, part: 2 }))).part
    }
    const pairs = await ctx.parallel([(a) => pair(a, 'north'), (b) => pair(b, 'south'), (c) => pair(c, 'west')])
    const items = await ctx.map(
      [1, 2, 3, 4, 5],
      async (item, branch) =>
        (await branch.step('item', (attempt) => send(ledger, attempt, { order, item }))).item * 10,
      { concurrency: 2 },
    )
    const plain = await Promise.all(['x', 'y'].map((what) => ctx.step(what, (attempt) => send(ledger, attempt, what))))
    return { order, pairs, items, plain }
  },
})

const timers = flow({
  name: 'timers',
  version: 1,
  retry,
  run: async (ctx, /** @type {Input} */ { ledger, order }) => {
    await ctx.step('before', (attempt) => send(ledger, attempt, { order, when: 'before' }))
    await ctx.sleep(20)
    await ctx.step('between', (attempt) => send(ledger, attempt, { order, when: 'between' }))
    await Promise.all([ctx.sleep(5), ctx.sleep(30)])
    return ctx.step('after', async (attempt) => (await send(ledger, attempt, { order, when: 'after' })).when)
  },
})

const signals = flow({
  name: 'signals',
  version: 1,
  retry,
  run: async (ctx, /** @type {Input} */ { ledger, order }) => {
    await ctx.step('offer', (attempt) => send(ledger, attempt, { order, what: 'offer' }))
    const accepted = await ctx.signal('accepted')
    await ctx.step('confirm', (attempt) => send(ledger, attempt, { order, what: 'confirm', accepted }))
    const paid = await ctx.signal('paid')
    const late = await ctx.signal('never', undefined, { within: 15 })
    return ctx.step('close', async (attempt) => ({ ...(await send(ledger, attempt, { order, accepted, paid })), late }))
  },
})

// The effect happens and its answer is lost: twice, or once and then for good.
const retries = flow({
  name: 'retries',
  version: 1,
  retry,
  run: async (ctx, /** @type {Input} */ { ledger, order }) => {
    const lost = (/** @type {string} */ what, /** @type {number} */ times) =>
      ctx.step(what, async (attempt) => {
        const kept = await send(ledger, attempt, { order, what })
        if (attempt.attempt <= times) throw new Error('The answer was lost.')
        return { what: kept.what, attempt: attempt.attempt }
      })
    const first = await lost('twice', 2)
    const draws = [ctx.random(), ctx.uuid()]
    const given = await ctx.step('draws', (attempt) => send(ledger, attempt, { order, draws }))
    const second = await ctx
      .step('for good', () => Promise.reject(new TypeError('No.')), { retry: { attemptsMax: 2 } })
      .catch((/** @type {Error} */ error) => error.name)
    return { order, first, same: given.draws[1] === draws[1], second }
  },
})

// biome-ignore lint/style/noDefaultExport: the processes of a kill test take the flows from there.
export default [linear, branches, timers, signals, retries]
