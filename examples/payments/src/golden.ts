/**
 * The golden test over the same flow and contract, as anybody would write it for theirs: the crash kit runs the payment once without a
 * crash, then ends its process at every single place where one can end, at some pairs of them, and lets a second worker take over from one
 * that is slow but alive. A treasurer votes in between. What the journal says and what the bank accepted has to come out the same.
 */
import { type CrashReport, crashTest, Ledger } from 'constancia/testing'
import { putInForce } from './law.js'
import type { Services } from './services.js'
import { treasuryWith } from './treasury.js'

/** Tries every place, and every n-th pair of them. Throws an error with a table if one of them makes a difference. */
export async function goldenTest(everyNthPair: number): Promise<CrashReport> {
  const destination = new Ledger() // A stand-in for the bank that remembers keys, and counts.
  const services: Services = {
    invoices: { read: async () => ({ vendor: 'acme', cents: 250_000 }), state: async () => ({}) },
    bank: {
      transfer: async (payment, { key }) => {
        destination.receive(key, payment)
        return { receipt: `R-${payment.invoice}` }
      },
    },
  }
  const { payInvoice, contract } = treasuryWith(services)
  return crashTest({
    flow: payInvoice,
    input: { invoice: '2026-118' },
    actor: 'ann',
    contract,
    law: (governance) => putInForce(contract, governance),
    votes: [{ on: 'treasury', voter: 'tom' }],
    destination,
    pairs: true,
    everyNthPair,
  })
}
