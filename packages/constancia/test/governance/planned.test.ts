import {
  act,
  action,
  allow,
  approve,
  contract,
  days,
  flow,
  idempotent,
  type Run,
  say,
  stop,
  wait,
  when,
} from 'constancia'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { kindsOf, Rig, stores, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'

const effect = idempotent({ remembersMs: days(1) })
const read = action({
  name: 'invoice.read',
  input: z.object({ invoice: z.string() }),
  output: z.object({ cents: z.number() }),
  effect,
  run: ({ invoice }) => ({ cents: Number(invoice) }),
})
const paid: number[] = []
const pay = action({
  name: 'bank.pay',
  input: z.object({ cents: z.number() }),
  output: z.object({ receipt: z.string() }),
  effect,
  run: ({ cents }, { key }) => {
    paid.push(cents)
    return { receipt: key }
  },
})

const planned = flow<{ readonly invoice: string }>({
  name: 'planned',
  version: 1,
  resume: { roles: ['analyst'] },
  steps: [
    act('bill', read, ({ input }) => ({ invoice: input.invoice })),
    wait('a-day', days(1)),
    when('nothing-to-pay', ({ results }) => results['bill'].cents === 0, [stop('done')]),
    approve('treasury', { action: pay, input: ({ results }) => results['bill'], roles: ['treasurer'], notBy: 'actor' }),
    when('approved', ({ results }) => results['treasury'].outcome === 'approved', [
      act('payment', pay, { approvedAt: 'treasury' }),
      say('tell', 'released', { receipt: ({ results }) => results['payment'].receipt }),
    ]),
  ],
})
const roles = { analyst: 'prepares', treasurer: 'releases' }
const rules = [
  allow(read).to('analyst'),
  allow(pay)
    .to('analyst')
    .afterApproval({ roles: ['treasurer'], notBy: 'actor' }),
]
const templates = { released: 'Paid: {receipt}.' }

describe.each(stores)('on %s', (store) => {
  const made = contract({ name: 'plans', version: '1', roles, rules, flows: [planned], templates })

  async function start(invoice: string) {
    paid.length = 0
    const rig = new Rig(store)
    const life = await rig.live([planned], { contract: made })
    const court = new Court(() => life.store)
    await court.activate(made)
    await court.grant('ann', 'analyst')
    await court.grant('tom', 'treasurer')
    const run: Run = await life.runtime.start(planned, { invoice }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'waiting')
    await rig.advance(days(1))
    return { run, court }
  }

  test('R-E5 R-D4 a declared flow runs step by step, and its rest goes on by itself after the approval', async () => {
    const { run, court } = await start('700')
    await untilStatus(run, 'paused')
    await court.vote(run, 'tom', { resolves: 'approved' })
    expect(await run.result()).toMatchObject({ bill: { cents: 700 }, payment: { receipt: 'r/3' } })
    expect(paid).toEqual([700])
    expect((await kindsOf(run)).filter((kind) => kind.startsWith('Resume'))).toEqual([
      'ResumeAuthorized',
      'ResumeAuthorized',
    ])
  })

  test('R-E5 what its condition does not hold for is not done, and a stop ends it', async () => {
    const { run } = await start('0')
    expect(await run.result()).toEqual({ bill: { cents: 0 } })
    expect(await kindsOf(run)).not.toContain('ApprovalRequested')
  })
})

test('R-F1 R-F6 a contract holds the plan of a declared flow as data', () => {
  const { declared } = contract({ name: 'plans', version: '1', roles, rules, flows: [planned], templates })
  expect(declared.flows[0]?.models).toBe('none')
  expect(declared.flows[0]?.steps?.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'act bill',
    'wait a-day',
    'when nothing-to-pay',
    'approve treasury',
    'when approved',
  ])
})

test.each([
  ['an unreachable step', [stop('end'), act('late', read, () => ({}))], 'never reached'],
  ['a step with the id of another', [act('one', read, () => ({})), act('one', read, () => ({}))], 'id one'],
  ['an unknown role', [approve('ask', { roles: ['boss'] })], 'no role boss'],
  ['an unknown template', [say('tell', 'nothing')], 'no template nothing'],
  ['a template without its value', [say('tell', 'released')], 'needs the value receipt'],
  ['no step at all', [], 'no step'],
])('R-F1 a plan with %s is rejected with place and reason', (_, steps, reason) => {
  const odd = flow({ name: 'odd', version: 1, resume: 'anyone', steps })
  const make = () => contract({ name: 'plans', version: '1', roles, rules, flows: [odd], templates })
  expect(make).toThrow(reason)
  expect(make).toThrow('flow odd@1')
})
