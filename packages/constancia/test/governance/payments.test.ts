import { days } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, stores, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

describe.each(stores)('on %s', (store) => {
  async function begin(given: Parameters<typeof treasury>[1] = {}) {
    const rig = new Rig(store)
    const bank = new Bank()
    const made = treasury(bank, given)
    const life = await rig.live([made.pay, made.direct], { contract: made.contract })
    const court = new Court(() => life.store)
    await court.activate(made.contract)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    return { rig, bank, life, court, ...made }
  }

  test('R-D1 R-D2 R-D4 R-E2 R-F3 an invoice is paid four days later, once, as exactly what was approved', async () => {
    const { rig, bank, life, court, pay, contract } = await begin()
    const run = await life.runtime.start(pay, { invoice: '250000' }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    await life.crash()
    rig.clock.advance(days(3))
    const next = await rig.live([pay], { contract })
    const court2 = new Court(() => next.store)
    await court2.vote(next.runtime.run('r'), 'tom', { resolves: 'approved' })
    next.runtime.start(pay, { invoice: '1' }, { id: 'nudge', actor: 'ann' }).catch(() => undefined)
    expect(await next.runtime.run('r').result()).toEqual({ paid: true, receipt: 'r-r/2' })
    expect(await kindsOf(next.runtime.run('r'))).toEqual([
      'FlowStarted',
      'ActionAuthorized',
      'ActionCompleted',
      'ApprovalRequested',
      'ApprovalVoted',
      'ApprovalResolved',
      'ResumeAuthorized',
      'ActionAuthorized',
      'ActionCompleted',
      'MessageSent',
      'FlowCompleted',
    ])
    expect([...bank.done]).toEqual([['r/2', { to: 'acme', cents: 250_000 }]])
    void court
  })
})
