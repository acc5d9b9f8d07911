import { describe, expect, test } from 'vitest'
import { shownDigestOf } from '../../dist/governance/approvals/shown.js'
import type { VoteRequest } from '../../dist/governance/approvals/vote.js'
import { defaultLimits, encodeValue, type OpId, type StoredEvent } from '../../dist/journal/index.js'
import { stores } from '../engine/rig.js'
import { completed } from './drafts.js'
import { type Asked, day, refusal, World } from './world.js'

const yes = (asked: Asked, voter: string, more: Partial<VoteRequest> = {}): VoteRequest => {
  return { ...asked, voter, choice: 'approve', ...more }
}
const no = (asked: Asked, voter: string, more: Partial<VoteRequest> = {}): VoteRequest => {
  return yes(asked, voter, { choice: 'reject', ...more })
}
const bodyOf = (event: StoredEvent | undefined): Record<string, unknown> => JSON.parse(event?.body ?? '{}')

/** Expects that a vote is refused, that the reason and what stands are told, and that it is recorded. */
async function expectRefused(world: World, wanted: VoteRequest, reason: string, stands: string): Promise<void> {
  const before = await world.events(wanted.run as Asked['run'])
  expect(await refusal(world.governance.vote(wanted))).toMatchObject({
    code: 'vote_refused',
    details: { reason, stands },
  })
  const { run, op, choice } = wanted
  expect(await world.lastRefusal()).toEqual({
    kind: 'VoteRefused',
    by: `principal:${wanted.voter}`,
    body: { run, op, choice, code: reason, stands },
  })
  expect(await world.events(wanted.run as Asked['run'])).toEqual(before)
}

describe.each(stores)('on %s, a vote', (store) => {
  const governed = (): Promise<World> =>
    World.governed(store, { ana: ['analyst', 'treasurer'], tom: ['treasurer'], eve: ['treasurer'], cleo: ['cfo'] })

  test('R-D2 R-D5 is an event of the journal: who, by which roles, on what, under which law; with its resolution', async () => {
    const world = await governed()
    const asked = await world.asked()
    const taken = await world.governance.vote(yes(asked, 'tom', { note: 'seen the invoice', delivery: 'd1' }))
    expect(taken).toEqual({ roles: ['treasurer'], resolution: 'approved' })
    const [, , vote, resolved] = await world.events(asked.run)
    expect(bodyOf(vote)).toEqual({
      op: '0',
      verb: 'approval',
      name: 'treasury',
      voter: 'tom',
      choice: 'approve',
      shown: asked.shown,
      roles: ['treasurer'],
      delivery: 'd1',
      amended: null,
    })
    expect(vote).toMatchObject({ kind: 'ApprovalVoted', by: 'principal:tom', data: '{"note":"seen the invoice"}' })
    const head = (await world.stream('governance')).at(-1)
    expect(vote?.seen).toBe(`${head?.seq}:${head?.hash}/-`)
    expect(resolved?.kind).toBe('ApprovalResolved')
    expect(bodyOf(resolved)).toEqual({ op: '0', verb: 'approval', name: 'treasury', outcome: 'approved' })
    expect([resolved?.at, resolved?.by, resolved?.seen]).toEqual([vote?.at, vote?.by, vote?.seen])
    expect((await world.store.run(asked.run))?.head.seq).toBe(3)
  })

  test('R-D3 R-D5 without authority, on something else, or where nothing is asked: refused and recorded', async () => {
    const world = await governed()
    const asked = await world.asked()
    await expectRefused(world, yes(asked, 'cleo'), 'role_missing', 'open')
    await expectRefused(world, yes(asked, 'nobody'), 'role_missing', 'open')
    await expectRefused(world, yes(asked, 'tom', { shown: 'f'.repeat(64) }), 'other_digest', 'open')
    await expectRefused(world, yes(asked, 'tom', { shown: '' }), 'other_digest', 'open')
    await expectRefused(world, yes({ ...asked, op: '1' }, 'tom'), 'unknown_approval', 'open')
    const unknown = { ...asked, run: 'nowhere' as Asked['run'] }
    await expectRefused(world, yes(unknown, 'tom'), 'unknown_run', 'nothing')
    expect(await world.kinds(asked.run)).toEqual(['FlowStarted', 'ApprovalRequested'])
  })

  test('R-D7 on one’s own request: refused under every identity; to say no is allowed', async () => {
    const world = await governed()
    const { directory } = world.governance
    const asked = await world.asked({ notBy: 'actor' })
    await expectRefused(world, yes(asked, 'ana'), 'own_request', 'open')
    await directory.link({ principal: 'eve', person: 'ana', by: 'ada' })
    await expectRefused(world, yes(asked, 'eve'), 'own_request', 'open')
    await directory.delegate({ from: 'ana', to: 'dan', roles: ['treasurer'], untilMs: 9e12, by: 'ana' })
    await expectRefused(world, yes(asked, 'dan'), 'own_request', 'open')
    expect(await world.governance.vote(no(asked, 'ana'))).toMatchObject({ resolution: 'rejected' })
  })

  test('R-D7 counts a person once, behind however many identities and delegations', async () => {
    const world = await governed()
    const { directory } = world.governance
    await directory.link({ principal: 'eve', person: 'tom', by: 'ada' })
    await directory.delegate({ from: 'tom', to: 'dan', roles: ['treasurer'], untilMs: 9e12, by: 'tom' })
    const asked = await world.asked({ quorum: 2 })
    expect(await world.governance.vote(yes(asked, 'tom'))).toMatchObject({ resolution: null })
    for (const again of ['tom', 'eve', 'dan']) await expectRefused(world, yes(asked, again), 'voted_already', 'open')
    expect(await world.governance.vote(yes(asked, 'ana'))).toMatchObject({ resolution: 'approved' })
  })

  test('R-D6 late, by the clock of the database, or after it was decided: refused, and told what stands', async () => {
    const world = await governed()
    const late = await world.asked({ within: day })
    const decided = await world.asked()
    await world.governance.vote(no(decided, 'tom'))
    await world.given.advance(day - 1)
    const just = await world.asked({ within: 1 })
    expect(just).toBeDefined()
    await world.given.advance(1)
    await expectRefused(world, yes(late, 'tom'), 'too_late', 'expired')
    await expectRefused(world, yes(just, 'tom'), 'too_late', 'expired')
    await expectRefused(world, yes(decided, 'eve'), 'resolved_already', 'rejected')
  })

  test('R-D6 after a cancel or the end of the run: refused; what the clean-up asks for is open', async () => {
    const world = await governed()
    const asked = await world.asked()
    await world.cancel(asked.run)
    await expectRefused(world, yes(asked, 'tom'), 'cancelled', 'cancelled')
    const inCleanUp = await world.ask(asked.run, {}, { op: '1' })
    expect(await world.governance.vote(yes(inCleanUp, 'tom'))).toMatchObject({ resolution: 'approved' })
    const ended = await world.asked()
    await world.append(ended.run, completed)
    await expectRefused(world, yes(ended, 'tom'), 'run_ended', 'completed')
  })

  test('R-A10 C24 counts once a delivery: the same again is answered as before, another one under its name is refused', async () => {
    const world = await governed()
    const asked = await world.asked({ quorum: 2 })
    const first = yes(asked, 'tom', { delivery: 'd1' })
    expect(await world.governance.vote(first)).toEqual({ roles: ['treasurer'], resolution: null })
    const second = yes(asked, 'eve', { delivery: 'd1' }) // Another voter's word may be the same.
    expect(await world.governance.vote(second)).toEqual({ roles: ['treasurer'], resolution: 'approved' })
    const before = await world.events(asked.run)
    await world.revoke('eve', 'treasurer')
    const elsewhere = await world.another()
    expect(await elsewhere.vote(first)).toEqual({ roles: ['treasurer'], resolution: null })
    expect(await elsewhere.vote(second)).toEqual({ roles: ['treasurer'], resolution: 'approved' })
    expect(await world.stream('refusals')).toEqual([])
    await expectRefused(world, no(asked, 'tom', { delivery: 'd1' }), 'delivery_used', 'approved')
    expect(await world.events(asked.run)).toEqual(before)
  })

  test('R-D9 C25 is about one request of one run: none of another one counts for it', async () => {
    const world = await governed()
    const first = await world.asked()
    await world.governance.vote(no(first, 'tom'))
    const second = await world.ask(first.run, {}, { op: '1', text: '{"to":"acme","cents":200}' })
    await expectRefused(world, yes(first, 'eve'), 'resolved_already', 'rejected')
    await expectRefused(world, yes({ ...second, shown: first.shown }, 'eve'), 'other_digest', 'open')
    const sameElsewhere = await world.asked()
    expect(sameElsewhere.shown).not.toBe(first.shown)
    await expectRefused(world, yes({ ...sameElsewhere, shown: first.shown }, 'eve'), 'other_digest', 'open')
    expect(await world.governance.vote(yes(second, 'eve'))).toMatchObject({ resolution: 'approved' })
    expect(await world.kinds(sameElsewhere.run)).toEqual(['FlowStarted', 'ApprovalRequested'])
  })

  test('R-D8 C29 approves with changes where that is allowed: both texts are kept, each with its digest', async () => {
    const world = await governed()
    const asked = await world.asked({ amendable: true, quorum: 2 })
    const amended = { to: 'acme', cents: 50 }
    const text = encodeValue(amended, { limits: defaultLimits, what: 'test' })
    const digest = shownDigestOf(asked.run, asked.op as OpId, text)
    expect(await world.governance.vote(yes(asked, 'tom', { amended, note: 'half' }))).toMatchObject({
      resolution: null,
    })
    // Whoever approves what was shown means something else.
    expect(await world.governance.vote(yes(asked, 'ana'))).toMatchObject({ resolution: null })
    expect(await world.governance.vote(yes(asked, 'eve', { amended }))).toMatchObject({ resolution: 'approved' })
    const [, requested, vote, , , resolved] = await world.events(asked.run)
    expect(requested?.data).toBe('{"to":"acme","cents":100}')
    expect(bodyOf(vote)).toMatchObject({ shown: asked.shown, amended: digest })
    expect(vote?.data).toBe(JSON.stringify({ note: 'half', amended: text }))
    expect(resolved).toMatchObject({ kind: 'ApprovalResolved', data: text })
  })

  test('R-D8 C29 with changes that are not allowed, do not fit, or come with a rejection: refused, still open', async () => {
    const world = await governed()
    const fixed = await world.asked()
    await expectRefused(world, yes(fixed, 'tom', { amended: { to: 'acme', cents: 50 } }), 'not_amendable', 'open')
    const asked = await world.asked({ amendable: true })
    for (const amended of [null, { to: 'acme' }, { to: 'acme', cents: -1 }, 'all', []]) {
      await expectRefused(world, yes(asked, 'tom', { amended }), 'amended_unfit', 'open')
    }
    await expectRefused(world, no(asked, 'tom', { amended: { to: 'acme', cents: 50 } }), 'amended_unfit', 'open')
    const plain = await world.asked({ amendable: true }, { plain: true })
    await expectRefused(world, yes(plain, 'tom', { amended: {} }), 'amended_unfit', 'open')
    expect(await world.governance.vote(yes(asked, 'tom'))).toMatchObject({ resolution: 'approved' })
  })

  test('R-D7 needs a reason where the contract asks for one', async () => {
    const world = await governed()
    const asked = await world.asked({ reasonRequired: true })
    await expectRefused(world, yes(asked, 'tom'), 'reason_missing', 'open')
    await expectRefused(world, no(asked, 'tom', { note: '  ' }), 'reason_missing', 'open')
    expect(await world.governance.vote(no(asked, 'tom', { note: 'a duplicate' }))).toMatchObject({
      resolution: 'rejected',
    })
  })

  test('R-D7 escalates by the clock of the database, and a delegation ends by it', async () => {
    const world = await governed()
    const untilMs = world.clock.now() + day
    await world.governance.directory.delegate({ from: 'tom', to: 'dan', roles: ['treasurer'], untilMs, by: 'tom' })
    const escalate = { after: day, to: ['cfo'] }
    const asked = await world.asked({ quorum: 3, escalate })
    expect(await world.governance.vote(yes(asked, 'dan'))).toMatchObject({ roles: ['treasurer'] })
    await expectRefused(world, yes(asked, 'cleo'), 'role_missing', 'open')
    await world.given.advance(day)
    const next = await world.asked({ quorum: 2 })
    await expectRefused(world, yes(next, 'dan'), 'role_missing', 'open')
    expect(await world.governance.vote(yes(asked, 'cleo'))).toMatchObject({ roles: ['cfo'], resolution: null })
    // What dan said for tom counts no more; tom speaks for himself.
    expect(await world.governance.vote(yes(asked, 'tom'))).toMatchObject({ resolution: null })
    expect(await world.governance.vote(yes(asked, 'eve'))).toMatchObject({ resolution: 'approved' })
  })

  test('R-E8 C30 counts only while its voter holds the role: what was given before the revocation does not complete a quorum', async () => {
    const world = await governed()
    const asked = await world.asked({ quorum: 2 })
    await world.governance.vote(yes(asked, 'tom'))
    await world.revoke('tom', 'treasurer')
    expect(await world.governance.vote(yes(asked, 'eve'))).toMatchObject({ resolution: null })
    await expectRefused(world, yes(asked, 'tom'), 'role_missing', 'open')
    expect(await world.governance.vote(yes(asked, 'ana'))).toMatchObject({ resolution: 'approved' })
  })

  test('may be withdrawn before the resolution, by its person, and cast anew', async () => {
    const world = await governed()
    const { governance } = world
    await governance.directory.link({ principal: 'tim', person: 'tom', by: 'ada' })
    const asked = await world.asked({ quorum: 2, within: day })
    await governance.vote(yes(asked, 'tom', { delivery: 'd1' }))
    await governance.vote(yes(asked, 'eve', { delivery: 'd2' }))
    expect(await world.kinds(asked.run)).toContain('ApprovalResolved')
    const open = await world.asked({ quorum: 2, within: day })
    await governance.vote(yes(open, 'tom', { delivery: 'd1' }))
    for (const voter of ['eve', 'nobody']) {
      const other = await refusal(governance.withdraw({ ...open, voter, delivery: 'd1' }))
      expect(other).toMatchObject({ code: 'vote_refused', details: { reason: 'not_voted', stands: 'open' } })
    }
    const withdrawn = await governance.withdraw({ ...open, voter: 'tim', delivery: 'd1' })
    expect(withdrawn).toEqual({ voter: 'tom', delivery: 'd1' })
    expect(await governance.withdraw({ ...open, voter: 'tom', delivery: 'd1' })).toEqual(withdrawn)
    expect(await refusal(governance.withdraw({ ...open, voter: 'tom' }))).toMatchObject({
      details: { reason: 'not_voted' },
    })
    expect(await governance.vote(yes(open, 'eve', { delivery: 'd1' }))).toMatchObject({ resolution: null })
    expect(await governance.vote(yes(open, 'tom', { delivery: 'd3' }))).toMatchObject({ resolution: 'approved' })
    const late = { ...open, voter: 'tom', delivery: 'd3' }
    expect(await refusal(governance.withdraw(late))).toMatchObject({
      details: { reason: 'resolved_already', stands: 'approved' },
    })
    expect(await world.lastRefusal()).toMatchObject({ body: { choice: 'withdraw', code: 'resolved_already' } })
  })

  test('that is withdrawn takes no vote of somebody else with it, also where both gave theirs the same id', async () => {
    const world = await governed()
    const asked = await world.asked({ quorum: 2 })
    await world.governance.vote(yes(asked, 'eve', { delivery: 'd1' }))
    const other = await world.asked({ quorum: 3 })
    for (const voter of ['tom', 'eve']) await world.governance.vote(yes(other, voter, { delivery: 'd1' }))
    await world.governance.withdraw({ ...other, voter: 'tom' })
    await expectRefused(world, yes(other, 'eve'), 'voted_already', 'open')
    expect(await world.governance.vote(yes(asked, 'ana'))).toMatchObject({ resolution: 'approved' })
  })

  test('is withdrawn and cast at most so often that no journal is filled', async () => {
    const world = await governed()
    const { governance } = world
    const asked = await world.asked({ quorum: 2 })
    for (let count = 0; count < 20; count++) {
      await governance.vote(yes(asked, 'tom'))
      await governance.withdraw({ ...asked, voter: 'tom' })
    }
    await governance.vote(yes(asked, 'tom'))
    const more = await refusal(governance.withdraw({ ...asked, voter: 'tom' }))
    expect(more).toMatchObject({ details: { reason: 'withdrawn_too_often' } })
  })

  test('C38 that is none, or too large, is an error and stored nowhere', async () => {
    const world = await governed()
    const asked = await world.asked()
    const odd: readonly [Partial<Record<keyof VoteRequest, unknown>>, string][] = [
      [{ run: '../x' }, 'invalid_id'],
      [{ op: '0/1' }, 'invalid_option'],
      [{ op: '-1' }, 'invalid_option'],
      [{ voter: 'tom smith' }, 'invalid_id'],
      [{ choice: 'perhaps' }, 'invalid_option'],
      [{ delivery: '' }, 'invalid_id'],
      [{ note: 7 }, 'invalid_option'],
      [{ note: 'é'.repeat(600_000) }, 'value_too_large'],
      [{ amended: () => 1 }, 'not_serializable'],
    ]
    for (const [change, code] of odd) {
      const wanted = { ...yes(asked, 'tom'), ...change } as VoteRequest
      expect(await refusal(world.governance.vote(wanted))).toMatchObject({ code })
    }
    expect(await world.stream('refusals')).toEqual([])
    expect(await world.kinds(asked.run)).toEqual(['FlowStarted', 'ApprovalRequested'])
  })
})
