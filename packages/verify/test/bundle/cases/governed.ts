import { readdirSync } from 'node:fs'
import type { CheckName } from '../../../dist/index.js'
import { type Journals, journals, logOf, rebody, type Written } from '../journal.js'
import { type LogEvent, without, written } from '../log.js'
import { type Case, caseOf, runsOf } from './case.js'

/** Files of runs that were governed: honest ones, and ones whose records do not follow from the law that is in them. */
export async function governedCases(): Promise<Case[]> {
  return [...(await honestOnes()), ...(await unlawfulOnes()), ...(await withheldOnes())]
}

async function honestOnes(): Promise<Case[]> {
  const names = readdirSync(new URL('../fixtures/', import.meta.url))
    .map((file) => file.replace('.json', ''))
    .sort()
  const given = names.map((name) => [name, journals(name)] as const)
  const all = [...given, ['import-that-takes-the-role-of-its-author', withOwnRoleTaken()] as const]
  return Promise.all(
    all.map(async ([name, streams]) => {
      const log = logOf(streams)
      const require: CheckName[] = ['law', 'actions', 'approvals', 'resumes', 'once']
      return caseOf(`governed-${name}`, await log.bundle(runsOf(log)), { require })
    }),
  )
}

/** Behind everything, somebody imports roles who loses by it the role by which they may: the whole change is decided by the law before it. */
function withOwnRoleTaken(): Journals {
  const given = journals('paid')
  const at = run(given).at(-1)!.at
  changeLaw(given, { by: 'root', at }, [['RoleGranted', { principal: 'ida', role: 'administrator', untilMs: null }]])
  changeLaw(given, { by: 'ida', at }, [
    ['RoleRevoked', { principal: 'ida', role: 'administrator' }],
    ['RoleGranted', { principal: 'eve', role: 'analyst', untilMs: null }],
  ])
  return given
}

/** Events of an import from `hr`, written at once behind the last of governance. */
function changeLaw(given: Journals, { by, at }: { by: string; at: number }, events: [string, object][]): void {
  const seen = `${law(given).length - 1}:${'0'.repeat(64)}/-`
  for (const [kind, body] of events)
    law(given).push({ kind, at, by: `principal:${by}`, seen, body: JSON.stringify({ ...body, source: 'hr' }) })
}

async function unlawfulOnes(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, [check, from, change]] of Object.entries(unlawful)) {
    const given = journals(from)
    const before = JSON.stringify(given)
    change(given)
    if (JSON.stringify(given) === before) throw new Error(`${name} changes nothing.`)
    const log = logOf(given)
    cases.push(caseOf(`unlawful-${name}`, await log.bundle(runsOf(log)), { verdict: 'forged', check }))
  }
  return cases
}

const law = (given: Journals) => given[0]!.events
const run = (given: Journals) => given[1]!.events
const last = (events: Written[], kind: string) => events.findLast((event) => event.kind === kind)!
const first = (events: Written[], kind: string) => events.find((event) => event.kind === kind)!
const drop = (events: Written[], kind: string) =>
  events.splice(
    events.findLastIndex((event) => event.kind === kind),
    1,
  )

const unlawful: Record<string, [CheckName, string, (given: Journals) => void]> = {
  'grant-by-nobody': ['law', 'paid', (given) => Object.assign(law(given).at(-1)!, { by: 'principal:eve' })],
  'grant-by-the-system': ['law', 'paid', (given) => Object.assign(law(given).at(-1)!, { by: 'system:setup' })],
  'grant-decided-by-an-older-law': [
    'law',
    'paid',
    // A moment later than the one before, with which it would otherwise be one change.
    (given) => Object.assign(law(given).at(-1)!, { seen: law(given).at(-2)!.seen, at: law(given).at(-2)!.at + 1 }),
  ],
  'grants-by-hand-at-once': [
    'law',
    'paid',
    (given) => Object.assign(law(given).at(-1)!, { seen: law(given).at(-2)!.seen }),
  ],
  'import-that-makes-its-author-administrator': [
    'law',
    'paid',
    (given) =>
      changeLaw(given, { by: 'eve', at: run(given).at(-1)!.at }, [
        ['RoleGranted', { principal: 'eve', role: 'administrator', untilMs: null }],
        ['RoleGranted', { principal: 'mal', role: 'analyst', untilMs: null }],
      ]),
  ],
  'grant-of-a-role-that-is-not-declared': ['law', 'paid', (given) => rebody(law(given).at(-1)!, { role: 'emperor' })],
  'second-first-administrator': [
    'law',
    'paid',
    (given) => rebody(law(given).at(-1)!, { principal: 'eve', role: 'administrator', source: 'bootstrap' }),
  ],
  'contract-without-a-confirmation': [
    'law',
    'paid',
    (given) => Object.assign(first(law(given), 'ContractConfirmed'), { kind: 'Noted' }),
  ],
  'contract-of-another-text': [
    'law',
    'paid',
    (given) => {
      const event = first(law(given), 'ContractActivated')
      event.data = event.data!.replace('input.cents <= 1000', 'input.cents <= 9999999')
    },
  ],
  'vote-without-a-role': ['approvals', 'paid', (given) => revoteBy(given, 'eve')],
  'vote-of-the-actor': ['approvals', 'paid', (given) => revoteBy(given, 'ann')],
  'vote-in-the-name-of-another': [
    'approvals',
    'paid',
    (given) => rebody(first(run(given), 'ApprovalVoted'), { voter: 'eve' }),
  ],
  'vote-by-roles-that-are-not-held': [
    'approvals',
    'paid',
    (given) => rebody(first(run(given), 'ApprovalVoted'), { roles: ['administrator'] }),
  ],
  'vote-about-something-else': [
    'approvals',
    'paid',
    (given) => rebody(first(run(given), 'ApprovalVoted'), { shown: 'ab'.repeat(32) }),
  ],
  'vote-after-the-deadline': ['approvals', 'paid', (given) => later(given, 'ApprovalVoted', 5 * 86_400_000)],
  'approved-without-a-vote': ['approvals', 'paid', (given) => drop(run(given), 'ApprovalVoted')],
  'vote-without-its-outcome': ['approvals', 'rejected', (given) => drop(run(given), 'ApprovalResolved')],
  'rejection-that-becomes-an-approval': [
    'approvals',
    'rejected',
    (given) => rebody(first(run(given), 'ApprovalResolved'), { outcome: 'approved' }),
  ],
  'expired-too-early': ['approvals', 'expired', (given) => later(given, 'ApprovalResolved', -86_400_000)],
  'shown-is-not-what-is-shown': [
    'approvals',
    'paid',
    (given) => {
      const event = first(run(given), 'ApprovalRequested')
      event.data = event.data!.replace('250000', '25')
    },
  ],
  'quorum-too-small': ['approvals', 'quorum', (given) => drop(run(given), 'ApprovalVoted')],
  'action-without-an-approval': [
    'actions',
    'paid',
    (given) => rebody(last(run(given), 'ActionAuthorized'), { approval: undefined }),
  ],
  'action-by-another-rule': ['actions', 'paid', (given) => rebody(last(run(given), 'ActionAuthorized'), { rule: 1 })],
  'action-by-roles-that-are-not-held': [
    'actions',
    'paid',
    (given) => rebody(last(run(given), 'ActionAuthorized'), { roles: ['treasurer'] }),
  ],
  'action-under-another-contract': [
    'actions',
    'paid',
    (given) => rebody(last(run(given), 'ActionAuthorized'), { contract: 'cd'.repeat(32) }),
  ],
  'action-with-another-input': [
    'actions',
    'paid',
    (given) => Object.assign(last(run(given), 'ActionAuthorized'), { data: '{"to":"mallory","cents":250000}' }),
  ],
  'action-for-another-actor': [
    'actions',
    'paid',
    (given) => rebody(first(run(given), 'FlowStarted'), { actor: 'eve' }),
  ],
  'action-after-the-role-was-lost': [
    'actions',
    'paid',
    (given) => {
      const like = law(given).at(-1)!
      const body = JSON.stringify({ principal: 'ann', role: 'analyst', source: null })
      law(given).push({ ...like, kind: 'RoleRevoked', body, seen: like.seen.replace(/^\d+/, '4') })
      for (const event of run(given).slice(-5)) event.seen = event.seen.replace(/^\d+/, '5')
    },
  ],
  'denial-that-becomes-an-authorization': [
    'actions',
    'approver-lost-role',
    (given) => {
      const event = last(run(given), 'ActionDenied')
      const { op, verb, name, contract, roles } = JSON.parse(event.body)
      event.kind = 'ActionAuthorized'
      event.body = JSON.stringify({
        op,
        verb,
        name,
        attempt: 1,
        contract,
        rule: 2,
        roles,
        approval: '1',
        cents: 250_000,
      })
      event.data = '{"to":"acme","cents":250000}'
    },
  ],
  'resumption-left-out': ['resumes', 'paid', (given) => drop(run(given), 'ResumeAuthorized')],
  'resumption-by-other-roles': [
    'resumes',
    'paid',
    (given) => rebody(first(run(given), 'ResumeAuthorized'), { roles: [] }),
  ],
  'resumption-before-the-decision': [
    'resumes',
    'paid',
    (given) => {
      const events = run(given)
      const [event] = drop(events, 'ResumeAuthorized')
      events.splice(3, 0, { ...event!, at: events[2]!.at })
    },
  ],
  'done-twice': [
    'once',
    'paid',
    (given) => {
      const events = run(given)
      const at = events.findLastIndex(({ kind }) => kind === 'ActionAuthorized')
      events.splice(at + 2, 0, events[at]!, events[at + 1]!)
    },
  ],
  'done-twice-in-another-op': [
    'actions',
    'paid',
    (given) => {
      const events = run(given)
      const at = events.findLastIndex(({ kind }) => kind === 'ActionAuthorized')
      const again = events.slice(at, at + 2).map((event) => ({ ...event }))
      for (const event of again) rebody(event, { op: '9' })
      events.splice(at + 2, 0, ...again)
    },
  ],
  'completed-without-an-authorization': ['once', 'paid', (given) => drop(run(given), 'ActionAuthorized')],
  'attempt-that-is-another': ['once', 'paid', (given) => rebody(last(run(given), 'ActionAuthorized'), { attempt: 2 })],
  'name-that-is-missing': [
    'actions',
    'paid',
    (given) => rebody(last(run(given), 'ActionAuthorized'), { roles: undefined }),
  ],
  'name-twice': [
    'actions',
    'paid',
    (given) => {
      const event = last(run(given), 'ActionAuthorized')
      event.body = event.body.replace('"rule":2', '"rule":1,"rule":2')
    },
  ],
}

/** Somebody else has voted, and says so. */
function revoteBy(given: Journals, voter: string): void {
  for (const event of run(given)) {
    if (event.by === 'principal:tom') event.by = `principal:${voter}`
    if (event.kind === 'ApprovalVoted') rebody(event, { voter })
  }
}

/** An event of this kind, and all behind it, at another time. */
function later(given: Journals, kind: string, byMs: number): void {
  const events = run(given)
  for (const event of events.slice(events.findIndex((one) => one.kind === kind))) event.at += byMs
}

async function withheldOnes(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, count, expected] of valueCounts) {
    const given = journals('paid')
    first(run(given), 'ActionAuthorized').data = `[${'0,'.repeat(count - 2)}0]`
    const log = logOf(given)
    cases.push(caseOf(name, await log.bundle(runsOf(log)), expected))
  }
  for (const [name, [kind, part, ...missing]] of Object.entries(withheld)) {
    const log = logOf(journals('paid'))
    const draft = log.draft(runsOf(log))
    for (const { events } of draft.streams.slice(1)) {
      const at = events.findLastIndex((event) => event.kind === kind)
      const event = events[at] as LogEvent
      events[at] =
        part === 'body'
          ? { ...event, body: without(event.body, 'withheld') }
          : { ...event, data: without(event.data!, 'withheld') }
    }
    const bytes = await written(draft)
    cases.push(caseOf(`withheld-${name}`, bytes, { verdict: 'incomplete' }))
    cases.push(caseOf(`withheld-${name}-allowed`, bytes, { allow: missing }))
    const fewer: Partial<Case> = { verdict: 'incomplete', allow: missing.slice(1) }
    cases.push(caseOf(`withheld-${name}-not-all-allowed`, bytes, fewer))
  }
  return cases
}

/** An input of so many values, the list itself included, of an action that any input is allowed to. */
const valueCounts: [string, number, Partial<Case>][] = [
  ['governed-input-of-as-many-values-as-may-be', 131_072, {}],
  ['incomplete-input-of-a-value-too-many', 131_073, { verdict: 'incomplete' }],
]

const withheld: Record<string, [string, 'body' | 'data', ...CheckName[]]> = {
  'vote-body': ['ApprovalVoted', 'body', 'approvals', 'actions'],
  'shown-data': ['ApprovalRequested', 'data', 'approvals', 'actions'],
  'input-data': ['ActionAuthorized', 'data', 'actions'],
}
