import { randomUUID } from 'node:crypto'
import type { Contract, Run } from 'constancia'
import { nothingSeen, parseRunId } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'

const governance = 'governance' as never

/** Writes the law of a store by hand, and votes: what is said here is not asked of anybody. */
export class Court {
  readonly #store: () => Store

  constructor(store: () => Store) {
    this.#store = store
  }

  activate({ declared, digest, text }: Contract): Promise<void> {
    const body = { name: declared.name, version: declared.version, digest, approvedBy: ['root'] }
    return this.#write('ContractActivated', body, text)
  }

  grant(principal: string, role: string, untilMs: number | null = null): Promise<void> {
    return this.#write('RoleGranted', { principal, role, untilMs, source: 'test' })
  }

  revoke(principal: string, role: string): Promise<void> {
    return this.#write('RoleRevoked', { principal, role, source: 'test' })
  }

  delegate(body: { from: string; to: string; roles: readonly string[]; untilMs: number }): Promise<void> {
    return this.#write('DelegationGranted', body)
  }

  undelegate(from: string, to: string): Promise<void> {
    return this.#write('DelegationRevoked', { from, to })
  }

  link(principal: string, person: string): Promise<void> {
    return this.#write('IdentityLinked', { principal, person })
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
    const { op, verb, name, shown } = JSON.parse(asked.body)
    const delivery = randomUUID()
    const vote = {
      op,
      verb,
      name,
      voter,
      choice,
      shown,
      roles: ['treasurer'],
      delivery,
      amended: amended === undefined ? null : 'digest',
    }
    const data = JSON.stringify(amended === undefined ? {} : { amended })
    const drafts = [{ kind: 'ApprovalVoted', body: JSON.stringify(vote), data }]
    if (resolves !== undefined)
      drafts.push({
        kind: 'ApprovalResolved',
        body: JSON.stringify({ op, verb, name, outcome: resolves }),
        data: amended as never,
      })
    await this.#append(run, voter, drafts)
  }

  async state(run: Run, outcome: 'done' | 'not_done' | 'failed', output?: unknown): Promise<void> {
    const doubt = (await run.events()).findLast(({ kind }) => kind === 'OutcomeUnknown')
    if (doubt === undefined) throw new Error('Nothing is in doubt.')
    const { op, verb, name } = JSON.parse(doubt.body)
    const body = { op, verb, name, stater: 'root', outcome, delivery: randomUUID(), roles: [] }
    await this.#append(run, 'root', [
      { kind: 'OutcomeStated', body: JSON.stringify(body), data: JSON.stringify({ output }) },
    ])
  }

  async #append(run: Run, by: string, drafts: readonly { kind: string; body: string; data: string }[]): Promise<void> {
    await this.#store().decide({
      run: parseRunId(run.id),
      delivery: undefined,
      by: `principal:${by}`,
      seen: nothingSeen,
      decide: () => ({ drafts, result: undefined }),
    })
  }

  async #write(kind: string, body: object, data?: string): Promise<void> {
    const draft = { kind, body: JSON.stringify(body), data }
    await this.#store().record({
      stream: governance,
      head: undefined,
      drafts: [draft],
      by: 'principal:root',
      seen: nothingSeen,
    })
  }
}
