import { createHash } from 'node:crypto'
import {
  canonicalText,
  GovernanceReplay,
  type Json,
  Law,
  LawHistory,
  type ReplayEvent,
  RunReplay,
} from '@constancia/verify'
import { describe, expect, test } from 'vitest'

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const roles = { clerk: 'asks', chief: 'decides' }
const approval = {
  roles: ['chief'],
  quorum: 1,
  notBy: 'actor',
  withinMs: null,
  escalation: null,
  amendable: false,
  reasonRequired: false,
}
const declared = {
  format: 'constancia.contract/v1',
  name: 'office',
  version: '1',
  roles,
  actions: [
    {
      name: 'pay',
      title: '',
      input: {},
      output: null,
      effect: { protocol: 'once' },
      checksSituation: false,
      undo: null,
    },
  ],
  rules: [{ action: 'pay', roles: ['clerk'], when: 'input.cents < 100', approval: null }],
  flows: [{ name: 'ask', version: 1, resume: { roles: ['clerk'] }, models: 'none', steps: null }],
  limits: {},
  templates: [],
  activation: { roles: ['administrator'], quorum: 1 },
}
const text = canonicalText(declared as unknown as Json)
const digest = hash(text)

interface Given {
  readonly kind: string
  readonly body: object | string | undefined
  readonly data?: string | undefined
  readonly at?: number
  readonly seen?: number | undefined
  readonly by?: string
}

function eventsOf(given: readonly Given[], isLaw: boolean): ReplayEvent[] {
  return given.map((event, seq) => {
    const { kind, body, at = 1_000 * (seq + 1), by = isLaw ? 'principal:root' : 'claim:c@1' } = event
    const governanceSeq = 'seen' in event ? event.seen : isLaw ? (seq === 0 ? undefined : seq - 1) : 4
    const data = 'data' in event ? event.data : 'none'
    return { seq, kind, at, by, governanceSeq, body: typeof body === 'object' ? JSON.stringify(body) : body, data }
  })
}

const law: readonly Given[] = [
  { kind: 'RoleGranted', body: { principal: 'root', role: 'administrator', untilMs: null, source: 'bootstrap' } },
  { kind: 'ContractConfirmed', body: { digest, confirmer: 'root', roles: ['administrator'] }, at: 2_000 },
  {
    kind: 'ContractActivated',
    body: { name: 'office', version: '1', digest, approvedBy: ['root'] },
    data: text,
    at: 2_000,
    seen: 0,
  },
  { kind: 'RoleGranted', body: { principal: 'ann', role: 'clerk', untilMs: null, source: 'direct' }, at: 3_000 },
  { kind: 'RoleGranted', body: { principal: 'bob', role: 'chief', untilMs: null, source: 'direct' }, at: 4_000 },
]
const about = { op: '0', verb: 'do', name: 'pay' }
const run: readonly Given[] = [
  { kind: 'FlowStarted', body: { flow: 'ask', version: 1, actor: 'ann', contract: digest, patches: [] }, at: 5_000 },
  {
    kind: 'ActionAuthorized',
    body: { ...about, attempt: 1, contract: digest, rule: 0, roles: ['clerk'] },
    data: '{"cents":5}',
    at: 5_000,
  },
  { kind: 'ActionCompleted', body: { ...about, attempt: 1 }, data: 'null', at: 6_000 },
  { kind: 'FlowCompleted', body: {}, data: 'null', at: 6_000 },
]

function replay(given: { readonly law?: readonly Given[]; readonly run?: readonly Given[] } = {}): string[] {
  const history = new LawHistory(sha256)
  const governance = new GovernanceReplay(history)
  for (const event of eventsOf(given.law ?? law, true)) governance.add(event)
  const journal = new RunReplay('r', history)
  const found = [...governance.end()]
  for (const event of eventsOf(given.run ?? run, false)) journal.add(event)
  found.push(...journal.end())
  return found.map(({ check, result, seq, message }) => `${check} ${result} ${seq}: ${message}`)
}

function changed(events: readonly Given[], seq: number, change: Partial<Given>): readonly Given[] {
  return events.map((event, place) => (place === seq ? { ...event, ...change } : event))
}

describe('R-G4 the replay of a journal', () => {
  test('finds nothing where all follows', () => {
    expect(replay()).toEqual([])
  })

  test('says what is withheld, and what may follow from that, and never that it is forged', () => {
    const found = replay({ run: changed(run, 1, { body: undefined }) })
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'actions not_evaluated 1',
      'once not_evaluated 1',
      'once not_evaluated 2',
      'actions not_evaluated 2',
    ])
    expect(found[2]).toContain('It may follow from what is not known of before.')
  })

  test('does not know a verdict whose input is withheld, and still compares what does not depend on it', () => {
    expect(replay({ run: changed(run, 1, { data: undefined }) })).toEqual([
      'actions not_evaluated 1: Its input is withheld or unreadable, so the verdict is not known.',
    ])
    const body = { ...about, attempt: 1, contract: digest, rule: 0, roles: ['chief'] }
    expect(replay({ run: changed(run, 1, { data: undefined, body }) })[0]).toContain('actions failed 1')
  })

  test('takes an input that is no strict JSON for one that is withheld: a value may nest deeper than others read', () => {
    const deep = `${'['.repeat(70)}${']'.repeat(70)}`
    for (const data of [deep, '{"cents":5,"cents":6}', '"\\ud800"', '{']) {
      expect(replay({ run: changed(run, 1, { data }) })).toEqual([
        'actions not_evaluated 1: Its input is withheld or unreadable, so the verdict is not known.',
      ])
    }
  })

  test('knows no law behind an event of governance that is withheld', () => {
    for (const event of [
      { body: undefined },
      { body: { principal: 'ann', role: 'clerk', untilMs: null, source: 'direct', why: 1 } },
    ]) {
      const found = replay({ law: changed(law, 3, event) })
      expect(found.every((line) => line.includes('not_evaluated'))).toBe(true)
      expect(found.filter((line) => line.startsWith('actions'))).toHaveLength(1)
      expect(found.filter((line) => line.startsWith('law'))).toHaveLength(2)
    }
    expect(replay({ law: changed(law, 2, { data: undefined }) })[0]).toContain('law not_evaluated 2')
  })

  test('says of a law that it is not there, rather than guess', () => {
    expect(replay({ run: changed(run, 1, { seen: 9 }) })[0]).toBe(
      'actions not_evaluated 1: ActionAuthorized: event 9 of governance is not in the file.',
    )
  })

  test('without how the run began nothing of it is known', () => {
    const found = replay({ run: changed(run, 0, { body: undefined }) })
    expect(found.every((line) => line.includes('not_evaluated'))).toBe(true)
    expect(found.length).toBeGreaterThan(4)
  })

  test('a vote that decides at the end of the journal is found', () => {
    const shown = '{"action":"pay","title":"","schema":null,"input":"{\\"cents\\":5}","question":""}'
    const salt = createHash('sha256').update('constancia.shown/v1\nr\n1\n').digest().subarray(0, 16)
    const named = createHash('sha256').update(salt).update(shown).digest('hex')
    const ask = { op: '1', verb: 'approval', name: 'treasury' }
    const request = { ...ask, contract: digest, action: 'pay', rule: null, policy: approval, shown: named }
    const vote = {
      ...ask,
      voter: 'bob',
      choice: 'approve',
      shown: named,
      roles: ['chief'],
      delivery: 'd',
      amended: null,
    }
    const found = replay({
      run: [
        run[0] as Given,
        { kind: 'ApprovalRequested', body: request, data: shown, at: 5_000 },
        { kind: 'ApprovalVoted', body: vote, data: 'none', at: 5_000, by: 'principal:bob' },
      ],
    })
    expect(found).toEqual([
      'approvals failed 1: The request does not follow: what is shown names another schema than the contract in force has.',
      'approvals failed 2: With it the approval of op 1 was approved, and nothing right after it says so.',
    ])
  })

  test('never throws, whatever bodies and data say', () => {
    const odd = [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '"x"',
      '1e999',
      '{"op":"0"}',
      '{"op":{},"verb":[],"name":1}',
      '\u0000',
      undefined,
    ]
    let replayedCount = 0
    for (const [seq, event] of [...law, ...run].entries()) {
      const isLaw = seq < law.length
      for (const body of odd) {
        for (const data of ['none', '{', undefined]) {
          const place = isLaw ? seq : seq - law.length
          const given = changed(isLaw ? law : run, place, { body, data })
          const found = replay(isLaw ? { law: given } : { run: given })
          if (event.kind !== 'FlowCompleted') expect(found.length).toBeGreaterThan(0)
          replayedCount += 1
        }
      }
    }
    expect(replayedCount).toBe(9 * 33)
  })

  test('refuses every other form of every part of a body', () => {
    let misfitCount = 0
    for (const [isLaw, events] of [
      [true, law],
      [false, run.slice(0, 3)],
    ] as const) {
      for (const [seq, { body }] of events.entries()) {
        for (const name of Object.keys(body as object)) {
          if (name === 'patches') continue
          for (const value of [1.5, true, {}, [{}], '', 'not/of/this/form ']) {
            const wrong = changed(events, seq, { body: { ...(body as object), [name]: value } })
            const found = replay(isLaw ? { law: wrong } : { run: wrong })
            // What is of another form is found, and so is what is of the form and another thing.
            if (found.some((line) => line.includes(`${seq}: `))) misfitCount += 1
            else expect(`${name} ${JSON.stringify(value)}`).toMatch(/^(flow|actor) "/)
          }
        }
      }
    }
    expect(misfitCount).toBeGreaterThan(150)
  })
})

describe('R-G4 the history of laws', () => {
  test('gives the law of every position, in whatever order it is asked', () => {
    const history = new LawHistory(sha256)
    const plain: Law[] = []
    const law = new Law()
    const count = 2_000
    for (let seq = 0; seq < count; seq++) {
      const principal = `p${(seq * 7) % 40}`
      const isGrant = seq % 3 !== 2
      const granted = { principal, role: `r${seq % 5}`, untilMs: null, source: 'direct' }
      const entry = isGrant
        ? { seq, kind: 'RoleGranted' as const, body: granted, declared: undefined }
        : {
            seq,
            kind: 'RoleRevoked' as const,
            body: { principal, role: `r${seq % 5}`, source: null },
            declared: undefined,
          }
      history.add(entry, seq)
      law.take(entry)
      if (seq % 97 === 0) plain[seq] = law.copy()
    }
    let comparedCount = 0
    for (let step = 0; step < 100; step++) {
      const seq = 97 * ((step * 29) % Math.floor(count / 97))
      const then = history.at(seq)
      if (then.kind === 'unknown') throw new Error(then.why)
      expect(then.law.eventCount).toBe(seq + 1)
      for (let who = 0; who < 40; who += 9) {
        expect(then.law.grantedTo(`p${who}`, 0)).toEqual(plain[seq]?.grantedTo(`p${who}`, 0))
        comparedCount += 1
      }
    }
    expect(comparedCount).toBe(500)
    expect(history.at(-1)).toMatchObject({ law: { eventCount: 0 } })
    expect(history.at(count)).toMatchObject({ kind: 'unknown' })
  })

  test('a circle of identities says nothing new, however long', () => {
    const law = new Law()
    const pairs = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'b'],
      ['c', 'a'],
      ['d', 'a'],
    ]
    for (const [seq, [principal = '', person = '']] of pairs.entries()) {
      law.add({ seq, kind: 'IdentityLinked', body: JSON.stringify({ principal, person }), data: undefined })
    }
    expect(['a', 'b', 'c', 'd'].map((one) => law.personOf(one))).toEqual(['d', 'd', 'd', 'd'])
  })
})
