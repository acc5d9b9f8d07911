import { describe, expect, test } from 'vitest'
import {
  type DeclaredApproval,
  judgeVote,
  Law,
  type PendingApproval,
  resolutionWith,
  type Vote,
} from '../../dist/index.js'

const day = 86_400_000

function lawOf(...events: readonly [string, object][]): Law {
  const law = new Law()
  for (const [seq, [kind, body]] of events.entries())
    law.add({ seq, kind, body: JSON.stringify(body), data: undefined })
  return law
}

const granted = (principal: string, role = 'treasurer', untilMs: number | null = null): [string, object] => [
  'RoleGranted',
  { principal, role, untilMs, source: 'test' },
]
const revoked = (principal: string, role = 'treasurer'): [string, object] => [
  'RoleRevoked',
  { principal, role, source: 'test' },
]
const linked = (principal: string, person: string): [string, object] => ['IdentityLinked', { principal, person }]
const delegated = (from: string, to: string, untilMs = day): [string, object] => [
  'DelegationGranted',
  { from, to, roles: ['treasurer'], untilMs },
]

const policy: DeclaredApproval = {
  roles: ['treasurer'],
  quorum: 1,
  notBy: 'actor',
  withinMs: 4 * day,
  escalation: { afterMs: 2 * day, roles: ['cfo'] },
  amendable: false,
  reasonRequired: false,
}

function asked(votes: readonly Vote[] = [], changes: Partial<DeclaredApproval> = {}): PendingApproval {
  return { policy: { ...policy, ...changes }, actor: 'ana', requestedAtMs: 0, shown: 'd1', votes }
}

const yes = (voter: string, amended: string | null = null): Vote => ({ voter, choice: 'approve', shown: 'd1', amended })
const no = (voter: string): Vote => ({ voter, choice: 'reject', shown: 'd1', amended: null })

describe('R-D3 R-D5 a vote counts', () => {
  test('if its voter holds a role that was asked, now, and it is about what is shown', () => {
    const law = lawOf(granted('tom'))
    expect(judgeVote(asked(), yes('tom'), { law, nowMs: 1 })).toEqual({
      kind: 'counts',
      roles: ['treasurer'],
      resolution: 'approved',
    })
    expect(judgeVote(asked(), no('tom'), { law, nowMs: 1 })).toMatchObject({ kind: 'counts', resolution: 'rejected' })
    const other = { ...yes('tom'), shown: 'd2' }
    expect(judgeVote(asked(), other, { law, nowMs: 1 })).toMatchObject({ kind: 'refused', code: 'other_digest' })
  })

  test.each([
    ['never had it', lawOf(), 1],
    ['lost it', lawOf(granted('tom'), revoked('tom')), 1],
    ['has it no longer', lawOf(granted('tom', 'treasurer', 10)), 10],
    ['has another one', lawOf(granted('tom', 'analyst')), 1],
    ['is asked only later', lawOf(granted('tom', 'cfo')), 2 * day - 1],
  ])('C30 not if the voter %s', (_, law, nowMs) => {
    expect(judgeVote(asked(), yes('tom'), { law, nowMs })).toMatchObject({ kind: 'refused', code: 'role_missing' })
  })

  test('R-D7 if it was escalated to the role of its voter, until the deadline', () => {
    const law = lawOf(granted('cleo', 'cfo'))
    expect(judgeVote(asked(), yes('cleo'), { law, nowMs: 2 * day })).toMatchObject({ kind: 'counts', roles: ['cfo'] })
    expect(judgeVote(asked(), yes('cleo'), { law, nowMs: 4 * day - 1 })).toMatchObject({ kind: 'counts' })
    expect(judgeVote(asked(), yes('cleo'), { law, nowMs: 4 * day })).toMatchObject({
      kind: 'refused',
      code: 'too_late',
    })
  })

  test('with changes only where they are allowed', () => {
    const law = lawOf(granted('tom'))
    expect(judgeVote(asked(), yes('tom', 'd9'), { law, nowMs: 1 })).toMatchObject({ code: 'not_amendable' })
    const amendable = asked([], { amendable: true })
    expect(judgeVote(amendable, yes('tom', 'd9'), { law, nowMs: 1 })).toMatchObject({ resolution: 'approved' })
  })
})

describe('R-D7 threat 8 separation of duties compares the people behind identities:', () => {
  const law = lawOf(
    granted('ana'),
    granted('ana-admin'),
    linked('ana', 'P1'),
    linked('ana-admin', 'P1'),
    granted('tom'),
    delegated('ana', 'dan'),
  )

  test.each(['ana', 'ana-admin', 'dan'])('%s, who is or stands for whoever asked, cannot approve', (voter) => {
    expect(judgeVote(asked(), yes(voter), { law, nowMs: 1 })).toMatchObject({ kind: 'refused', code: 'own_request' })
    expect(resolutionWith(asked([yes(voter)]), { law, nowMs: 1 })).toBeNull()
  })

  test('but may say no', () => {
    expect(judgeVote(asked(), no('ana-admin'), { law, nowMs: 1 })).toMatchObject({
      kind: 'counts',
      resolution: 'rejected',
    })
  })

  test('where the policy does not ask for it, whoever asked may approve', () => {
    expect(judgeVote(asked([], { notBy: null }), yes('ana'), { law, nowMs: 1 })).toMatchObject({
      resolution: 'approved',
    })
  })
})

describe('R-D7 a quorum', () => {
  const two = { quorum: 2 }

  test('is made of different people', () => {
    const law = lawOf(granted('tom'), granted('tom-2'), linked('tom-2', 'tom'), granted('uma'))
    const now = { law, nowMs: 1 }
    expect(judgeVote(asked([], two), yes('tom'), now)).toMatchObject({ kind: 'counts', resolution: null })
    expect(judgeVote(asked([yes('tom')], two), yes('tom-2'), now)).toMatchObject({ code: 'voted_already' })
    expect(judgeVote(asked([yes('tom')], two), yes('uma'), now)).toMatchObject({ resolution: 'approved' })
    expect(resolutionWith(asked([yes('tom'), yes('tom-2')], two), now)).toBeNull()
  })

  test('does not count somebody and whoever stands for them as two', () => {
    const law = lawOf(granted('tom'), delegated('tom', 'dan'))
    const now = { law, nowMs: 1 }
    expect(judgeVote(asked([yes('tom')], two), yes('dan'), now)).toMatchObject({ code: 'voted_already' })
    expect(judgeVote(asked([yes('dan')], two), yes('tom'), now)).toMatchObject({ code: 'voted_already' })
    expect(judgeVote(asked(), yes('dan'), now)).toMatchObject({ roles: ['treasurer'], resolution: 'approved' })
    expect(judgeVote(asked(), yes('dan'), { law, nowMs: day })).toMatchObject({ code: 'role_missing' })
  })

  test('means the same: votes for different amendments do not add up', () => {
    const law = lawOf(granted('tom'), granted('uma'), granted('vic'))
    const now = { law, nowMs: 1 }
    const amendable = { ...two, amendable: true }
    expect(judgeVote(asked([yes('tom', 'a')], amendable), yes('uma', 'b'), now)).toMatchObject({ resolution: null })
    expect(judgeVote(asked([yes('tom', 'a'), yes('uma', 'b')], amendable), yes('vic', 'a'), now)).toMatchObject({
      resolution: 'approved',
    })
  })

  test('R-E8 C30 loses a vote whose voter loses the role, and its place can be taken', () => {
    const before = lawOf(granted('tom'), granted('uma'), granted('vic'))
    expect(judgeVote(asked([yes('tom')], two), yes('uma'), { law: before, nowMs: 1 })).toMatchObject({
      resolution: 'approved',
    })
    const after = lawOf(granted('tom'), granted('uma'), granted('vic'), revoked('tom'))
    expect(judgeVote(asked([yes('tom')], two), yes('uma'), { law: after, nowMs: 1 })).toMatchObject({
      resolution: null,
    })
    expect(resolutionWith(asked([yes('tom'), yes('uma')], two), { law: after, nowMs: 1 })).toBeNull()
    expect(judgeVote(asked([yes('tom'), yes('uma')], two), yes('vic'), { law: after, nowMs: 1 })).toMatchObject({
      resolution: 'approved',
    })
  })
})

describe('a law', () => {
  test('delegates no role further, and none that the one who delegates does not hold', () => {
    const law = lawOf(granted('tom'), delegated('tom', 'dan'), delegated('dan', 'eva'), delegated('ben', 'eva'))
    expect(law.delegatedTo('dan', 1)).toEqual([{ role: 'treasurer', from: 'tom' }])
    expect(law.delegatedTo('eva', 1)).toEqual([])
  })

  test('is folded from all events or from none', () => {
    const law = lawOf(granted('tom'))
    expect(() => law.add({ seq: 2, kind: 'RoleRevoked', body: '{}', data: undefined })).toThrow(/2 .*where 1/)
  })
})
