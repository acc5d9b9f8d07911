/**
 * Who may pay what, and how a payment is made: two actions, one flow, and the contract. An analyst proposes a payment, a treasurer
 * releases it, and two of them release a large one.
 */
import {
  action,
  allow,
  ConstanciaError,
  type Contract,
  contract,
  days,
  flow,
  type GovernedFlow,
  hours,
  idempotent,
} from 'constancia'
import { z } from 'zod'
import type { Services } from './services.js'

/** What the treasury consists of. */
export interface Treasury {
  readonly payInvoice: GovernedFlow<{ readonly invoice: string }, { readonly paid: boolean }>
  readonly contract: Contract
}

/** What versions of the contract differ in. */
export interface Terms {
  readonly version: string
  /** From this amount on, two treasurers have to agree. */
  readonly twoFromCents: number
}

/** The terms that hold first. */
export const usualTerms: Terms = { version: '7', twoFromCents: 1_000_000 }

/** The contract, and the flow that it speaks of. */
export function treasuryWith(services: Services, terms: Terms = usualTerms): Treasury {
  const actions = actionsOn(services)
  const payInvoice = payInvoiceBy(actions, terms)
  const { readInvoice, transfer } = actions
  const { version, twoFromCents } = terms
  const release = { roles: ['treasurer'], notBy: 'actor', within: days(7) } as const
  const made = contract({
    name: 'treasury',
    version,
    roles: {
      analyst: 'reads invoices and proposes payments',
      treasurer: 'releases payments that others proposed',
      administrator: 'says who holds which role, and which contract is in force',
    },
    flows: [payInvoice],
    rules: [
      allow(readInvoice).to('analyst'),
      allow(transfer).to('analyst').when(`input.cents < ${twoFromCents}`).afterApproval(release),
      allow(transfer)
        .to('analyst')
        .afterApproval({ ...release, quorum: 2 }),
    ],
    limits: { actions: 10, cents: 5_000_000 },
    templates,
  })
  return { payInvoice, contract: made }
}

// What is done to the world, and what each destination can do about a repetition.
function actionsOn({ invoices, bank }: Services) {
  const readInvoice = action({
    name: 'invoice.read',
    title: 'Read an invoice',
    input: z.object({ invoice: z.string() }),
    output: z.object({ vendor: z.string(), cents: z.number().int() }),
    effect: idempotent({ remembersMs: days(365) }), // To read twice changes nothing.
    run: ({ invoice }) => invoices.read(invoice),
  })
  const transfer = action({
    name: 'bank.transfer',
    title: 'Pay a vendor',
    input: z.object({ invoice: z.string(), to: z.string(), cents: z.number().int().positive() }),
    output: z.object({ receipt: z.string() }),
    effect: idempotent({ remembersMs: hours(24) }), // This bank knows a key again for a day.
    cents: ({ cents }) => cents,
    // The last look at the world before money moves: days may have passed since the treasurer was asked.
    stillValid: async ({ invoice }) => {
      const { paidBy } = await invoices.state(invoice)
      return paidBy === undefined || `Invoice ${invoice} was paid by ${paidBy} meanwhile.`
    },
    run: (payment, { key, signal }) => bank.transfer(payment, { key, signal }),
  })
  return { readInvoice, transfer }
}

// Plain code. It asks for what it wants; whether it may have it, the contract says each time.
function payInvoiceBy({ readInvoice, transfer }: ReturnType<typeof actionsOn>, { twoFromCents }: Terms) {
  return flow({
    name: 'pay-invoice',
    version: 1,
    input: z.object({ invoice: z.string() }),
    resume: { roles: ['analyst'] }, // Whoever asked must still be an analyst when it goes on.
    models: 'none', // Nothing after the approval asks a model, so the rest may run by itself.
    async run(ctx, { invoice }) {
      const { vendor, cents } = await ctx.do(readInvoice, { invoice })

      // No process, no timer and no memory while people think about it.
      const decision = await ctx.approval('treasury', {
        for: transfer.with({ invoice, to: vendor, cents }),
        question: `Release invoice ${invoice}?`,
        roles: ['treasurer'],
        quorum: cents < twoFromCents ? 1 : 2,
        notBy: 'actor',
        within: days(7),
      })
      if (decision.outcome !== 'approved') {
        await ctx.say('payment-not-released', { invoice, outcome: decision.outcome })
        return { paid: false }
      }

      try {
        const { receipt } = await ctx.do(decision.action) // Exactly what was approved, if it still may happen.
        await ctx.say('payment-released', { invoice, vendor, receipt })
        return { paid: true }
      } catch (error) {
        if (isDenial(error)) await ctx.say('payment-not-released', { invoice, outcome: 'denied' })
        throw error
      }
    },
  })
}

const templates = {
  'payment-released': {
    en: 'Invoice {invoice} is paid to {vendor}. Receipt {receipt}.',
    es: 'La factura {invoice} está pagada a {vendor}. Recibo {receipt}.',
  },
  'payment-not-released': {
    en: 'Invoice {invoice} is not paid. What became of the request: {outcome}.',
    es: 'La factura {invoice} no se paga. Resultado de la solicitud: {outcome}.',
  },
  'resume-denied': {
    en: 'You may no longer go on with this payment. Nothing was paid.',
    es: 'Ya no puede continuar con este pago. No se ha pagado nada.',
  },
}

function isDenial(error: unknown): boolean {
  return error instanceof ConstanciaError && error.code === 'action_denied'
}
