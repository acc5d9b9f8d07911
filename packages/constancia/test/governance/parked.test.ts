import { days, flow, type GovernedRuntime } from 'constancia'
import { expect, test } from 'vitest'
import { Rig, type StoreName, stores, untilStatus } from '../engine/rig.js'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { Court } from './court.js'
import { Judge } from './judge.js'
import { Bank, treasury } from './treasury.js'

// A server far away takes longer for each.
const parkedCount = isCampaign ? 100_000 : stores.includes('PostgreSQL') ? 300 : 1_000
const decidedCount = isCampaign ? 1_000 : 50

function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** So many runs, each of which waits for people. */
async function park(store: StoreName) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank)
  const one = flow({
    name: 'pay-directly',
    version: 1,
    resume: { roles: ['analyst'] },
    models: 'none',
    async run(ctx) {
      const action = made.transfer.with({ to: 'acme', cents: 9_000 })
      const decision = await ctx.approval('treasury', {
        for: action,
        roles: ['treasurer'],
        notBy: 'actor',
        within: days(90),
      })
      return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
    },
  })
  const { contract } = made
  const life = await rig.live([one], { contract, worker: { concurrency: 64 } })
  const court = new Court(() => life.store)
  await court.activate(contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  for (let begun = 0; begun < parkedCount; begun += 500) {
    const count = Math.min(500, parkedCount - begun)
    const ids = Array.from({ length: count }, (_, index) => `r${begun + index}`)
    await Promise.all(ids.map((id) => life.runtime.start(one, null as never, { id, actor: 'ann' })))
    for (const id of ids) await untilStatus(life.runtime.run(id), 'paused')
  }
  return { rig, bank, one, contract, life }
}

async function openBy({
  store,
}: {
  store: import('../../dist/store/index.js').Store
}): Promise<{ paused: number; held: number }> {
  const rows = await store.openRuns()
  const count = (holds: (row: { status: string }) => boolean): number =>
    rows.filter((row) => holds(row as never)).reduce((sum, { runCount }) => sum + runCount, 0)
  return { paused: count(({ status }) => status === 'paused'), held: count(({ status }) => status === 'running') }
}

test.each(stores)(
  'T23 R-D1 on %s parked approvals hold no process, timer, connection or memory; a restart is quick, and any of them is decided',
  async (store) => {
    const startedMs = performance.now()
    const { rig, bank, one, contract, life } = await park(store)
    const parkedMs = performance.now() - startedMs
    // What is armed is the worker's, however many wait.
    const armedCount = rig.clock.armedCount
    await life.crash()
    const before = { heap: heapBytes(), resources: process.getActiveResourcesInfo().length }
    const openedMs = performance.now()
    const next = await rig.live([one], { contract })
    const restartMs = performance.now() - openedMs
    const after = { heap: heapBytes(), resources: process.getActiveResourcesInfo().length }
    expect(await openBy(next)).toEqual({ paused: parkedCount, held: 0 })
    expect(armedCount).toBeLessThan(20)
    expect(rig.clock.armedCount).toBeLessThan(20)
    expect(after.resources - before.resources).toBeLessThan(20)
    // The journals themselves lie where the store is.
    if (store !== 'memory') expect(after.heap - before.heap).toBeLessThan(64 * 1_048_576)
    if (isCampaign) expect(restartMs).toBeLessThan(5_000)
    const runtime = next.runtime as GovernedRuntime
    const chosen = Array.from({ length: decidedCount }, (_, index) => `r${(index * 7_919) % parkedCount}`)
    const decidingMs = performance.now()
    for (const id of chosen) {
      const asked = (await runtime.run(id).events()).findLast(({ kind }) => kind === 'ApprovalRequested')
      const { op, shown } = JSON.parse(asked?.body ?? '{}')
      await runtime.governance.vote({ run: id, op, voter: 'tom', choice: 'approve', shown })
    }
    await Promise.all(chosen.map((id) => runtime.run(id).result()))
    const decidedMs = performance.now() - decidingMs
    expect(bank.done.size).toBe(decidedCount)
    expect(await openBy(next)).toEqual({ paused: parkedCount - decidedCount, held: 0 })
    const judge = await Judge.of(next.store)
    for (const id of chosen) await judge.run(next.store, id as never)
    expect(judge.judged.get('ActionAuthorized')).toBe(decidedCount)
    const heap = `${Math.round((after.heap - before.heap) / 1_024)} KiB of heap`
    console.log(
      `T23 on ${store}: ${parkedCount} parked in ${Math.round(parkedMs)} ms, ${armedCount} timers, restart ${Math.round(restartMs)} ms and ${heap}, ${decidedCount} decided in ${Math.round(decidedMs)} ms`,
    )
  },
  limitMs,
)
