import { expect } from 'vitest'
import { days, flow, hours, seconds } from '../../dist/index.js'
import { crashTest, Ledger } from '../../dist/testing/index.js'

// \0rolldown/runtime.js
var __defProp = Object.defineProperty
var __exportAll = (all, no_symbols) => {
  const target = {}
  for (var name in all)
    __defProp(target, name, {
      get: all[name],
      enumerable: true,
    })
  if (!no_symbols) __defProp(target, Symbol.toStringTag, { value: 'Module' })
  return target
}
// packages/constancia/test/golden/effects.ts
/** Where every flow here has its effects. It remembers keys. */
const bank = new Ledger()
/** Has an effect, and returns what it was. */
const pay = (what) => (attempt) => bank.receive(attempt.key, what)
/** Fails in the attempts named and pays in the others. */
const payUnless = (failing, what) => async (attempt) => {
  if (failing.includes(attempt.attempt)) throw new Error(`attempt ${attempt.attempt} of ${what} failed`)
  return bank.receive(attempt.key, what)
}
/** An error as a text. */
const failed = (reason) => (reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason))
// packages/constancia/test/golden/family-flows.ts
/** Flows that start others. */
var family_flows_exports = /* @__PURE__ */ __exportAll({ family: () => family })
const leaf = flow({
  name: 'leaf',
  version: 1,
  run: (ctx, { name }) => ctx.step('work', pay({ name })),
})
const branch = flow({
  name: 'branch',
  version: 1,
  async run(ctx, names) {
    const done = []
    for (const name of names) done.push(await ctx.call(leaf, { name }))
    return done
  },
})
const brittle = flow({
  name: 'brittle',
  version: 1,
  retry: {
    attemptsMax: 2,
    delayMsFirst: 1e3,
  },
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
const family = {
  flow: flow({
    name: 'family',
    version: 1,
    async run(ctx) {
      const [kept, broken] = await Promise.all([
        ctx.call(branch, ['a']),
        ctx.call(brittle, void 0).catch((error) => failed(error)),
      ])
      ctx.call(endless, void 0)
      return {
        kept,
        broken,
        closed: await ctx.step('close', pay('closed')),
      }
    },
  }),
  input: void 0,
  flows: [leaf, branch, brittle, endless],
  gives: {
    kept: [{ name: 'a' }],
    broken: 'Error: attempt 2 of brittle failed',
    closed: 'closed',
  },
}
// packages/constancia/test/golden/cancelled-flows.ts
/** Flows that are cancelled: while they wait, work, or clean up. */
var cancelled_flows_exports = /* @__PURE__ */ __exportAll({
  cancelledFlows: () => cancelledFlows,
  hotel: () => hotel,
})
const toiling = flow({
  name: 'toiling',
  version: 1,
  async run(ctx, rounds) {
    for (let round = 0; round < rounds; round += 1) {
      await ctx.step(`toil ${round}`, pay(round))
      await ctx.sleep(hours(1))
    }
    return rounds
  },
})
const tidy = flow({
  name: 'tidy',
  version: 1,
  async run(ctx) {
    try {
      return await ctx.call(toiling, 1)
    } finally {
      await ctx.step('tidy up', pay('tidied'))
    }
  },
})
/** Has children in all states while it goes on; its clean-up is a step of its own. Ends by itself if nobody cancels it. */
const hotel = {
  flow: flow({
    name: 'hotel',
    version: 1,
    retry: {
      attemptsMax: 2,
      delayMsFirst: 1e3,
    },
    async run(ctx) {
      await ctx.step('reserve', pay('reserved'))
      try {
        const toil = ctx.call(toiling, 2)
        const tidied = await ctx.call(tidy, void 0)
        const second = await ctx.step('second time', payUnless([1], 'second'))
        const confirmed = await ctx.signal('confirm')
        return {
          toil: await toil,
          tidied,
          second,
          confirmed,
        }
      } finally {
        await ctx.step('release', pay('released'))
      }
    },
  }),
  input: void 0,
  flows: [toiling, tidy],
  signals: [
    {
      name: 'confirm',
      payload: 'yes',
      afterEvents: 5,
    },
  ],
  gives: {
    toil: 2,
    tidied: 1,
    second: 'second',
    confirmed: 'yes',
  },
}
const releasing = (run, name) =>
  flow({
    name,
    version: 1,
    retry: {
      attemptsMax: 2,
      delayMsFirst: hours(1),
    },
    async run(ctx, input) {
      try {
        return await run(ctx, input)
      } finally {
        await ctx.step('release', pay('released'))
      }
    },
  })
const cancelled = expect.objectContaining({ code: 'run_cancelled' })
/** Cancelled in one state each. */
const cancelledFlows = [
  {
    flow: releasing(async (ctx) => {
      await ctx.sleep(days(30))
      await ctx.step('never', pay('never'))
    }, 'cancelled-asleep'),
    input: void 0,
    cancel: { afterEvents: 2 },
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await Promise.all([ctx.signal('go', void 0, { within: days(3) }), ctx.signal('other')])
      await ctx.step('never', pay('never'))
    }, 'cancelled-waiting'),
    input: void 0,
    cancel: { afterEvents: 3 },
    signals: [
      {
        name: 'unread',
        payload: 1,
        afterEvents: 2,
      },
    ],
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await ctx.step('again', payUnless([1], 'again'))
      await ctx.step('never', pay('never'))
    }, 'cancelled-in-a-retry-delay'),
    input: void 0,
    cancel: { afterEvents: 2 },
    gives: cancelled,
  },
  {
    flow: releasing(async (ctx) => {
      await ctx.step(
        'works',
        ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      )
      await ctx.step('never', pay('never'))
    }, 'cancelled-at-work'),
    input: void 0,
    cancel: { afterEvents: 1 },
    gives: cancelled,
  },
  {
    flow: flow({
      name: 'cancelled-and-the-clean-up-fails',
      version: 1,
      retry: {
        attemptsMax: 2,
        delayMsFirst: seconds(1),
      },
      async run(ctx) {
        try {
          await ctx.sleep(days(30))
        } finally {
          await ctx.step('undo', pay('undone'))
          await ctx.step('release', payUnless([1, 2], 'released'))
          await ctx.step('never', pay('never'))
        }
      },
    }),
    input: void 0,
    cancel: { afterEvents: 1 },
    gives: /* @__PURE__ */ new Error('attempt 2 of released failed'),
  },
  {
    flow: releasing(async (ctx) => {
      const quick = await ctx.call(toiling, 0)
      await ctx.call(toiling, 1)
      await ctx.step('never', pay(quick))
    }, 'cancelled-by-force'),
    input: void 0,
    flows: [toiling],
    cancel: {
      afterEvents: 4,
      force: true,
    },
    gives: void 0,
  },
]
// packages/constancia/test/golden/continued-flows.ts
/** Flows whose runs are taken over by others, and flows whose code changes under them. */
var continued_flows_exports = /* @__PURE__ */ __exportAll({
  continued: () => continued,
  lineage: () => lineage,
  patched: () => patched,
  patchedAfter: () => patchedAfter,
})
const counting = flow({
  name: 'counting',
  version: 1,
  async run(ctx, { handled, goal }) {
    const seen = [...handled]
    for (let count = 0; count < 2 && seen.length < goal; count += 1) {
      const tick = await ctx.signal('tick')
      seen.push(await ctx.step('handle', pay(tick)))
    }
    return seen.length < goal
      ? ctx.continueAsNew({
          handled: seen,
          goal,
        })
      : seen
  },
})
/** Signals come at every moment: early, in bursts, and just as one run is to be taken over by the next. */
const continued = {
  flow: counting,
  input: {
    handled: [],
    goal: 5,
  },
  signals: [
    {
      name: 'tick',
      payload: 1,
      afterEvents: 1,
    },
    {
      name: 'noise',
      payload: 0,
      afterEvents: 2,
    },
    {
      name: 'tick',
      payload: 2,
      afterEvents: 4,
    },
    {
      name: 'tick',
      payload: 3,
      afterEvents: 6,
    },
    {
      name: 'tick',
      payload: 4,
      afterEvents: 7,
    },
    {
      name: 'tick',
      payload: 5,
      afterEvents: 14,
    },
  ],
  gives: [1, 2, 3, 4, 5],
}
/** A child that is taken over is still the child of its parent, for signals and for its end. */
const lineage = {
  flow: flow({
    name: 'lineage',
    version: 1,
    async run(ctx) {
      const counted = await ctx.call(counting, {
        handled: [],
        goal: 3,
      })
      return ctx.step('sum', pay(counted.reduce((sum, one) => sum + one, 0)))
    },
  }),
  input: void 0,
  flows: [counting],
  signals: [
    {
      name: 'tick',
      payload: 1,
      to: '0',
      afterEvents: 1,
    },
    {
      name: 'tick',
      payload: 2,
      to: '0',
      afterEvents: 3,
    },
    {
      name: 'tick',
      payload: 4,
      to: '0',
      afterEvents: 5,
    },
  ],
  gives: 7,
}
const part = (patches) =>
  flow({
    name: 'part',
    version: 1,
    patches,
    run: async (ctx) =>
      patches.length > 0 && ctx.patched('twice')
        ? [await ctx.step('once', pay(1)), await ctx.step('twice', pay(2))]
        : [await ctx.step('once', pay(1))],
  })
/** The code before a patch (without one) and after it. */
const patchable = (patches) => {
  const isNew = patches.length > 0
  const own = part(patches)
  return {
    whole: flow({
      name: 'patched',
      version: 1,
      patches,
      async run(ctx) {
        const first = await ctx.call(own, void 0)
        if (isNew && ctx.patched('twice')) await ctx.step('announce', pay('announced'))
        await ctx.sleep(days(1))
        const second = await ctx.call(own, void 0)
        if (!isNew || !ctx.patched('twice')) await ctx.step('old end', pay('old'))
        return {
          first,
          second,
          isPatched: isNew && ctx.patched('twice'),
        }
      },
    }),
    part: own,
  }
}
const before = patchable([])
const after = patchable(['twice'])
/** Begins under the code before the patch and goes on under the code after it, which comes after so many events. */
const patchedAfter = (afterEvents) => ({
  flow: before.whole,
  input: void 0,
  flows: [before.part],
  upgrade: {
    afterEvents,
    flows: [after.whole, after.part],
  },
  gives: {
    first: [1],
    second: [1, 2],
    isPatched: false,
  },
})
/** Begins when the patch is there. */
const patched = {
  flow: after.whole,
  input: void 0,
  flows: [after.part],
  gives: {
    first: [1, 2],
    second: [1, 2],
    isPatched: true,
  },
}
// packages/constancia/test/golden/.try.mts
process.on('exit', () => console.log(globalThis.where))
const { gives: _, ...given } = {
  ...family_flows_exports,
  ...cancelled_flows_exports,
  ...continued_flows_exports,
  ...Object.fromEntries(cancelledFlows.map((x) => [x.flow.name, x])),
}[process.argv[2] ?? 'family']
const began = performance.now()
setTimeout(() => process.exit(0), 12e5).unref()
try {
  const report = await crashTest({
    ...given,
    destination: bank,
    patienceMs: 2,
    pairs: process.argv[3] === 'pairs',
    takeovers: process.argv[3] !== 'single',
  })
  console.log(report.table(), report.triedCount, performance.now() - began)
} catch (e) {
  console.log(String(e.stack).slice(0, 6e3), performance.now() - began)
}
