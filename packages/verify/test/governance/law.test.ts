import { describe, expect, test } from 'vitest'
import { administrator, Law } from '../../dist/index.js'

const contractOf = (name: string, activation = { roles: ['cfo'], quorum: 2 }) => JSON.stringify({ name, activation })

function lawOf(...events: readonly (readonly [string, object, string?])[]): Law {
  const law = new Law()
  for (const [seq, [kind, body, data]] of events.entries()) law.add({ seq, kind, body: JSON.stringify(body), data })
  return law
}

const granted = (principal: string, role: string, source = 'direct', untilMs: number | null = null) =>
  ['RoleGranted', { principal, role, untilMs, source }] as const
const revoked = (principal: string, role: string, source: string | null = null) =>
  ['RoleRevoked', { principal, role, source }] as const
const linked = (principal: string, person: string) => ['IdentityLinked', { principal, person }] as const
const named = (digest: string) => ({ name: 'treasury', version: digest, digest })
const activated = (digest: string) =>
  ['ContractActivated', { ...named(digest), approvedBy: [] }, contractOf(digest)] as const
const proposed = (digest: string) => ['ContractProposed', named(digest), contractOf(digest)] as const
const confirmed = (digest: string, confirmer: string) =>
  ['ContractConfirmed', { digest, confirmer, roles: ['cfo'] }] as const

describe('R-G3 a role', () => {
  test('is held while one source grants it', () => {
    const both = [granted('tom', 'cfo', 'hr'), granted('tom', 'cfo')]
    expect(lawOf(...both).grantedTo('tom', 0)).toEqual(['cfo'])
    expect(
      lawOf(...both)
        .grants(0, 'tom')
        .map(({ source }) => source),
    ).toEqual(['direct', 'hr'])
    expect(lawOf(...both, revoked('tom', 'cfo', 'hr')).grantedTo('tom', 0)).toEqual(['cfo'])
    expect(lawOf(...both, revoked('tom', 'cfo', 'hr'), revoked('tom', 'cfo', 'direct')).grantedTo('tom', 0)).toEqual([])
    expect(lawOf(granted('tom', 'cfo'), revoked('tom', 'cfo', 'hr')).isHeld('cfo', 0)).toBe(true)
  })

  test('that is revoked by hand is gone, whoever granted it, until it is granted anew', () => {
    const gone = [granted('tom', 'cfo', 'hr'), granted('tom', 'cfo'), granted('tom', 'ceo'), revoked('tom', 'cfo')]
    expect(lawOf(...gone).grantedTo('tom', 0)).toEqual(['ceo'])
    expect(lawOf(...gone).isWithdrawn('tom', 'cfo')).toBe(true)
    expect(lawOf(...gone).isWithdrawn('tom', 'ceo')).toBe(false)
    expect(lawOf(...gone).isWithdrawn('eve', 'cfo')).toBe(false)
    const back = lawOf(...gone, granted('tom', 'cfo'))
    expect([back.isWithdrawn('tom', 'cfo'), back.grantedTo('tom', 0)]).toEqual([false, ['ceo', 'cfo']])
  })

  test('ends at its moment, and what a source says anew replaces what it said', () => {
    const law = lawOf(granted('tom', 'cfo', 'hr', 10), granted('tom', 'cfo', 'direct', 20))
    expect([9, 10, 19, 20].map((atMs) => law.isHeld('cfo', atMs))).toEqual([true, true, true, false])
    expect(law.grants(10).map(({ source }) => source)).toEqual(['direct'])
    expect(lawOf(granted('tom', 'cfo', 'hr', 10), granted('tom', 'cfo', 'hr')).isHeld('cfo', 99)).toBe(true)
    expect(lawOf(granted('tom', 'cfo', 'hr'), granted('tom', 'cfo', 'hr', 10)).isHeld('cfo', 99)).toBe(false)
  })

  test('was granted once and for all', () => {
    expect(lawOf(granted('tom', administrator), revoked('tom', administrator)).wasGranted(administrator)).toBe(true)
    expect(lawOf(granted('tom', 'cfo')).wasGranted(administrator)).toBe(false)
  })
})

describe('R-D7 a person', () => {
  test('is behind every identity that leads to them, in whatever order it was said', () => {
    for (const law of [lawOf(linked('a', 'b'), linked('b', 'c')), lawOf(linked('b', 'c'), linked('a', 'b'))]) {
      expect(['a', 'b', 'c', 'd'].map((id) => law.personOf(id))).toEqual(['c', 'c', 'c', 'd'])
    }
  })

  test('is one where a circle was said, and another once an identity is their own', () => {
    const circle = lawOf(linked('a', 'b'), linked('b', 'c'), linked('c', 'a'))
    expect(new Set(['a', 'b', 'c'].map((id) => circle.personOf(id))).size).toBe(1)
    const own = lawOf(linked('a', 'b'), linked('a', 'a'))
    expect([own.personOf('a'), own.personOf('b')]).toEqual(['a', 'b'])
  })

  test('is the end of the way, whatever is linked, unlinked and asked in between, also in a copy', () => {
    let state = 7
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % below
    }
    const people = new Map<string, string>()
    const wayOf = (one: string): string[] => {
      const next = people.get(one)
      return next === undefined ? [one] : [one, ...wayOf(next)]
    }
    let law = new Law()
    let [longest, circles] = [0, 0]
    for (let seq = 0; seq < 4_000; seq += 1) {
      const [principal, person] = [`p${random(12)}`, `p${random(12)}`]
      if (principal === person) people.delete(principal)
      else if (wayOf(person).includes(principal)) circles += 1
      else people.set(principal, person)
      const [kind, body] = linked(principal, person)
      law.add({ seq, kind, body: JSON.stringify(body), data: undefined })
      if (random(50) === 0) law = law.copy()
      for (let asked = random(4); asked > 0; asked -= 1) {
        const way = wayOf(`p${random(12)}`)
        longest = Math.max(longest, way.length)
        expect(law.personOf(way[0] as string)).toBe(way.at(-1))
      }
    }
    expect([longest > 5, circles > 100]).toEqual([true, true])
  })
})

describe('R-F1 a contract', () => {
  test('that is proposed keeps those who confirm it, each once, until any is activated', () => {
    const events = [activated('1'), proposed('2'), confirmed('2', 'a'), confirmed('2', 'b'), confirmed('2', 'a')]
    const law = lawOf(...events, proposed('3'), confirmed('9', 'a'))
    expect(law.proposals.map(({ digest, confirmers, seq }) => [digest, confirmers, seq])).toEqual([
      ['2', ['a', 'b'], 1],
      ['3', [], 5],
    ])
    expect(law.inForce?.digest).toBe('1')
    const next = lawOf(...events, proposed('3'), activated('3'))
    expect([next.proposals, next.inForce?.digest, next.contract('1')?.seq, next.contract('2')]).toEqual([
      [],
      '3',
      0,
      undefined,
    ])
  })

  test('has the support of different people who may now, by the contract in force', () => {
    const roles = [
      granted('a', 'cfo'),
      granted('b', 'cfo'),
      granted('c', 'ceo'),
      granted('d', 'cfo', 'hr', 10),
      linked('b', 'a'),
    ]
    const law = lawOf(activated('1'), ...roles)
    expect(law.supportBy(['a', 'b', 'c', 'x'], 0)).toEqual({ confirmers: ['a'], suffices: false })
    expect(law.supportBy(['b', 'a', 'd'], 9)).toEqual({ confirmers: ['b', 'd'], suffices: true })
    expect(law.supportBy(['b', 'a', 'd'], 10)).toEqual({ confirmers: ['b'], suffices: false })
    const first = lawOf(granted('a', administrator), granted('c', 'ceo'))
    expect(first.activation).toEqual({ roles: [administrator], quorum: 1 })
    expect([first.supportBy(['c'], 0).suffices, first.supportBy(['a'], 0).suffices]).toEqual([false, true])
  })
})

test('R-D7 delegations are told until they end', () => {
  const delegated = (to: string, untilMs: number) =>
    ['DelegationGranted', { from: 'a', to, roles: ['cfo'], untilMs }] as const
  const law = lawOf(granted('a', 'cfo'), delegated('b', 10), delegated('c', 20), [
    'DelegationRevoked',
    { from: 'a', to: 'b' },
  ])
  expect(law.delegations(0)).toEqual([{ from: 'a', to: 'c', roles: ['cfo'], untilMs: 20 }])
  expect([law.delegations(20), law.delegatedTo('c', 20), law.delegatedTo('b', 0)]).toEqual([[], [], []])
})

test('kinds that are not known say nothing, also those with names that every object has', () => {
  const law = lawOf(['constructor', {}], ['toString', {}], ['KeyAdded', {}])
  expect(law.eventCount).toBe(3)
})
