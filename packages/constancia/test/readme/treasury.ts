// What the README shows of contracts, as a program that is checked and run. `readme.test.ts` compares the two.

import {
  action,
  allow,
  contract,
  days,
  flow,
  type GovernedRuntime,
  hours,
  idempotent,
  open,
  type Run,
} from 'constancia'
import { memory } from 'constancia/testing'
import { z } from 'zod'

/** What the bank was asked for, by key, and whether the account of the vendor is open. */
export const asked = new Map<string, { readonly to: string; readonly cents: number }>()
export const account = { isOpen: true }

const bank = {
  isOpen: async (_: string): Promise<boolean> => account.isOpen,
  transfer: async (input: { to: string; cents: number }, options: { readonly idempotencyKey: string }) => {
    asked.set(options.idempotencyKey, input)
    return { receipt: `receipt ${options.idempotencyKey}` }
  },
}

const readInvoice = action({
  name: 'invoice.read',
  input: z.object({ invoice: z.string() }),
  output: z.object({ vendor: z.string(), cents: z.number().int() }),
  effect: idempotent({ remembersMs: hours(24) }),
  run: ({ invoice }) => ({ vendor: `vendor of ${invoice}`, cents: 250_000 }),
})

// <readme>
const transfer = action({
  name: 'bank.transfer',
  input: z.object({ to: z.string(), cents: z.number().int().positive() }),
  output: z.object({ receipt: z.string() }),
  effect: idempotent({ remembersMs: hours(24) }), // or transactional(…), verify(…), once(): what its destination can do
  stillValid: async ({ to }) => (await bank.isOpen(to)) || 'the account was closed', // looks once more, after any pause
  run: (input, { key }) => bank.transfer(input, { idempotencyKey: key }),
})

const payInvoice = flow({
  name: 'pay-invoice',
  version: 1,
  input: z.object({ invoice: z.string() }),
  resume: { roles: ['analyst'] }, // whoever started it must still be one when it goes on
  models: 'none',
  async run(ctx, { invoice }) {
    const bill = await ctx.do(readInvoice, { invoice })
    const payment = transfer.with({ to: bill.vendor, cents: bill.cents })
    const decision = await ctx.approval('treasury', {
      for: payment,
      roles: ['treasurer'],
      notBy: 'actor',
      within: days(4),
    })
    if (decision.outcome !== 'approved') return { paid: false }
    const { receipt } = await ctx.do(decision.action) // exactly what was approved, or its approved amendment
    await ctx.say('payment-released', { receipt })
    return { paid: true, receipt }
  },
})

const treasury = contract({
  name: 'treasury',
  version: '7',
  roles: { analyst: 'prepares payments', treasurer: 'releases them' },
  flows: [payInvoice],
  rules: [
    allow(readInvoice).to('analyst'),
    allow(transfer).to('analyst').when('input.cents <= 100000'),
    allow(transfer)
      .to('analyst')
      .afterApproval({ roles: ['treasurer'], notBy: 'actor' }),
  ],
  templates: { 'payment-released': 'Paid. Receipt {receipt}.', 'resume-denied': 'You may no longer resume this.' },
})
// </readme>

/** A run that waits for the treasury, and what lets it go on. */
export async function untilAsked(): Promise<{ readonly app: GovernedRuntime; readonly run: Run<unknown> }> {
  const app = await open({ store: memory(), flows: [payInvoice], contract: treasury })
  const { governance } = app
  await governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
  await governance.activate({ contract: treasury, by: 'ada' })
  await governance.directory.grant({ principal: 'ann', role: 'analyst', by: 'ada' })
  await governance.directory.grant({ principal: 'tom', role: 'treasurer', by: 'ada' })
  const run = await app.start(payInvoice, { invoice: '2026-118' }, { id: 'invoice-2026-118', actor: 'ann' })
  return { app, run }
}
