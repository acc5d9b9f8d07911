import { days, type GovernedRuntime } from 'constancia'
import { describe, expect, test } from 'vitest'
import { kindsOf, Rig, type StoreName, stores, until } from '../engine/rig.js'
import { isCampaign, limitMs } from '../processes/campaign.js'
import { Destination, type Life, office } from './bench.js'
import { Court } from './court.js'
import { Judge } from './judge.js'

const deliveries = [
  'tom approves',
  'del approves',
  'eve rejects',
  'tom withdraws',
  'the deadline',
  'a cancel',
  'a signal',
] as const
type Delivery = (typeof deliveries)[number]

/** All orders of up to six of them, with some of them repeated. */
function* orders(): Generator<readonly Delivery[]> {
  const grow = function* (taken: readonly Delivery[]): Generator<readonly Delivery[]> {
    if (taken.length > 0) yield taken
    if (taken.length === 6) return
    for (const next of deliveries) {
      // Repeated at once, or after something else came between.
      const count = taken.filter((one) => one === next).length
      if (count < 2 && next !== 'the deadline') yield* grow([...taken, next])
      else if (count === 0) yield* grow([...taken, next])
    }
  }
  yield* grow([])
}

/** Every so-manieth of them, so that each part of the tree is met. */
function sample(count: number): readonly (readonly Delivery[])[] {
  const all = [...orders()]
  if (count >= all.length) return all
  // Steps of a prime number through a list that is sorted by its beginnings meet all of them.
  return Array.from({ length: count }, (_, index) => all[(index * 7_919) % all.length] as readonly Delivery[])
}

class Office {
  readonly destination = new Destination()
  readonly rig: Rig
  readonly made = office(this.destination)
  #life: Life | undefined

  constructor(store: StoreName) {
    this.rig = new Rig(store)
  }

  async open(): Promise<void> {
    const contract = this.made.declared()
    this.#life = await this.rig.live([this.made.flows.ask], { contract })
    const court = new Court(() => this.life.store)
    await court.activate(contract)
    for (const role of ['clerk', 'analyst']) await court.grant('ann', role)
    for (const voter of ['tom', 'una', 'eve']) await court.grant(voter, 'treasurer')
    const untilMs = this.rig.clock.now() + days(10_000_000)
    await court.delegate({ from: 'una', to: 'del', roles: ['treasurer'], untilMs })
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error('No process is there.')
    return this.#life
  }

  get governance(): GovernedRuntime['governance'] {
    return (this.life.runtime as GovernedRuntime).governance
  }
}

/** What is told to whoever sends it: `counts`, or why not and what stands. */
async function send(scene: Office, id: string, delivery: Delivery): Promise<string> {
  const run = scene.life.runtime.run(id)
  const asked = (await run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
  const { op, shown } = JSON.parse(asked?.body ?? '{}')
  const [who = '', does] = delivery.split(' ')
  try {
    if (delivery === 'the deadline') await scene.rig.advance(days(30))
    else if (delivery === 'a cancel') await run.cancel()
    else if (delivery === 'a signal')
      await run.signal('approved', { outcome: 'approved' }, { delivery: `${id}-signal` })
    else if (does === 'withdraws')
      await scene.governance.withdraw({ run: id, op, voter: who, delivery: `${id}-${who}` })
    else {
      const choice = does === 'approves' ? 'approve' : 'reject'
      await scene.governance.vote({ run: id, op, voter: who, choice, shown, delivery: `${id}-${who}` })
    }
    return 'counts'
  } catch (error) {
    const { code, details } = error as { code?: string; details?: { reason: string; stands: string } }
    if (code !== 'vote_refused' && code !== 'run_ended') throw error
    return details === undefined ? String(code) : `${details.reason}, ${details.stands}`
  }
}

/** What one order has come to. */
async function trial(scene: Office, id: string, order: readonly Delivery[]): Promise<string> {
  const { rig, destination, life, made } = scene
  const requests = destination.requestCount
  const run = await life.runtime.start(made.flows.ask, null, { id, actor: 'ann' })
  await until(async () => (await run.row()).status === 'paused', `${id} asks`)
  const told: string[] = []
  for (const delivery of order) told.push(await send(scene, id, delivery))
  await until(
    async () => ['paused', 'completed', 'failed', 'cancelled'].includes((await rig.rest(run)).status),
    `${id} rests`,
  )
  const kinds = await kindsOf(run)
  const what = `${order.join(', ')}: ${told.join('; ')}; ${kinds.join(' ')}`
  const resolutions = (await run.events())
    .filter(({ kind }) => kind === 'ApprovalResolved')
    .map(({ body }) => JSON.parse(body).outcome)
  expect(resolutions.length, what).toBeLessThanOrEqual(1)
  const sent = destination.requestCount - requests
  expect(sent, what).toBeLessThanOrEqual(1)
  expect(sent === 1, what).toBe(kinds.includes('ActionCompleted') && destination.done.has(`${id}/1`))
  if (sent === 1) expect(resolutions, what).toEqual(['approved'])
  // Whoever is refused is told what the journal says.
  for (const each of told.filter((one) => one.startsWith('resolved_already'))) {
    expect(each, what).toBe(`resolved_already, ${resolutions[0]}`)
  }
  for (const each of told) expect(each.startsWith('run_ended, open'), what).toBe(false)
  const { status } = await run.row()
  if (resolutions.length === 0) expect(['paused', 'cancelled'], what).toContain(status)
  return resolutions[0] ?? status
}

const counts: Readonly<Record<StoreName, number>> = isCampaign
  ? { memory: 20_000, SQLite: 5_000, PostgreSQL: 500 }
  : { memory: 90, SQLite: 20, PostgreSQL: 10 }

describe.each(stores)('on %s', (store) => {
  test(
    'T14 whatever order votes, a withdrawal, the deadline, a cancel and signals come in: one decision, at most one effect',
    async () => {
      const met = new Map<string, number>()
      const scene = new Office(store)
      await scene.open()
      const taken = sample(counts[store])
      for (const [index, order] of taken.entries()) {
        const outcome = await trial(scene, `r${index}`, order)
        met.set(outcome, (met.get(outcome) ?? 0) + 1)
      }
      console.log(`T14 on ${store}: ${taken.length} orders`, Object.fromEntries(met))
      if (counts[store] >= 40)
        expect([...met.keys()].sort()).toEqual(expect.arrayContaining(['approved', 'cancelled', 'expired', 'rejected']))
      const judge = await Judge.of(scene.life.store)
      for (const index of taken.keys()) await judge.run(scene.life.store, `r${index}` as never)
      expect(judge.judged.get('ApprovalVoted')).toBeGreaterThan(0)
    },
    limitMs,
  )
})
