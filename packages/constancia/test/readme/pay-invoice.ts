// What the README shows, as a program that is checked and run. `readme.test.ts` compares the two.

// <readme>
import { days, flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
// </readme>
import { crashTest, Ledger } from 'constancia/testing'
import { z } from 'zod'

interface Bill {
  readonly vendor: string
  readonly cents: number
}

export const ledger = new Ledger()
const Decision = z.object({ approved: z.boolean() })
const erp = { read: async (invoice: string): Promise<Bill> => ({ vendor: `vendor of ${invoice}`, cents: 118_00 }) }
const bank = {
  transfer: async (bill: Bill, options: { readonly idempotencyKey: string }): Promise<string> => {
    ledger.receive(options.idempotencyKey, bill)
    return `receipt ${options.idempotencyKey}`
  },
}

// <readme>
const pay = flow({
  name: 'pay-invoice',
  version: 1,
  async run(ctx, { invoice }: { invoice: string }) {
    const bill = await ctx.step('read', () => erp.read(invoice)) // executed once; after a crash its result is re-read
    const decision = await ctx.signal('decision', Decision, { within: days(4) }) // no process, no timer, no memory meanwhile
    if (decision.kind === 'timed_out' || !decision.value.approved) return { paid: false }
    const receipt = await ctx.step('pay', ({ key }) => bank.transfer(bill, { idempotencyKey: key }))
    return { paid: true, receipt }
  },
})

// </readme>
export async function firstScreen(): Promise<unknown> {
  // <readme>
  const app = await open({ store: sqlite({ file: 'app.db' }), flows: [pay] })
  const run = await app.start(pay, { invoice: '2026-118' }, { id: 'invoice-2026-118' }) // durable when this returns
  // </readme>
  await run.signal('decision', { approved: true })
  try {
    // <readme>
    return await run.result() // the same run, whichever process finishes it
    // </readme>
  } finally {
    await app.close()
  }
}

export async function ownTest(): Promise<string> {
  const signals = [{ name: 'decision', payload: { approved: true } }]
  const report = await crashTest({ flow: pay, input: { invoice: '1' }, signals, destination: ledger })
  return report.table()
}
