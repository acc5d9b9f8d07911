import { NotDispatched, once } from 'constancia'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Rule } from '../../dist/governance/contract/rule.js'
import { stores, until, untilStatus } from '../engine/rig.js'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { Bench, office, type Style } from './bench.js'
import { forges } from './court.js'

/** One thing that an approval or an authorisation binds, and how it is altered. */
interface Field {
  readonly alter: (bench: Bench) => Promise<void> | void
  /** Why a vote is refused that comes afterwards, by who gives it; where both count, it is found at the effect. */
  readonly atVote?: Readonly<Record<string, string>>
  /** Whether the vote of tom, which was given before, no longer counts: the approval stays open. */
  readonly voids?: true
  /** Why the effect is refused. */
  readonly atEffect: string
}

const changed = (change: Parameters<ReturnType<typeof office>['declared']>[0]) => (bench: Bench) =>
  bench.court.activate(bench.office.declared(change, '2'))

const fields: Readonly<Record<string, Field>> = {
  "the actor's role": { alter: ({ court }) => court.revoke('ann', 'analyst'), atEffect: 'role_missing' },
  "the actor's right to resume": { alter: ({ court }) => court.revoke('ann', 'clerk'), atEffect: 'resume_denied' },
  "the end of the actor's role": {
    alter: (bench) => {
      // The end of a grant has come; nobody can grant it so, and time must not go on for the others.
      forges(bench.rig)
      return bench.court.grant('ann', 'analyst', bench.rig.clock.now())
    },
    atEffect: 'role_missing',
  },
  "an approver's role": {
    alter: ({ court }) => court.revoke('tom', 'treasurer'),
    atVote: { tom: 'role_missing' },
    voids: true,
    atEffect: 'approval_lapsed',
  },
  'the role that an approver stands in for': {
    alter: ({ court }) => court.revoke('una', 'treasurer'),
    atVote: { del: 'role_missing' },
    atEffect: 'approval_lapsed',
  },
  'the delegation of an approver': {
    alter: ({ court }) => court.undelegate('una', 'del'),
    atVote: { del: 'role_missing' },
    atEffect: 'approval_lapsed',
  },
  'the person behind an approver, who is the actor': {
    alter: ({ court }) => court.link('tom', 'ann'),
    atVote: { tom: 'own_request' },
    voids: true,
    atEffect: 'approval_lapsed',
  },
  'the person behind a stand-in, who is the actor': {
    alter: ({ court }) => court.link('del', 'ann'),
    atVote: { del: 'own_request' },
    atEffect: 'approval_lapsed',
  },
  'the person behind both approvers, who is one': {
    alter: ({ court }) => court.link('del', 'tom'),
    atVote: { del: 'voted_already' },
    atEffect: 'approval_lapsed',
  },
  'the rule': {
    alter: changed((one) => ({
      ...one,
      rules: one.rules.map(({ action, declared }) => new Rule(action, { ...declared, roles: ['robot'] })),
    })),
    atEffect: 'role_missing',
  },
  'the condition of the rule': {
    alter: changed((one) => ({ ...one, rules: one.rules.map((rule) => rule.when('input.cents < 9000')) })),
    atEffect: 'condition_failed',
  },
  'how many have to approve': {
    alter: (bench) => {
      const stricter = { ...bench.office.policy, quorum: 3 }
      return changed((one) => ({ ...one, rules: one.rules.map((rule) => rule.afterApproval(stricter)) }))(bench)
    },
    atEffect: 'approval_lapsed',
  },
  'who has to approve': {
    alter: (bench) => {
      const stricter = { ...bench.office.policy, roles: ['robot'] }
      return changed((one) => ({ ...one, rules: one.rules.map((rule) => rule.afterApproval(stricter)) }))(bench)
    },
    atEffect: 'approval_lapsed',
  },
  'the action': {
    alter: changed((one) => ({ ...one, rules: [] })),
    atEffect: 'unknown_action',
  },
  'the schema of its input': {
    alter: (bench) => {
      const schema = z.object({ to: z.string(), cents: z.number().int(), purpose: z.string().optional() })
      const other = office(bench.destination, { input: schema })
      return bench.court.activate(other.declared((one) => one, '2'))
    },
    atEffect: 'approval_other_action',
  },
  'the situation': {
    alter: ({ destination }) => {
      destination.situation = 'somebody else has paid'
    },
    atEffect: 'situation_changed',
  },
}

type Alter = () => Promise<void>
type Found = 'at the vote' | 'at the effect' | 'in doubt'

/** A moment between the request and the effect: brings the run there, has the field altered, and lets the run go on. */
type Point = (bench: Bench, style: Style, alter: Alter) => Promise<Found>

const silent = (): Promise<never> => new Promise(() => undefined)

async function approved(bench: Bench): Promise<void> {
  for (const voter of ['tom', 'del']) expect(await bench.votes(voter)).toBeUndefined()
}

/** The run comes to rest, through scripted time. */
async function rests(bench: Bench): Promise<void> {
  await bench.rig.rest(bench.run)
}

const points: Readonly<Record<string, Point>> = {
  'before the votes': async (bench, style, alter) => {
    await bench.begins(style)
    await alter()
    for (const voter of ['tom', 'del']) await bench.votes(voter)
    await rests(bench)
    return 'at the vote'
  },
  'between the votes': async (bench, style, alter) => {
    await bench.begins(style)
    await bench.votes('tom')
    await alter()
    await bench.votes('del')
    await rests(bench)
    return 'at the vote'
  },
  'after the resolution, while nobody is there': async (bench, style, alter) => {
    await bench.begins(style)
    await bench.dies()
    await bench.opens({ works: false })
    await approved(bench)
    await alter()
    await bench.dies()
    await bench.opens()
    await rests(bench)
    return 'at the effect'
  },
  'after it may resume, while the process is down': async (bench, style, alter) => {
    await bench.begins(style)
    await bench.dies()
    await bench.opens({ works: false })
    await approved(bench)
    const eventCount = (await bench.run.events()).length
    await bench.dies()
    // One event more: that it may be resumed.
    await bench.opens({ crashAfter: eventCount + 1 })
    await until(() => bench.life.dead, 'it has died')
    await bench.dies()
    await bench.opens({ works: false })
    expect((await bench.kinds()).at(-1)).toBe('ResumeAuthorized')
    await alter()
    await bench.dies()
    await bench.opens()
    await rests(bench)
    return 'at the effect'
  },
  'in the instant before it is authorised': async (bench, style, alter) => {
    await bench.begins(style)
    bench.destination.looking = async () => {
      bench.destination.looking = undefined
      bench.rig.clock.advance(1)
      await alter()
      bench.rig.clock.advance(1)
    }
    await approved(bench)
    await rests(bench)
    return 'at the effect'
  },
  'between an attempt that was not sent and the next': async (bench, style, alter) => {
    bench.destination.fails = [() => Promise.reject(new NotDispatched('Nobody listens.'))]
    await bench.begins(style)
    await approved(bench)
    await untilStatus(bench.run, 'waiting')
    await alter()
    await rests(bench)
    return 'at the effect'
  },
  'between an attempt that may have landed and the next': async (bench, style, alter) => {
    bench.destination.fails = [() => Promise.reject(new Error('The line was cut.'))]
    await bench.begins(style)
    await approved(bench)
    await untilStatus(bench.run, 'waiting')
    await alter()
    await rests(bench)
    return 'in doubt'
  },
  'after a crash with an open intent': async (bench, style, alter) => {
    bench.destination.fails = [silent]
    await bench.begins(style)
    await approved(bench)
    await until(() => bench.destination.requestCount === 1, 'it was sent')
    await bench.dies()
    await bench.opens({ works: false })
    expect((await bench.kinds()).at(-1)).toBe('ActionAuthorized')
    await alter()
    await bench.dies()
    await bench.opens()
    await rests(bench)
    return 'in doubt'
  },
  'before somebody says that it was not done': async (bench, style, alter) => {
    bench.destination.fails = [silent]
    await bench.begins(style)
    await approved(bench)
    await until(() => bench.destination.requestCount === 1, 'it was sent')
    await bench.dies()
    await bench.opens()
    await untilStatus(bench.run, 'paused')
    await alter()
    if (!(await bench.court.state(bench.run, 'not_done'))) forges(bench.rig)
    await until(async () => (await bench.run.row()).status !== 'paused', 'it goes on')
    await rests(bench)
    return 'at the effect'
  },
}

const oneShot = 'before somebody says that it was not done'

/** How many requests a case leads to before the alteration. */
const sentBefore = (point: string): number =>
  point === oneShot || point.startsWith('between an attempt') || point === 'after a crash with an open intent' ? 1 : 0

async function tryCase(bench: Bench, given: { name: string; point: string; style: Style }): Promise<void> {
  const { name, point, style } = given
  const field = fields[name] as Field
  let isAltered = false
  const alter = async (): Promise<void> => {
    isAltered = true
    await field.alter(bench)
  }
  const found = await (points[point] as Point)(bench, style, alter)
  expect(isAltered).toBe(true)
  const what = `${name}, altered ${point}, ${style}`
  expect(bench.destination.requestCount, what).toBe(sentBefore(point))
  expect([...bench.destination.done.keys()], what).toEqual([])
  const reasons = await bench.reasons()
  const kinds = await bench.kinds()
  expect(kinds, what).not.toContain('ActionCompleted')
  if (found === 'in doubt') {
    const text = reasons.join('\n')
    expect(text, what).toContain(field.atEffect === 'resume_denied' ? 'resume_denied' : 'must not be repeated:')
    expect(kinds, what).toContain('OutcomeUnknown')
    return
  }
  const isAtVote = found === 'at the vote'
  const refused = isAtVote ? refusedVotes(field, point) : []
  if (refused.length > 0) expect(reasons, what).toEqual(refused)
  else if (isAtVote && field.voids === true) expect((await bench.run.row()).status, what).toBe('paused')
  else expect(reasons, what).toContain(field.atEffect)
  if (refused.length > 0) expect(kinds, what).not.toContain('ApprovalResolved')
}

function refusedVotes({ atVote = {} }: Field, point: string): string[] {
  const voters = point === 'before the votes' ? ['tom', 'del'] : ['del']
  return voters.flatMap((voter) => atVote[voter] ?? [])
}

const styles: readonly Style[] = ['ask', 'direct']
// That a run may go on was decided by then, and committed first.
const isTooLate = (name: string, point: string): boolean =>
  fields[name]?.atEffect === 'resume_denied' && point === 'in the instant before it is authorised'
const cases = Object.keys(fields).flatMap((name) =>
  Object.keys(points)
    .filter((point) => !isTooLate(name, point))
    .flatMap((point) => styles.map((style) => ({ name, point, style }))),
)

describe.each(stores)('on %s', (store) => {
  const isAll = store === 'memory' || isCampaign
  const taken = isAll ? cases : cases.filter((_, index) => index % 16 === 0)
  let ranCount = 0
  let judgedCount = 0

  test.each(Object.keys(points))(
    'T20 threats 3, 5: what is altered %s is refused with a reason and has no effect',
    async (point) => {
      for (const each of taken.filter((one) => one.point === point)) {
        const bench = await Bench.of(store, point === oneShot ? once() : undefined)
        await tryCase(bench, each)
        // What a person says that nobody asked, the court has written by hand.
        judgedCount += await bench.judged()
        ranCount += 1
        await bench.rig.dispose()
      }
    },
    limitMs,
  )

  test('T20 all of these cases ran, and their decisions were judged', () => {
    expect(ranCount).toBe(taken.length)
    if (isAll) expect(ranCount).toBeGreaterThanOrEqual(250)
    expect(judgedCount).toBeGreaterThan(ranCount)
  })
})

test('T20 the same without any alteration has its effect, once: the cases above are refused for what is altered', async () => {
  for (const [point, bring] of Object.entries(points)) {
    for (const style of styles) {
      const bench = await Bench.of('memory', point === oneShot ? once() : undefined)
      await bring(bench, style, async () => undefined)
      expect((await bench.run.row()).status, `${point}, ${style}`).toBe('completed')
      expect([...bench.destination.done.values()]).toEqual([{ to: 'acme', cents: 9_000 }])
      await bench.judged()
      await bench.rig.dispose()
    }
  }
})
