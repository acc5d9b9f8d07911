import {
  action,
  allow,
  type Contract,
  type ContractDeclaration,
  contract,
  days,
  type EffectProtocol,
  flow,
  idempotent,
  type ModelPolicy,
} from 'constancia'
import { z } from 'zod'

/** What a bank has done, by key, and how often it was asked. */
export class Bank {
  readonly done = new Map<string, { to: string; cents: number }>()
  requestCount = 0
  isOpen: true | string = true
  /** What each further request comes to instead. */
  fails: (() => Promise<never> | undefined)[] = []
}

/** What a treasury differs in. */
export interface TreasuryOptions {
  readonly effect?: EffectProtocol
  readonly models?: ModelPolicy
  readonly version?: string
  readonly change?: (declaration: ContractDeclaration) => ContractDeclaration
}

const readInvoice = action({
  name: 'invoice.read',
  input: z.object({ invoice: z.string() }),
  output: z.object({ vendor: z.string(), cents: z.number().int() }),
  effect: idempotent({ remembersMs: days(30) }),
  run: ({ invoice }) => ({ vendor: 'acme', cents: Number(invoice) }),
})

/** Pays at a bank. */
function transferOf(bank: Bank, effect: EffectProtocol = idempotent({ remembersMs: days(1) })) {
  return action({
    name: 'bank.transfer',
    title: 'Pay a vendor',
    input: z.object({ to: z.string(), cents: z.number().int().positive() }),
    output: z.object({ receipt: z.string() }),
    effect,
    retry: { attemptsMax: 3, delayMsFirst: 1_000, jitter: 0 },
    stillValid: () => bank.isOpen,
    find: (_input, { key }) =>
      bank.done.has(key) ? { kind: 'done', output: { receipt: `r-${key}` } } : { kind: 'not_done' },
    cents: ({ cents }) => cents,
    run: async (input, { key }) => {
      bank.requestCount += 1
      await bank.fails.shift()?.()
      bank.done.set(key, input)
      return { receipt: `r-${key}` }
    },
  })
}

/** Reads an invoice, asks for its payment, and pays. */
function payInvoice(transfer: ReturnType<typeof transferOf>) {
  return flow({
    name: 'pay-invoice',
    version: 1,
    resume: { roles: ['analyst'] },
    models: 'none',
    async run(ctx, { invoice }: { readonly invoice: string }) {
      const bill = await ctx.do(readInvoice, { invoice })
      const payment = transfer.with({ to: bill.vendor, cents: bill.cents })
      const decision = await ctx.approval('treasury', {
        for: payment,
        roles: ['treasurer'],
        notBy: 'actor',
        within: days(4),
        amendable: true,
      })
      if (decision.outcome !== 'approved') return { paid: false, why: decision.outcome }
      const { receipt } = await ctx.do(decision.action)
      await ctx.say('payment-released', { receipt })
      return { paid: true, receipt }
    },
  })
}

/** A treasury: an analyst prepares payments, a treasurer releases those that are large. */
export function treasury(bank: Bank, given: TreasuryOptions = {}) {
  const transfer = transferOf(bank, given.effect)
  const pay = payInvoice(transfer)
  const direct = flow({
    name: 'pay-directly',
    version: 1,
    resume: { roles: ['analyst'] },
    models: given.models ?? 'none',
    async run(ctx, { cents }: { readonly cents: number }) {
      return ctx.do(transfer, { to: 'acme', cents })
    },
  })
  const declaration: ContractDeclaration = {
    name: 'treasury',
    version: given.version ?? '1',
    roles: { analyst: 'prepares payments', treasurer: 'releases them' },
    flows: [pay, direct],
    rules: [
      allow(readInvoice).to('analyst'),
      allow(transfer).to('analyst').when('input.cents <= 1000'),
      allow(transfer)
        .to('analyst')
        .afterApproval({ roles: ['treasurer'], notBy: 'actor', within: days(4) }),
    ],
    templates: {
      'payment-released': 'Paid. Receipt {receipt}.',
      'resume-denied': 'You may no longer resume this.',
      'resume-deferred': 'The decision is in. Say something, and it goes on.',
    },
  }
  const made: Contract = contract((given.change ?? ((one) => one))(declaration))
  return { pay, direct, transfer, readInvoice, contract: made }
}
