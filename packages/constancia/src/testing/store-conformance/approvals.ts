import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { Draft, OpId } from '../../journal/index.js'
import type { ApprovalQuery, ApprovalRow, Store } from '../../store/index.js'
import { type Cases, completed, headAfter, idOf, rejectsWith, startedAs, stepped, type World } from './world.js'

/** What `approvals` promises. */
export const approvalCases: Cases = {
  'R-E1 an approval is listed with what was asked, and follows its votes, withdrawals, escalation and resolution':
    async (world) => {
      const atMs = world.given.nowMs()
      const claim = await world.owned('r1')
      const asked = await world.appended(claim, [stepped('0'), requested('1', { escalation: 50, withinMs: 900 })])
      const row: ApprovalRow = {
        run: idOf('r1'),
        op: '1' as OpId,
        name: 'pay "all"',
        flow: 'invoice',
        actor: 'ann',
        action: 'payment.execute',
        roles: ['treasurer', 'cfo'],
        quorum: 2,
        voteCount: 0,
        requestedAtMs: atMs,
        deadlineMs: atMs + 900,
        escalatesAtMs: atMs + 50,
        status: 'open',
        shown: 'ab12',
      }
      deepStrictEqual(await list(world), [row])
      await world.given.advance(1)
      await decided(world, 'r1', [voted('1', 'd1')])
      await decided(world, 'r1', [voted('1', 'd2'), withdrawn('1', 'd1')])
      deepStrictEqual(await list(world), [{ ...row, voteCount: 1 }])
      await decided(world, 'r1', [escalated('1', ['board', 'cfo'])])
      const more = { ...row, voteCount: 1, roles: ['treasurer', 'cfo', 'board'], escalatesAtMs: undefined }
      deepStrictEqual(await list(world, {}, await world.given.another()), [more])
      await decided(world, 'r1', [voted('1', 'd3'), resolved('1', 'approved')])
      deepStrictEqual(await list(world), [{ ...more, voteCount: 2, status: 'approved' }])
      strictEqual(headAfter(asked).seq, 2)
      deepStrictEqual(await list(world, {}, await world.given.reopen()), [
        { ...more, voteCount: 2, status: 'approved' },
      ])
    },

  'R-E1 what is asked for anew begins anew, and a plain question has neither action, deadline nor escalation': async (
    world,
  ) => {
    const claim = await world.owned('r1')
    const before = [
      requested('1', { withinMs: 5 }),
      voted('1', 'd1'),
      escalated('1', ['board']),
      resolved('1', 'expired'),
    ]
    const events = await world.appended(claim, before)
    await world.given.advance(7)
    await world.appended(claim, [requested('1', { action: null })], headAfter(events))
    const [row, ...others] = await list(world)
    deepStrictEqual(others, [])
    const { action, deadlineMs, escalatesAtMs, voteCount, status, requestedAtMs, roles } = row as ApprovalRow
    deepStrictEqual(
      { action, deadlineMs, escalatesAtMs, voteCount, status, roles },
      {
        action: undefined,
        deadlineMs: undefined,
        escalatesAtMs: undefined,
        voteCount: 0,
        status: 'open',
        roles: ['treasurer', 'cfo'],
      },
    )
    strictEqual(requestedAtMs, world.given.nowMs())
  },

  'R-E1 approvals are listed by run, role and status, oldest first, in pages without gap or repetition': async (
    world,
  ) => {
    await asking(world, 'b', [requested('0'), requested('10', { roles: ['o\'hara, "x"'] }), requested('2')])
    await world.given.advance(1)
    await asking(world, 'a', [requested('0'), requested('1', { roles: ['cfo'] }), resolved('0', 'rejected')])
    await asking(world, 'none', [])
    await world.given.advance(1)
    await asking(world, 'c', [requested('0'), completed])
    deepStrictEqual(await places(world), [
      'b 0 open',
      'b 10 open',
      'b 2 open',
      'a 0 rejected',
      'a 1 open',
      'c 0 closed',
    ])
    deepStrictEqual(await places(world, { run: idOf('a') }), ['a 0 rejected', 'a 1 open'])
    deepStrictEqual(await places(world, { status: 'open' }), ['b 0 open', 'b 10 open', 'b 2 open', 'a 1 open'])
    deepStrictEqual(await places(world, { status: 'closed' }), ['c 0 closed'])
    deepStrictEqual(await places(world, { role: 'treasurer', status: 'open' }), ['b 0 open', 'b 2 open'])
    deepStrictEqual(await places(world, { role: 'o\'hara, "x"' }), ['b 10 open'])
    deepStrictEqual(await places(world, { role: 'trea%' }), [])
    deepStrictEqual(await places(world, { run: idOf('nobody') }), [])
    for (const query of [{}, { role: 'cfo' }, { status: 'open' } as const]) {
      const all = await places(world, query)
      const found: string[] = []
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await world.store.approvals({ ...query, limit: 2, ...(after === undefined ? {} : { after }) })
        ok(page.items.length <= 2)
        found.push(...page.items.map(placeOf))
        after = page.next
      }
      deepStrictEqual(found, all)
    }
    await rejectsWith('invalid_id', world.store.approvals({ after: "1/x' OR 1" }))
  },

  'R-E1 an approval is closed by the end of its run, and gone with its journal': async (world) => {
    await asking(world, 'r1', [requested('0'), requested('1'), resolved('1', 'approved')])
    await world.decide('r1', () => ({ drafts: [completed], result: 0 }))
    deepStrictEqual(await places(world), ['r1 0 closed', 'r1 1 approved'])
    await world.store.purge({ runs: [idOf('r1')], by: 'principal:bob' })
    deepStrictEqual(await places(world), [])
  },

  'R-A2 rebuilding computes approvals as they were': async (world) => {
    await asking(world, 'r1', [requested('0', { withinMs: 9, escalation: 3 }), voted('0', 'd1'), escalated('0', ['x'])])
    await asking(world, 'r2', [requested('0'), resolved('0', 'lapsed'), requested('1', { action: null })])
    await world.create('gone', [startedAs({}), requested('0'), completed])
    await world.store.purge({ runs: [idOf('gone')], by: 'principal:bob' })
    await world.create('ended', [startedAs({}), requested('0'), voted('0', 'd2'), completed])
    const before = await list(world)
    strictEqual(before.length, 4)
    await world.store.rebuild()
    deepStrictEqual(await list(world), before)
    await decided(world, 'r1', [voted('0', 'd3')])
    strictEqual((await list(world, { run: idOf('r1') }))[0]?.voteCount, 2)
  },

  'R-E1 an append that is refused leaves approvals as they are, of many at once': async (world) => {
    for (const run of ['r1', 'r2', 'r3']) await world.create(run)
    const claims = await world.claim(3)
    const answers = await Promise.all(
      claims.map((claim, index) =>
        world.append(claim, [requested(String(index))], index === 1 ? { head: { ...claim.head, seq: 7 } } : {}),
      ),
    )
    deepStrictEqual(
      answers.map(({ kind }) => kind),
      ['appended', 'head_conflict', 'appended'],
    )
    deepStrictEqual(await places(world), ['r1 0 open', 'r3 2 open'])
  },
}

async function asking(world: World, run: string, drafts: readonly Draft[]): Promise<void> {
  await world.create(run)
  if (drafts.length > 0) await decided(world, run, drafts)
}

function decided(world: World, run: string, drafts: readonly Draft[]): Promise<unknown> {
  return world.decide(run, () => ({ drafts, result: 0 }))
}

async function list(world: World, query: ApprovalQuery = {}, store: Store = world.store): Promise<ApprovalRow[]> {
  const { items, next } = await store.approvals(query)
  strictEqual(next, undefined)
  return [...items]
}

async function places(world: World, query: ApprovalQuery = {}): Promise<string[]> {
  return (await list(world, query)).map(placeOf)
}

function placeOf({ run, op, status }: ApprovalRow): string {
  return `${run} ${op} ${status}`
}

interface Asking {
  readonly action?: string | null
  readonly roles?: readonly string[]
  readonly withinMs?: number
  readonly escalation?: number
}

/** The event that asks for an approval. */
export function requested(op: string, asking: Asking = {}): Draft {
  const { action = 'payment.execute', roles = ['treasurer', 'cfo'], withinMs = null, escalation: afterMs } = asking
  const escalation = afterMs === undefined ? null : { afterMs, roles: ['board'] }
  const policy = { roles, quorum: 2, notBy: 'actor', withinMs, escalation, amendable: false, reasonRequired: false }
  const body = { ...aboutOf(op), contract: 'c0', action, rule: null, policy, shown: 'ab12' }
  return draft('ApprovalRequested', body, '"Pay 5 EUR?"')
}

/** The event of a vote. */
export function voted(op: string, delivery: string): Draft {
  const vote = { voter: 'bob', choice: 'approve', shown: 'ab12', roles: ['cfo'], delivery, amended: null }
  return draft('ApprovalVoted', { ...aboutOf(op), ...vote }, '{}')
}

function withdrawn(op: string, delivery: string): Draft {
  return draft('ApprovalWithdrawn', { ...aboutOf(op), voter: 'bob', delivery })
}

function escalated(op: string, roles: readonly string[]): Draft {
  return draft('ApprovalEscalated', { ...aboutOf(op), roles })
}

function resolved(op: string, outcome: string): Draft {
  return draft('ApprovalResolved', { ...aboutOf(op), outcome })
}

function aboutOf(op: string): object {
  return { op, verb: 'approval', name: 'pay "all"' }
}

function draft(kind: string, body: object, data?: string): Draft {
  return { kind, body: JSON.stringify(body), data }
}
