import { Law } from '@constancia/verify'
import { describe, expect, test } from 'vitest'
import type { Governance } from '../../dist/governance/governance.js'
import type { StoredEvent } from '../../dist/journal/index.js'
import { type StoreName, stores } from '../engine/rig.js'
import { isCampaign } from '../processes/campaign.js'
import { type Asked, World } from './world.js'

/** Position in the governance stream that an event says was known when it was written. */
function seenSeq({ seen }: StoredEvent): number {
  return Number(/^(\d+):[0-9a-f]{64}\/-$/.exec(seen)?.[1])
}

/** The law as the first events of the governance stream tell it, for places that only grow. */
class LawAt {
  readonly law = new Law()

  rolesOf(principal: string, at: { stream: readonly StoredEvent[]; seq: number; atMs: number }): readonly string[] {
    for (const event of at.stream.slice(this.law.eventCount, at.seq + 1)) this.law.add(event)
    expect(this.law.eventCount).toBe(at.seq + 1)
    return this.law.grantedTo(principal, at.atMs)
  }
}

type Ended = 'vote' | 'revocation'

/** Where the streams ended before a round. */
interface From {
  readonly governance: number
  readonly refusals: number
  readonly lawAt: LawAt
}

/**
 * What the journals say of a round: which was first. Fails where they do not say the same, or the vote's roles are not those of the
 * law that it names.
 */
async function firstOf(world: World, asked: Asked, from: From): Promise<Ended> {
  const stream = await world.stream('governance')
  const revokedSeq = stream.findIndex(({ seq, kind }) => seq >= from.governance && kind === 'RoleRevoked')
  expect(revokedSeq).toBeGreaterThan(0)
  const events = await world.events(asked.run)
  const vote = events.find(({ kind }) => kind === 'ApprovalVoted')
  const refused = await world.stream('refusals', from.refusals)
  if (vote === undefined) {
    const [refusal] = refused
    expect(refused).toHaveLength(1)
    expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ run: asked.run, code: 'role_missing', stands: 'open' })
    expect(seenSeq(refusal as StoredEvent)).toBeGreaterThanOrEqual(revokedSeq)
    expect(events.map(({ kind }) => kind)).toEqual(['FlowStarted', 'ApprovalRequested'])
    return 'revocation'
  }
  expect(refused).toEqual([])
  expect(seenSeq(vote)).toBeLessThan(revokedSeq)
  expect(vote.seen).toBe(`${seenSeq(vote)}:${stream[seenSeq(vote)]?.hash}/-`)
  expect(JSON.parse(vote.body).roles).toEqual(from.lawAt.rolesOf('tom', { stream, seq: seenSeq(vote), atMs: vote.at }))
  expect(events.at(-1)?.kind).toBe('ApprovalResolved')
  return 'vote'
}

// Which of the two begins, and by how many turns of the event loop; the first two rounds of ten are certain.
const manners: readonly ((vote: () => Promise<unknown>, revoke: () => Promise<unknown>) => Promise<unknown>)[] = [
  async (vote, revoke) => [await vote(), await revoke()],
  async (vote, revoke) => [await revoke(), await vote()],
  ...[0, 1, 2, 3].flatMap((turns) => [
    (vote: () => Promise<unknown>, revoke: () => Promise<unknown>) => Promise.all([vote(), after(turns, revoke)]),
    (vote: () => Promise<unknown>, revoke: () => Promise<unknown>) => Promise.all([revoke(), after(turns, vote)]),
  ]),
]

async function after(turns: number, call: () => Promise<unknown>): Promise<unknown> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  return call()
}

const roundCounts: Readonly<Record<StoreName, number>> = { memory: 500, SQLite: 500, PostgreSQL: isCampaign ? 500 : 60 }

describe.each(stores)('on %s', (store) => {
  test('R-E11 C30 revoked and approved in the same instant: whichever committed first wins, and the journals say so', async () => {
    const world = await World.governed(store)
    const [office, phone] = await Promise.all([world.another(), world.another()])
    const lawAt = new LawAt()
    const first: Record<Ended, number> = { vote: 0, revocation: 0 }
    for (let round = 0; round < roundCounts[store]; round++) {
      await world.grant('tom', 'treasurer')
      const asked = await world.asked()
      const governance = (await world.governance.law()).eventCount
      const refusals = (await world.stream('refusals')).length
      const vote = async (): Promise<string> => {
        const sent = phone.vote({ ...asked, voter: 'tom', choice: 'approve' })
        return sent.then(
          () => 'counts',
          (error: { details: { reason: string } }) => error.details.reason,
        )
      }
      let told = ''
      await manners[round % manners.length]?.(
        async () => {
          told = await vote()
        },
        () => office.directory.revoke({ principal: 'tom', role: 'treasurer', by: 'ada' }),
      )
      const winner = await firstOf(world, asked, { governance, refusals, lawAt })
      expect(told).toBe(winner === 'vote' ? 'counts' : 'role_missing')
      first[winner]++
    }
    expect(first.vote + first.revocation).toBe(roundCounts[store])
    // The certain ones alone are a tenth each.
    expect(Math.min(first.vote, first.revocation)).toBeGreaterThanOrEqual(roundCounts[store] / 10)
  })

  test('R-D6 C24 approved and rejected many times at once, from two processes: one decision, and every other is told which', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], eve: ['treasurer'] })
    const processes = await Promise.all([world.another(), world.another()])
    const roundCount = isCampaign ? 200 : store === 'memory' ? 20 : 3
    for (let round = 0; round < roundCount; round++) {
      const asked = await world.asked()
      const sends = Array.from({ length: 50 }, (_, n): Promise<{ resolution: unknown }> => {
        const governance = processes[(n >> 1) % 2] as Governance
        return governance.vote({ ...asked, voter: n % 2 ? 'tom' : 'eve', choice: n % 2 ? 'approve' : 'reject' })
      })
      const answers = await Promise.allSettled(sends)
      const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.resolution] : []))
      expect(won).toHaveLength(1)
      const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.details] : []))
      expect(lost).toEqual(Array(49).fill({ reason: 'resolved_already', stands: won[0] }))
      expect(await world.kinds(asked.run)).toEqual([
        'FlowStarted',
        'ApprovalRequested',
        'ApprovalVoted',
        'ApprovalResolved',
      ])
    }
    expect(await world.stream('refusals')).toHaveLength(49 * roundCount)
  })

  test('R-E11 a vote gets through while the law and the journal grow all the time', async () => {
    const world = await World.governed(store, { tom: ['treasurer'] })
    const office = await world.another()
    let isDone = false
    let count = 0
    const grow = async (add: (n: number) => Promise<unknown>): Promise<void> => {
      for (let n = 0; !isDone && n < 200; n++) {
        await add(n)
        count++
      }
    }
    const asked = await world.asked()
    const vote = world.governance.vote({ ...asked, voter: 'tom', choice: 'approve' }).finally(() => {
      isDone = true
    })
    const step = { kind: 'StepCompleted', body: '{"op":"1","name":"busy","attempt":1}', data: '1' }
    await Promise.all([
      vote,
      grow((n) => office.directory.grant({ principal: `p${n}`, role: 'analyst', by: 'ada' })),
      grow(() => world.appendUnlessMoved(asked.run, step)),
    ])
    expect(await vote).toMatchObject({ resolution: 'approved' })
    expect(count).toBeLessThan(200)
    const cast = (await world.events(asked.run)).find(({ kind }) => kind === 'ApprovalVoted')
    const stream = await world.stream('governance')
    expect(cast?.seen).toBe(`${seenSeq(cast as StoredEvent)}:${stream[seenSeq(cast as StoredEvent)]?.hash}/-`)
  })
})
