import { action, allow, contract, days, flow, once } from 'constancia'
import { z } from 'zod'

/** @typedef {import('constancia').GovernedContext} GovernedContext */

/** The bank of these tests: a payment of 666 cents leaves everybody in doubt. */
const transfer = action({
  name: 'bank.transfer',
  title: 'Pay a vendor',
  input: z.object({ to: z.string(), cents: z.number().int().positive() }),
  output: z.object({ receipt: z.string() }),
  effect: once(),
  run: ({ cents }) => {
    if (cents === 666) throw new Error('the line went dead')
    return { receipt: `r-${cents}` }
  },
})

/** Asks for an approval, pays, and tells the user. */
export const pay = flow({
  name: 'pay',
  version: 1,
  resume: { roles: ['analyst'] },
  models: 'none',
  run: async (/** @type {GovernedContext} */ ctx, /** @type {{ cents: number }} */ { cents }) => {
    const payment = transfer.with({ to: 'acme', cents })
    const roles = ['treasurer']
    const decision = await ctx.approval('treasury', {
      for: payment,
      roles,
      notBy: 'actor',
      within: days(4),
      amendable: true,
    })
    if (decision.outcome !== 'approved') return { paid: false }
    const { receipt } = await ctx.do(decision.action)
    await ctx.say('paid', { receipt })
    return { paid: true, receipt }
  },
})

/** Asks two things at once. */
export const both = flow({
  name: 'both',
  version: 1,
  resume: 'anyone',
  run: async (/** @type {GovernedContext} */ ctx) => {
    const ask = (/** @type {string} */ name) =>
      ctx.approval(name, { roles: ['treasurer'], question: `May it ${name}?` })
    await Promise.all([ask('begin'), ask('end')])
    return 'asked'
  },
})

/**
 * The contract of these tests, or a variant of it.
 * @param {{ version?: string, quorum?: number, eyes?: number, bad?: boolean, when?: string, flows?: readonly import('constancia').ContractFlow[] }} [change]
 */
export function treasury({
  version = '7',
  quorum = 1,
  eyes = 1,
  bad = false,
  when = bad ? 'input.cent <= 100' : 'input.cents <= 100',
  flows = [pay, both],
} = {}) {
  return contract({
    name: 'treasury',
    version,
    roles: { analyst: 'prepares payments', treasurer: 'releases them', administrator: 'changes who may what' },
    flows: bad ? [{ name: 'pay', version: 1 }] : flows,
    rules: [
      allow(transfer).to('analyst').when(when),
      allow(transfer)
        .to(bad ? 'nobody' : 'analyst')
        .afterApproval({ roles: ['treasurer'], notBy: 'actor', quorum, within: days(4) }),
    ],
    templates: { paid: bad ? 'Paid {' : 'Paid. Receipt {receipt}.' },
    activation: { roles: ['administrator'], quorum: eyes },
  })
}
