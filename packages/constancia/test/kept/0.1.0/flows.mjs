/**
 * The flows whose journals are kept beside this file. Never edited: a change here is what the test is there to find. A
 * later version keeps journals, and flows, of its own.
 */
import { days, flow, hours, PermanentError } from 'constancia'

const values = flow({
  name: 'values',
  version: 1,
  async run(ctx, input) {
    const kept = await ctx.step('keep', () => ({
      date: new Date(0),
      big: 2n ** 70n,
      map: new Map([['a', new Set([1, Number.NaN, -0])]]),
      bytes: new Uint8Array([1, 2, 255]),
      nothing: undefined,
      list: [1, undefined, Number.POSITIVE_INFINITY],
      text: 'ü\u2028\u0000',
    }))
    const now = ctx.now() >= input.from.getTime()
    return { kept, now, random: ctx.random() < 1, uuid: ctx.uuid().length }
  },
})

const failures = flow({
  name: 'failures',
  version: 1,
  retry: { attemptsMax: 3, delayMsFirst: 1_000 },
  async run(ctx) {
    const flaky = await ctx.step('flaky', ({ attempt }) => {
      if (attempt < 3) throw new RangeError(`attempt ${attempt}`, { cause: { code: 'E_BUSY' } })
      return attempt
    })
    const caught = []
    for (const [name, error] of [
      ['hard', new PermanentError('never', { cause: new TypeError('why') })],
      ['soft', Object.assign(new Error('again'), { code: 'E_SOFT' })],
    ]) {
      const fail = () => {
        throw error
      }
      await ctx
        .step(name, fail, { retry: { attemptsMax: 2, delayMsFirst: 10 } })
        .catch((one) => caught.push([one.name, one.message]))
    }
    void ctx.step('nobody awaits this', () => Promise.reject(new Error('unseen')), { retry: { attemptsMax: 1 } })
    return { flaky, caught }
  },
})

const races = flow({
  name: 'races',
  version: 1,
  async run(ctx) {
    const first = await Promise.race([
      ctx.sleep(hours(1)).then(() => 'timer'),
      ctx.signal('hurry').then((how) => `signal ${how}`),
    ])
    const limited = await ctx.signal('silence', undefined, { within: 5_000 })
    const answered = await ctx.signal('answer', undefined, { within: days(1) })
    const branches = await ctx.map(['a', 'b', 'c'], async (item, own, index) => {
      await own.sleep((3 - index) * 1_000)
      return await own.step(`branch ${item}`, () => item.repeat(index + 1))
    })
    const both = await ctx.parallel([
      (own) => own.step('left', () => 1),
      (own) => own.sleep(new Date(Date.UTC(2026, 5, 1))),
    ])
    return { first, limited, answered, branches, both }
  },
})

const leaf = flow({
  name: 'leaf',
  version: 2,
  async run(ctx, input) {
    if (input.fail) throw new PermanentError('leaf failed')
    return await ctx.step('double', () => input.n * 2)
  },
})

const sleepy = flow({
  name: 'sleepy',
  version: 1,
  async run(ctx) {
    try {
      await ctx.sleep(days(400))
    } finally {
      await ctx.step('clean up', () => 'clean')
    }
  },
})

const family = flow({
  name: 'family',
  version: 1,
  async run(ctx) {
    const doubled = await ctx.call(leaf, { n: 21, fail: false })
    const failed = await ctx.call(leaf, { n: 0, fail: true }).catch((error) => error.message)
    const left = await Promise.race([ctx.call(sleepy, null), ctx.sleep(1_000).then(() => 'left behind')])
    return { doubled, failed, left }
  },
})

const cancelled = flow({
  name: 'cancelled',
  version: 1,
  async run(ctx) {
    try {
      await Promise.all([ctx.call(sleepy, null), ctx.signal('never'), ctx.sleep(days(3))])
    } finally {
      await ctx.step('release', () => 'released')
    }
  },
})

const eternal = flow({
  name: 'eternal',
  version: 1,
  patches: ['rounds'],
  async run(ctx, { seen }) {
    const read = [...seen]
    while (read.length < 9) {
      if (ctx.eventCount >= 7 && ctx.patched('rounds')) return ctx.continueAsNew({ seen: read })
      read.push(await ctx.signal('n'))
    }
    return read
  },
})

const parked = flow({
  name: 'parked',
  version: 1,
  async run(ctx) {
    await ctx.step('before', () => 'done')
    return await ctx.signal('some day')
  },
})

export const flows = [values, failures, races, leaf, sleepy, family, cancelled, eternal, parked]

/** How the runs are made whose journals are kept: start, then signals once the run waits for them, then perhaps a cancel. */
export const runs = [
  { id: 'values', flow: 'values', input: { from: new Date(0) } },
  { id: 'failures', flow: 'failures', input: null },
  {
    id: 'races',
    flow: 'races',
    input: null,
    signals: [
      ['hurry', 'now'],
      ['answer', 42],
    ],
  },
  { id: 'family', flow: 'family', input: null },
  { id: 'cancelled', flow: 'cancelled', input: null, cancel: 'the order was withdrawn' },
  { id: 'eternal', flow: 'eternal', input: { seen: [] }, signals: Array.from({ length: 9 }, (_, n) => ['n', n]) },
  { id: 'parked', flow: 'parked', input: null },
]
