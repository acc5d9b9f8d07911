/** Flows that people govern: what they do may happen only after somebody was asked, and while those who asked may. */
import { z } from 'zod'
import { act, action, allow, approve, days, flow, idempotent, say, wait, when } from '../../dist/index.js'
import { doubtfulFlows } from './doubtful-flows.js'
import { bank } from './effects.js'
import {
  analysts,
  direct,
  forTreasurers,
  type GovernedGolden,
  payment,
  readInvoice,
  receipt,
  transferOf,
  treasury,
} from './governed-treasury.js'

const toTheBank = transferOf({ effect: idempotent({ remembersMs: days(30) }) })

function paying(name: string, transfer: typeof toTheBank) {
  return flow({
    ...analysts,
    name,
    async run(ctx, { invoice }: { readonly invoice: string }) {
      const bill = await ctx.do(readInvoice, { invoice })
      const decision = await ctx.approval('treasury', {
        ...forTreasurers,
        for: transfer.with(bill),
        amendable: true,
      })
      if (decision.outcome !== 'approved') return { paid: false, why: decision.outcome }
      const { receipt } = await ctx.do(decision.action)
      await ctx.say('payment-released', { receipt })
      return { paid: true, receipt }
    },
  })
}

const payInvoice = paying('pay-invoice', toTheBank)
const amended = paying('pay-amended', toTheBank)
const expiring = paying('expiring', toTheBank)
const denied = paying('denied', toTheBank)
const cancelled = paying('cancelled', toTheBank)
const leaving = paying('cancelled-meanwhile', toTheBank)

const takeBack = action({
  name: 'bank.take-back',
  input: z.object({ input: payment, output: receipt }),
  effect: idempotent({ remembersMs: days(30) }),
  run: (what, { key }) => void bank.receive(key, what),
})
const undoable = transferOf({ effect: idempotent({ remembersMs: days(30) }), undo: takeBack })

const asking = direct('asks-by-itself', toTheBank, 9_000)

const branches = flow({
  ...analysts,
  name: 'branches',
  async run(ctx) {
    return ctx.map([5_000, 6_000], async (cents, own, index) => {
      const decision = await own.approval(`payment ${index}`, {
        ...forTreasurers,
        for: toTheBank.with({ to: 'acme', cents }),
      })
      if (decision.outcome !== 'approved') return decision.outcome
      return (await own.do(decision.action)).receipt
    })
  },
})

const second = flow({
  ...analysts,
  name: 'lapsing',
  async run(ctx) {
    const options = { ...forTreasurers, for: toTheBank.with({ to: 'acme', cents: 5_000 }) }
    const first = await ctx.approval('first', options)
    const other = await ctx.approval('other', { roles: ['treasurer'], question: 'Are you sure?' })
    if (first.outcome !== 'approved') return other.outcome
    return ctx.do(first.action).catch((error: Error) => error.message)
  },
})

const fourEyes = flow({
  ...analysts,
  name: 'four-eyes',
  async run(ctx) {
    const decision = await ctx.approval('both', {
      roles: ['treasurer'],
      quorum: 2,
      escalate: { after: days(1), to: ['chief'] },
      question: 'Shall we?',
    })
    return { outcome: decision.outcome, votes: decision.votes }
  },
})

const racing = flow({
  ...analysts,
  name: 'racing',
  async run(ctx) {
    const asked = ctx
      .approval('slow', { roles: ['treasurer'], question: 'Still there?' })
      .then(({ outcome }) => outcome)
    const first = await Promise.race([asked, ctx.sleep(days(1)).then(() => 'the day is over')])
    const { receipt } = await ctx.do(toTheBank, { to: 'acme', cents: 5 })
    return { first, receipt, last: await asked }
  },
})

const base = { input: undefined, destination: bank } as const

const outlasted = flow({
  ...analysts,
  name: 'outlasted',
  async run(ctx) {
    await ctx.do(toTheBank, { to: 'acme', cents: 5 })
    await ctx.sleep(days(3))
    return ctx.do(toTheBank, { to: 'acme', cents: 6 })
  },
})

const planned = flow<{ readonly invoice: string }>({
  ...analysts,
  name: 'planned',
  steps: [
    act('bill', readInvoice, ({ input }) => input),
    wait('a-day', days(1)),
    approve('release', { ...forTreasurers, action: toTheBank, input: ({ results }) => results['bill'] }),
    when('approved', ({ results }) => results['release'].outcome === 'approved', [
      act('payment', toTheBank, { approvedAt: 'release' }),
      say('tell', 'payment-released', { receipt: ({ results }) => results['payment'].receipt }),
    ]),
  ],
})

const withdrawing = flow({
  ...analysts,
  name: 'taking-back',
  async run(ctx) {
    await ctx.parallel([
      (one) => one.do(undoable, { to: 'acme', cents: 6 }),
      (other) => other.do(undoable, { to: 'acme', cents: 7 }),
    ])
    try {
      await ctx.do(undoable, { to: 'acme', cents: 5_000 })
    } catch {
      await ctx.compensate()
    }
    return 'taken back'
  },
})

const released = paying('pay-for-another', toTheBank)
const between = flow({
  ...analysts,
  name: 'has-it-paid',
  run: (ctx, { invoice }: { readonly invoice: string }) => ctx.call(released, { invoice }),
})
// It may call a model, so that what people decide in a child of its child keeps it waiting for its user.
const restricted = flow({
  ...analysts,
  name: 'restricted',
  models: 'deferred',
  async run(ctx, { invoice }: { readonly invoice: string }) {
    const { paid } = await ctx.call(between, { invoice })
    return ctx.step('tell', () => `paid: ${paid}`)
  },
})

/** Every governed flow of the golden test. */
export const governedFlows: readonly GovernedGolden[] = [
  {
    flow: payInvoice,
    input: { invoice: '250000' },
    contract: treasury(payInvoice, toTheBank),
    destination: bank,
    votes: [{ on: 'treasury', voter: 'tom', note: 'As agreed.' }],
    has: ['ApprovalRequested', 'ApprovalVoted', 'ResumeAuthorized', 'ActionCompleted', 'MessageSent'],
    acceptedCount: 2,
    downtimeMs: days(3),
  },
  {
    flow: amended,
    input: { invoice: '250000' },
    contract: treasury(amended, toTheBank),
    destination: bank,
    votes: [{ on: 'treasury', voter: 'tom', amended: { to: 'acme', cents: 200_000 } }],
    has: ['ApprovalVoted', 'ActionCompleted'],
    acceptedCount: 2,
  },
  {
    ...base,
    flow: asking,
    contract: treasury(asking, toTheBank),
    votes: [{ on: 'bank.transfer', voter: 'tess' }],
    has: ['ApprovalRequested', 'ApprovalVoted', 'ResumeAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
  {
    ...base,
    flow: branches,
    contract: treasury(branches, toTheBank),
    votes: [
      { on: 'payment 1', voter: 'tess', afterEvents: 3 },
      { on: 'payment 0', voter: 'tom', afterEvents: 8 },
    ],
    has: ['ApprovalRequested', 'ApprovalVoted', 'ResumeAuthorized', 'ActionCompleted'],
    acceptedCount: 2,
  },
  {
    flow: second,
    input: undefined,
    contract: treasury(second, toTheBank),
    destination: bank,
    votes: [
      { on: 'first', voter: 'tom' },
      { on: 'other', voter: 'tess', afterEvents: 6 },
    ],
    changes: [
      {
        afterEvents: 6,
        change: ({ directory }) => directory.revoke({ principal: 'tom', role: 'treasurer', by: 'ada' }),
      },
    ],
    has: ['ActionDenied', 'FlowCompleted'],
    acceptedCount: 0,
  },
  {
    ...base,
    flow: fourEyes,
    contract: treasury(fourEyes, toTheBank),
    votes: [
      { on: 'both', voter: 'tess', note: 'Yes.' },
      { on: 'both', voter: 'cleo', afterEvents: 4 },
    ],
    has: ['ApprovalVoted', 'ApprovalEscalated', 'ApprovalResolved', 'FlowCompleted'],
    acceptedCount: 0,
  },
  {
    ...base,
    flow: racing,
    contract: treasury(racing, toTheBank),
    votes: [{ on: 'slow', voter: 'tom', afterEvents: 7 }],
    has: ['TimerFired', 'ActionCompleted', 'ApprovalVoted', 'FlowCompleted'],
    acceptedCount: 1,
  },
  {
    flow: expiring,
    input: { invoice: '250000' },
    contract: treasury(expiring, toTheBank),
    destination: bank,
    has: ['ApprovalRequested', 'ApprovalResolved', 'ResumeAuthorized', 'FlowCompleted'],
    acceptedCount: 1,
    downtimeMs: days(5),
  },
  {
    flow: cancelled,
    input: { invoice: '250000' },
    contract: treasury(cancelled, toTheBank),
    destination: bank,
    cancel: { afterEvents: 4 },
    has: ['ApprovalRequested', 'CancelRequested', 'FlowCancelled'],
    acceptedCount: 1,
  },
  {
    flow: denied,
    input: { invoice: '250000' },
    contract: treasury(denied, toTheBank),
    destination: bank,
    changes: [
      { afterEvents: 4, change: ({ directory }) => directory.revoke({ principal: 'ann', role: 'analyst', by: 'ada' }) },
    ],
    votes: [{ on: 'treasury', voter: 'tom', afterEvents: 4 }],
    has: ['ApprovalRequested', 'ApprovalVoted', 'MessageSent', 'FlowFailed'],
    acceptedCount: 1,
  },
  {
    flow: leaving,
    input: { invoice: '500' },
    contract: treasury(leaving, toTheBank),
    destination: bank,
    cancel: { afterEvents: 2 },
    has: ['ActionAuthorized', 'CancelRequested', 'ActionCompleted', 'FlowCancelled'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
  {
    ...base,
    flow: outlasted,
    contract: treasury(outlasted, toTheBank),
    actorUntilMs: Date.UTC(2026, 0, 3),
    has: ['ActionCompleted', 'TimerSet', 'MessageSent', 'FlowFailed'],
    acceptedCount: 1,
  },
  {
    flow: planned,
    input: { invoice: '7000' },
    contract: treasury(planned, toTheBank),
    destination: bank,
    votes: [{ on: 'release', voter: 'tess' }],
    has: ['TimerFired', 'ApprovalVoted', 'ActionCompleted', 'MessageSent', 'FlowCompleted'],
    acceptedCount: 2,
  },
  {
    ...base,
    flow: withdrawing,
    contract: treasury(withdrawing, undoable, [allow(takeBack).to('analyst')]),
    votes: [{ on: 'bank.transfer', voter: 'tess', choice: 'reject' }],
    has: ['ApprovalVoted', 'ActionDenied', 'ActionCompleted', 'FlowCompleted'],
    acceptedCount: 4,
  },
  {
    flow: restricted,
    flows: [between, released],
    input: { invoice: '7000' },
    contract: treasury([restricted, between, released], toTheBank),
    destination: bank,
    votes: [{ on: 'treasury', ofChild: '0~0', voter: 'tess' }],
    has: ['ApprovalVoted', 'ActionCompleted', 'ChildEnded', 'ResumeDeferred', 'MessageSent', 'FlowCompleted'],
    acceptedCount: 2,
  },
  ...doubtfulFlows,
]
