/** Flows that people govern: what they do may happen only after somebody was asked, and while those who asked may. */
import { z } from 'zod'
import {
  type AnyAction,
  type AttemptInfo,
  action,
  allow,
  type Contract,
  contract,
  days,
  type EffectProtocol,
  flow,
  type GovernedFlow,
  type GovernedRuntime,
  hours,
  idempotent,
  NotDispatched,
  once,
  verify,
} from '../../dist/index.js'
import type {
  Destination,
  ScriptedCancel,
  ScriptedChange,
  ScriptedStater,
  ScriptedVote,
} from '../../dist/testing/index.js'
import { bank } from './effects.js'

/** A destination that remembers no keys: each request that lands is one more. */
export class Till implements Destination {
  readonly #landed = new Map<string, unknown[]>()

  land<T>(key: string, what: T): T {
    this.#landed.set(key, [...(this.#landed.get(key) ?? []), what])
    return what
  }

  landed(key: string): readonly unknown[] {
    return this.#landed.get(key) ?? []
  }

  reset(): void {
    this.#landed.clear()
  }

  accepted(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#landed].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a flow takes its own input and nothing else; only `any` stands for all of them.
type AnyGoverned = GovernedFlow<any, unknown>

/** One governed flow of the golden test with all that its run needs. */
export interface GovernedGolden {
  readonly flow: AnyGoverned
  readonly input: unknown
  readonly contract: Contract
  readonly destination: Destination
  readonly votes?: readonly ScriptedVote[]
  readonly statements?: ScriptedStater
  readonly changes?: readonly ScriptedChange[]
  readonly cancel?: ScriptedCancel
  /** What its history has, so that it does not pass because it did something else. */
  readonly has: readonly string[]
  /** How many requests the destination accepts. */
  readonly acceptedCount: number
  /** For how long a process may be gone: no approval of it expires, and no destination forgets a key, unless that is told. */
  readonly downtimeMs?: number
}

const till = new Till()

const payment = z.object({ to: z.string(), cents: z.number().int().positive() })
type Payment = z.infer<typeof payment>

interface Transfer {
  readonly effect: EffectProtocol
  /** What becomes of a request, by its attempt; it lands and is answered unless set. */
  readonly send?: (input: Payment, attempt: AttemptInfo) => Promise<{ readonly receipt: string }>
}

const receiptOf = ({ cents }: Payment): { readonly receipt: string } => ({ receipt: `paid ${cents}` })

const toBank = async (input: Payment, { key }: AttemptInfo) => {
  bank.receive(key, input)
  return receiptOf(input)
}

const toTill = async (input: Payment, { key }: AttemptInfo) => {
  till.land(key, input)
  return receiptOf(input)
}

function transferOf({ effect, send = toBank }: Transfer) {
  return action({
    name: 'bank.transfer',
    title: 'Pay a vendor',
    input: payment,
    output: z.object({ receipt: z.string() }),
    effect,
    retry: { attemptsMax: 3, delayMsFirst: 1_000, jitter: 0 },
    stillValid: () => true,
    find: (input, { key }) =>
      till.landed(key).length > 0 ? { kind: 'done', output: receiptOf(input) } : { kind: 'not_done' },
    cents: ({ cents }) => cents,
    run: send,
  })
}

const readInvoice = action({
  name: 'invoice.read',
  input: z.object({ invoice: z.string() }),
  output: payment,
  effect: idempotent({ remembersMs: days(30) }),
  run: ({ invoice }, { key }) => bank.receive(key, { to: 'acme', cents: Number(invoice) }),
})

const analysts = { resume: { roles: ['analyst'] }, version: 1, models: 'none' } as const
const forTreasurers = { roles: ['treasurer'], notBy: 'actor', within: days(4) } as const

function treasury(flow: AnyGoverned, transfer: AnyAction): Contract {
  return contract({
    name: 'treasury',
    version: '1',
    roles: { analyst: 'prepares payments', treasurer: 'releases them', chief: 'steps in' },
    flows: [flow],
    rules: [
      allow(readInvoice).to('analyst'),
      allow(transfer).to('analyst').when('input.cents <= 1000'),
      allow(transfer).to('analyst').afterApproval(forTreasurers),
    ],
    templates: { 'payment-released': 'Paid. {receipt}.', 'resume-denied': 'You may no longer resume this.' },
  })
}

/** What everybody holds before a run starts. */
export const lawOf =
  (made: Contract) =>
  async (governance: GovernedRuntime['governance']): Promise<void> => {
    const { directory } = governance
    await directory.bootstrap({ principal: 'ada', by: 'ada' })
    await governance.activate({ contract: made, by: 'ada' })
    await directory.grant({ principal: 'ann', role: 'analyst', by: 'ada' })
    for (const principal of ['tess', 'tom']) await directory.grant({ principal, role: 'treasurer', by: 'ada' })
    await directory.grant({ principal: 'cleo', role: 'chief', by: 'ada' })
  }

/** Somebody who looks into the till: what is there was done, and nothing else. */
const lookIntoTheTill: ScriptedStater = {
  stater: 'tom',
  says: ({ key }) => {
    const [landed] = till.landed(key)
    if (landed === undefined) return { outcome: 'not_done', note: 'It is not in the till.' }
    return { outcome: 'done', output: receiptOf(landed as Payment) }
  },
}

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
    return { first, receipt, then: await asked }
  },
})

const flaky = transferOf({
  effect: idempotent({ remembersMs: days(30) }),
  send: async (input, attempt) => {
    if (attempt.attempt === 1) throw new NotDispatched('Nobody listens.')
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
