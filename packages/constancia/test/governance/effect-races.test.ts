import type { GovernedRuntime, Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, type StoreName, stores, untilStatus } from '../engine/rig.js'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { Court } from './court.js'
import { Judge } from './judge.js'
import { Bank, treasury } from './treasury.js'

/** What a round came to. */
type Ended = 'completed' | 'action_denied' | 'resume_denied'

const roundCounts: Readonly<Record<StoreName, number>> = {
  memory: 500,
  SQLite: isCampaign ? 500 : 100,
  PostgreSQL: isCampaign ? 500 : 30,
}

async function after(turns: number, call: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
  await call()
}

/** A worker that lives on, and somebody elsewhere who changes the law. */
async function scene(store: StoreName) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank)
  const contract = made.contract
  const worker = await rig.live([made.pay, made.direct], { contract })
  const elsewhere = await rig.live([made.pay, made.direct], { contract, worker: false })
  const court = new Court(() => elsewhere.store)
  await court.activate(contract)
  await court.grant('tom', 'treasurer')
  return { rig, bank, made, worker, elsewhere, court, runtime: worker.runtime as GovernedRuntime }
}

type Scene = Awaited<ReturnType<typeof scene>>

async function endOf(run: Run): Promise<Ended> {
  const error = await run.result().then(
    () => undefined,
    (reason: Error) => (reason.cause ?? reason) as { readonly code?: string },
  )
  return (error?.code ?? 'completed') as Ended
}

/** What lets the worker go on: the start of a run, or the vote that decides one. */
async function begin({ runtime, made }: Scene, id: string, isAfterApproval: boolean): Promise<() => Promise<unknown>> {
  if (!isAfterApproval) return () => runtime.start(made.direct, { cents: 5 }, { id, actor: 'ann' })
  const run = await runtime.start(made.pay, { invoice: '250000' }, { id, actor: 'ann' })
  await untilStatus(run, 'paused')
  const asked = (await run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
  const { op, shown } = JSON.parse(asked?.body ?? '{}')
  return () => runtime.governance.vote({ run: id, op, voter: 'tom', choice: 'approve', shown })
}

/** One round: the actor's role is revoked while the worker goes on. The first two of ten are certain. */
async function play(each: Scene, round: number): Promise<Ended> {
  const { court, runtime, rig } = each
  await court.grant('ann', 'analyst')
  const id = `r${round}`
  const goes = await begin(each, id, round % 2 === 1)
  // Whatever does not know of it afterwards is younger than it.
  const revokes = async (): Promise<void> => {
    rig.clock.advance(1)
    await court.revoke('ann', 'analyst')
    rig.clock.advance(1)
  }
  const manner = Math.floor(round / 2) % 5
  if (manner === 0) await revokes()
  if (manner === 0) await goes()
  else if (manner === 1)
    await goes()
      .then(() => endOf(runtime.run(id)))
      .then(revokes)
  else await Promise.all([goes(), after((round * 7) % (manner * 12), revokes)])
  return endOf(runtime.run(id))
}

describe.each(stores)('on %s', (store) => {
  test(
    'R-E11 a role is revoked in the instant in which a worker authorises: whichever committed first wins, and the journals say so',
    async () => {
      const each = await scene(store)
      const met = new Map<Ended, number>()
      const judge = { count: 0, authorised: 0, resumed: 0 }
      const roundCount = roundCounts[store]
      for (let round = 0; round < roundCount; round += 1) {
        const before = each.bank.done.size
        const ended = await play(each, round)
        met.set(ended, (met.get(ended) ?? 0) + 1)
        const kinds = await kindsOf(each.runtime.run(`r${round}`))
        // An effect exactly where one was authorised.
        expect(each.bank.done.size - before, `round ${round}`).toBe(ended === 'completed' ? 1 : 0)
        expect(kinds.includes('FlowCompleted')).toBe(ended === 'completed')
      }
      const bench = await Judge.of(each.elsewhere.store, { isOneClock: store !== 'PostgreSQL' })
      for (let round = 0; round < roundCount; round += 1) await bench.run(each.elsewhere.store, `r${round}` as never)
      judge.authorised = bench.judged.get('ActionAuthorized') ?? 0
      judge.resumed = bench.judged.get('ResumeAuthorized') ?? 0
      console.log(`R-E11 on ${store}: ${roundCount} rounds`, Object.fromEntries(met), Object.fromEntries(bench.judged))
      expect([...met.keys()].sort()).toEqual(['action_denied', 'completed', 'resume_denied'])
      expect(judge.authorised).toBeGreaterThanOrEqual(met.get('completed') ?? 0)
      expect(judge.resumed).toBeGreaterThan(0)
    },
    limitMs,
  )
})
