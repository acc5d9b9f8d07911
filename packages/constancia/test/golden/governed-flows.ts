/** Flows that people govern: what they do may happen only after somebody was asked, and while those who asked may. */
import { type AnyAction, days, flow, hours, idempotent, once, verify } from '../../dist/index.js'
import { bank } from './effects.js'
import {
  analysts,
  forTreasurers,
  type GovernedGolden,
  lookIntoTheTill,
  readInvoice,
  till,
  toBank,
  toTill,
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

function direct(name: string, transfer: AnyAction, cents: number) {
  return flow({
    ...analysts,
    name,
    async run(ctx) {
      const { receipt } = (await ctx.do(transfer, { to: 'acme', cents })) as { readonly receipt: string }
      await ctx.say('payment-released', { receipt })
      return receipt
    },
  })
}

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

const flaky = transferOf({
  effect: idempotent({ remembersMs: days(30) }),
  send: async (input, attempt) => {
    if (attempt.attempt === 1) throw new Error('Nobody listens.')
    const answer = await toBank(input, attempt)
    if (attempt.attempt === 2) throw new Error('The line was cut after it landed.')
    return answer
  },
})
const retrying = direct('retrying', flaky, 500)

const toTheTill = transferOf({ effect: once(), send: toTill })
const onceOnly = direct('once', toTheTill, 500)

const cutOff = transferOf({
  effect: once(),
  send: async (input, attempt) => {
    const answer = await toTill(input, attempt)
    if (attempt.attempt === 1) throw new Error('The line was cut after it landed.')
    return answer
  },
})
const doubted = direct('doubted', cutOff, 5_000)

const neverSent = transferOf({
  effect: once(),
  send: async (input, attempt) => {
    if (attempt.attempt === 1) throw new Error('The line was cut before anything was sent.')
    return toTill(input, attempt)
  },
})
const notDone = direct('not-done', neverSent, 500)

const verified = transferOf({ effect: verify({ settlesMs: hours(1) }), send: toTill })
const verifying = direct('verifying', verified, 500)

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

const shortMemory = transferOf({ effect: idempotent({ remembersMs: days(1) }), send: toTill })
const late = direct('forgotten', shortMemory, 500)

/** Of which a destination remembers no key for as long as its process is gone. */
export const forgotten: GovernedGolden = {
  ...base,
  flow: late,
  contract: treasury(late, shortMemory),
  destination: till,
  statements: lookIntoTheTill,
  has: ['ActionAuthorized', 'ActionCompleted'],
  acceptedCount: 1,
}

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
    ...base,
    flow: retrying,
    contract: treasury(retrying, flaky),
    has: ['ActionAttemptFailed', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: onceOnly,
    contract: treasury(onceOnly, toTheTill),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
  {
    ...base,
    flow: doubted,
    contract: treasury(doubted, cutOff),
    destination: till,
    votes: [{ on: 'bank.transfer', voter: 'tess' }],
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: notDone,
    contract: treasury(notDone, neverSent),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: verifying,
    contract: treasury(verifying, verified),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
]
