import { describe, expect, test } from 'vitest'
import {
  type Approved,
  type ConditionValue,
  type DeclaredContract,
  type Proposal,
  verdictOf,
} from '../../dist/index.js'

const approval = {
  roles: ['treasurer'],
  quorum: 1,
  notBy: 'actor',
  withinMs: null,
  escalation: { afterMs: 5, roles: ['cfo'] },
  amendable: false,
  reasonRequired: false,
} as const

const contract: DeclaredContract = {
  format: 'constancia.contract/v1',
  name: 'treasury',
  version: '1',
  roles: {},
  actions: ['pay', 'read', 'orphan'].map((name) => ({
    name,
    title: '',
    input: null,
    output: null,
    effect: { protocol: 'once' },
    checksSituation: false,
    undo: null,
  })),
  rules: [
    { action: 'read', roles: ['analyst'], when: null, approval: null },
    { action: 'pay', roles: ['analyst'], when: 'input.cents <= 100', approval: null },
    { action: 'pay', roles: ['analyst'], when: 'input.cents <= 10000', approval },
    { action: 'pay', roles: ['boss'], when: null, approval: { ...approval, quorum: 2, notBy: null } },
  ],
  flows: [],
  limits: {},
  templates: [],
  activation: { roles: ['administrator'], quorum: 1 },
}

function pay(cents: ConditionValue, changes: Partial<Proposal> = {}): Proposal {
  const actor = { id: 'ana', person: 'ana', roles: ['analyst'] }
  return { action: 'pay', input: new Map([['cents', cents]]), actor, approval: undefined, ...changes }
}

const approved: Approved = {
  action: 'pay',
  isSameInput: true,
  isUsed: false,
  votes: [{ person: 'tom', hand: 'tom', roles: ['treasurer'] }],
}

describe('R-F2 R-F3 the gate', () => {
  test('allows what a rule allows, and names it', () => {
    expect(verdictOf(contract, pay(100))).toEqual({ kind: 'allowed', rule: 1 })
    expect(verdictOf(contract, { ...pay(1), action: 'read' })).toEqual({ kind: 'allowed', rule: 0 })
  })

  test('asks for the approval of the first rule that would do', () => {
    expect(verdictOf(contract, pay(101))).toEqual({ kind: 'needs_approval', rule: 2, approval })
  })

  test.each([
    ['what the contract does not name', { action: 'steal' }, 'unknown_action', /names no action steal/],
    ['what no rule is about', { action: 'orphan' }, 'no_rule', /No rule allows orphan/],
    [
      'who holds none of the roles now',
      { actor: { id: 'x', person: 'x', roles: [] } },
      'role_missing',
      /analyst, boss/,
    ],
  ] as const)('denies %s', (_, changes, code, reason) => {
    expect(verdictOf(contract, pay(1, changes as Partial<Proposal>))).toEqual({
      kind: 'denied',
      code,
      reason: expect.stringMatching(reason),
    })
  })

  test('denies where no condition holds, or one cannot be computed: an error is no permission', () => {
    expect(verdictOf(contract, pay(10_001))).toMatchObject({ code: 'condition_failed' })
    expect(verdictOf(contract, pay('100'))).toMatchObject({ code: 'condition_failed' })
    expect(verdictOf(contract, pay(1, { input: new Map() }))).toMatchObject({ code: 'condition_failed' })
    expect(verdictOf(contract, pay(1, { input: null }))).toMatchObject({ code: 'condition_failed' })
  })
})

describe('R-E8 R-F4 threats 2, 3 an approval at hand', () => {
  const given = (changes: Partial<Approved>, proposal: Partial<Proposal> = {}) =>
    verdictOf(contract, pay(101, { approval: { ...approved, ...changes }, ...proposal }))

  test('allows what it is about', () => {
    expect(given({})).toEqual({ kind: 'allowed', rule: 2 })
    expect(given({ votes: [{ person: 'cleo', hand: 'cleo', roles: ['cfo'] }] })).toEqual({ kind: 'allowed', rule: 2 })
  })

  test.each([
    ['another action', { action: 'read' }, 'approval_other_action'],
    ['another input', { isSameInput: false }, 'approval_other_input'],
    ['another op, which used it', { isUsed: true }, 'approval_used'],
    [
      'votes of people who no longer hold the role',
      { votes: [{ person: 'tom', hand: 'tom', roles: [] }] },
      'approval_lapsed',
    ],
    ['the vote of whoever asked', { votes: [{ person: 'ana', hand: 'ana', roles: ['treasurer'] }] }, 'approval_lapsed'],
    ['no vote', { votes: [] }, 'approval_lapsed'],
  ])('does not allow %s', (_, changes, code) => {
    expect(given(changes)).toMatchObject({ kind: 'denied', code })
  })

  test('does not count one person twice', () => {
    const boss = { actor: { id: 'b', person: 'b', roles: ['boss'] } }
    const vote = { person: 'tom', hand: 'tom', roles: ['treasurer'] }
    expect(given({ votes: [vote, vote] }, boss)).toMatchObject({ code: 'approval_lapsed' })
    expect(given({ votes: [vote, { ...vote, person: 'uma', hand: 'uma' }] }, boss)).toEqual({
      kind: 'allowed',
      rule: 3,
    })
    const lent = { ...vote, person: 'uma' }
    expect(given({ votes: [vote, lent] }, boss)).toMatchObject({ code: 'approval_lapsed' })
    const forAsking = { person: 'tom', hand: 'ana', roles: ['treasurer'] }
    expect(given({ votes: [forAsking] })).toMatchObject({ code: 'approval_lapsed' })
  })

  test('R-E9 does not allow what the contract in force no longer allows', () => {
    const tightened = { ...contract, rules: contract.rules.filter(({ action }) => action !== 'pay') }
    expect(verdictOf(tightened, pay(101, { approval: approved }))).toMatchObject({ kind: 'denied', code: 'no_rule' })
  })
})
