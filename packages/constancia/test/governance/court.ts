import { randomUUID } from 'node:crypto'
import { authorityOf, judgeStatement, Law, type PendingApproval, type Vote } from '@constancia/verify'
import type { Contract, Run } from 'constancia'
import { expect } from 'vitest'
import { shownDigestOf } from '../../dist/governance/approvals/shown.js'
import { headOf, nothingSeen, parseRunId, seenOf } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { auditRigs, type Rig } from '../engine/rig.js'
import { inWords, journalsOf, replayed } from './replayed.js'

const governance = 'governance' as never
const unlawful = new WeakSet<Rig>()

/** What a test does by hand here does not follow from the law, and is meant not to. */
export function forges(rig: Rig): void {
  unlawful.add(rig)
}

// Whatever happened in a test: its journals must tell an auditor that all of it followed.
auditRigs(async (rig) => {
  if (unlawful.has(rig)) return
  const store = await rig.read()
  try {
    expect(inWords(replayed(await journalsOf(store)).findings)).toEqual([])
  } finally {
    await store.close()
  }
})

/** Writes the law of a store by hand, and votes: what is said here is not asked of anybody, and is written as if it had been. */
export class Court {
  readonly #store: () => Store

  constructor(store: () => Store) {
    this.#store = store
  }

  async activate({ declared, digest, text }: Contract): Promise<void> {
    const named = { name: declared.name, version: declared.version, digest }
    await this.#write([
      { kind: 'ContractConfirmed', body: { digest, confirmer: 'root', roles: ['administrator'] } },
      { kind: 'ContractActivated', body: { ...named, approvedBy: ['root'] }, data: text },
    ])
  }

  grant(principal: string, role: string, untilMs: number | null = null): Promise<void> {
    return this.#write([{ kind: 'RoleGranted', body: { principal, role, untilMs, source: 'direct' } }])
  }

  revoke(principal: string, role: string): Promise<void> {
    return this.#write([{ kind: 'RoleRevoked', body: { principal, role, source: null } }])
  }

  delegate(body: { from: string; to: string; roles: readonly string[]; untilMs: number }): Promise<void> {
    return this.#write([{ kind: 'DelegationGranted', body }])
  }

  undelegate(from: string, to: string): Promise<void> {
    return this.#write([{ kind: 'DelegationRevoked', body: { from, to } }])
  }

  link(principal: string, person: string): Promise<void> {
    return this.#write([{ kind: 'IdentityLinked', body: { principal, person } }])
  }

  /** Writes a vote and, where it is given, what it resolves the approval to. */
  async vote(
    run: Run,
    voter: string,
    given: {
      readonly choice?: 'approve' | 'reject'
      readonly resolves?: string
      readonly amended?: string
      readonly op?: string
    },
  ): Promise<void> {
    const { choice = 'approve', resolves, amended } = given
    const events = await run.events()
    const asked = events.findLast(
      ({ kind, body }) => kind === 'ApprovalRequested' && (given.op === undefined || JSON.parse(body).op === given.op),
    )
    if (asked === undefined) throw new Error('Nobody was asked.')
    const { op, verb, name, shown, policy } = JSON.parse(asked.body)
    const digest = amended === undefined ? null : shownDigestOf(parseRunId(run.id), op, amended)
    const ballot: Vote = { voter, choice, shown, amended: digest }
    const pending: PendingApproval = { policy, actor: null, requestedAtMs: asked.at, shown, votes: [] }
    await this.#append(run, voter, ({ law, nowMs }) => {
      const roles = authorityOf(pending, ballot, { law, nowMs })?.roles ?? []
      const vote = { op, verb, name, voter, choice, shown, roles, delivery: randomUUID(), amended: digest }
      const data = JSON.stringify(amended === undefined ? {} : { amended })
      const drafts = [{ kind: 'ApprovalVoted', body: JSON.stringify(vote), data }]
      if (resolves === undefined) return drafts
      const body = JSON.stringify({ op, verb, name, outcome: resolves })
      return [...drafts, { kind: 'ApprovalResolved', body, data: amended as never }]
    })
  }

  /** Writes what came of an effect, by somebody who may say so; false where nobody may, and root does. */
  async state(run: Run, outcome: 'done' | 'not_done' | 'failed', output?: unknown): Promise<boolean> {
    const events = await run.events()
    const doubt = events.findLast(({ kind }) => kind === 'OutcomeUnknown')
    if (doubt === undefined) throw new Error('Nothing is in doubt.')
    const { op, verb, name } = JSON.parse(doubt.body)
    const { actor } = JSON.parse(events[0]?.body ?? '{}')
    const { law } = await this.#law()
    const nowMs = doubt.at
    const [stater = 'root'] = ['tom', 'una'].filter(
      (one) => judgeStatement(name, { stater: one, actor, law, nowMs }).kind === 'counts',
    )
    const judged = judgeStatement(name, { stater, actor, law, nowMs })
    const roles = judged.kind === 'counts' ? judged.roles : []
    const body = { op, verb, name, stater, outcome, delivery: randomUUID(), roles }
    const draft = { kind: 'OutcomeStated', body: JSON.stringify(body), data: JSON.stringify({ output }) }
    await this.#append(run, stater, () => [draft])
    return judged.kind === 'counts'
  }

  async #append(
    run: Run,
    by: string,
    draftsBy: (now: { law: Law; nowMs: number }) => readonly { kind: string; body: string; data: string }[],
  ): Promise<void> {
    const { law, seen } = await this.#law()
    await this.#store().decide({
      run: parseRunId(run.id),
      delivery: undefined,
      by: `principal:${by}`,
      seen,
      decide: ({ nowMs }) => ({ drafts: draftsBy({ law, nowMs }), result: undefined }),
    })
  }

  async #law(): Promise<{ law: Law; seen: string }> {
    const events = await this.#store().read(governance)
    const law = new Law()
    for (const event of events) law.add(event)
    const last = events.at(-1)
    return { law, seen: last === undefined ? nothingSeen : seenOf(headOf(last)) }
  }

  // The first word is that of the first administrator.
  async #write(drafts: readonly { kind: string; body: object; data?: string }[]): Promise<void> {
    const { law, seen } = await this.#law()
    if (!law.wasGranted('administrator')) {
      const first = { principal: 'root', role: 'administrator', untilMs: null, source: 'bootstrap' }
      await this.#record([{ kind: 'RoleGranted', body: first }], seen)
      return this.#write(drafts)
    }
    await this.#record(drafts, seen)
  }

  async #record(drafts: readonly { kind: string; body: object; data?: string }[], seen: string): Promise<void> {
    await this.#store().record({
      stream: governance,
      head: undefined,
      drafts: drafts.map(({ kind, body, data }) => ({ kind, body: JSON.stringify(body), data })),
      by: 'principal:root',
      seen,
    })
  }
}
