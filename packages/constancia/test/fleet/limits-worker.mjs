// @ts-check
// A worker process on PostgreSQL whose runs stand at a judge's until they are let go. It is told by `{ … }` as its only argument.
import { flow, open, schedule } from 'constancia'
import { postgres } from 'constancia/postgres'
import { send } from '../processes/destination.mjs'

process.once('disconnect', () => process.exit())
const { url, schema, judge, name, concurrency, aheadMs, schedules } = JSON.parse(process.argv[2] ?? '')

/** @typedef {{ readonly key?: string, readonly rank?: number }} Input */

/**
 * @param {string} of
 * @param {Partial<import('constancia').FlowDeclaration<Input, unknown>>} more
 */
const standing = (of, more = {}) =>
  flow({
    name: of,
    version: 1,
    run: (ctx, /** @type {Input} */ input) =>
      ctx.step('stand', ({ key }) => send(judge, { key }, { run: ctx.runId, flow: of, worker: name, ...input })),
    ...more,
  })

const limited = standing('limited', {
  key: ({ key }) => key ?? '',
  concurrency: { running: 4, runningPerKey: 2 },
})
const report = standing('report')
const flows = [limited, standing('many'), standing('few'), standing('ranked'), report]

// Time is as it is, but that it jumps where it is told to.
let ahead = aheadMs
process.on('message', (/** @type {number} */ ms) => {
  ahead = ms
  process.send?.('jumped')
})
const clock = {
  now: () => Date.now() + ahead,
  monotonic: () => performance.now() + ahead,
  after: (/** @type {number} */ delayMs, /** @type {() => void} */ call) => {
    const timer = setTimeout(call, Math.min(delayMs, 2 ** 31 - 1))
    return () => clearTimeout(timer)
  },
}

await open({
  store: postgres({ url, schema }),
  flows,
  schedules: Object.entries(schedules).map(([of, cron]) =>
    schedule({ name: of, cron: String(cron), timeZone: 'Europe/Madrid', flow: report, input: {} }),
  ),
  // Nobody but who was killed loses a run, however slow the machine is.
  worker: { name, concurrency, pollMs: 100, leaseMs: 40 * 86_400_000, lostLeaseCountMax: 1_000_000 },
  log: () => undefined,
  parts: { clock },
})
process.send?.('ready')
