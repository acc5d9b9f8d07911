import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { days, type GovernedRuntime, hours, open, type Run, type StoreFactory } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { type Clock, type Store, systemClock } from '../../dist/store/index.js'
import { overStore } from '../engine/life.js'
import { kindsOf, type StoreName, stores, until, untilStatus } from '../engine/rig.js'
import { takeSchema } from '../postgres/used-schemas.js'
import { Court } from './court.js'
import { bodyOf, failureOf } from './scene.js'
import { Bank, type TreasuryOptions, treasury } from './treasury.js'

const made: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of made.splice(0).reverse()) await end()
})

/** An hour behind the database. */
const lagging: Clock = {
  now: () => systemClock.now() - hours(1),
  monotonic: () => systemClock.monotonic(),
  after: (delayMs, call) => systemClock.after(delayMs, call),
}

/** A store whose own clock is this one, whatever that of the process says; PostgreSQL has one of its own. */
async function factoryOf(store: StoreName, clock: Clock): Promise<StoreFactory> {
  if (store === 'PostgreSQL') {
    const schema = await takeSchema('real')
    made.push(() => schema.giveBack())
    return schema.factory({ connectionCountMax: 3 })
  }
  const folder = mkdtempSync(join(tmpdir(), 'constancia-skew-'))
  made.push(async () => rmSync(folder, { recursive: true, force: true }))
  const inner = store === 'memory' ? memory(memoryDisk()) : sqlite({ file: join(folder, 'runs.db'), watchPollMs: 10 })
  return (parts) => inner({ ...parts, clock })
}

interface Skewed {
  readonly clock: Clock
  readonly store: Clock
  readonly meddle?: (store: Store) => Store
}

async function begin(
  name: StoreName,
  { clock, store: storeClock, meddle = (store) => store }: Skewed,
  given: TreasuryOptions = {},
) {
  const bank = new Bank()
  const { contract, direct, pay } = treasury(bank, given)
  const factory = await factoryOf(name, storeClock)
  let store: Store | undefined
  const runtime = await open({
    store: async (parts) => {
      store = await factory(parts)
      return meddle(store)
    },
    flows: [direct, pay],
    contract,
    worker: { pollMs: 20 },
    parts: { clock },
  })
  made.push(() => runtime.close())
  const court = new Court(() => store as Store)
  await court.activate(contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  const pays = (cents: number): Promise<Run> => runtime.start(direct, { cents }, { id: 'r', actor: 'ann' })
  const law = async () => (await store?.read('governance' as never)) ?? []
  return { bank, court, runtime: runtime as GovernedRuntime, pays, pay, law }
}

describe.each(stores)('on %s', (name) => {
  const skewed = { clock: lagging, store: systemClock }

  test('threat 25 R-E2 what ended by the clock of the database has ended, though that of the process lags: nothing is executed', async () => {
    const { bank, court, pays } = await begin(name, skewed)
    const endMs = systemClock.now() - 1_000
    await court.grant('ann', 'analyst', endMs)
    const run = await pays(500)
    expect((await failureOf(run)).code).toBe('action_denied')
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: 'role_missing', roles: [] })
    expect(bank.requestCount).toBe(0)
    // It is dated as it was decided: whoever decides it again by the journal comes to the same.
    const denied = (await run.events()).find(({ kind }) => kind === 'ActionDenied')
    expect(denied?.at).toBeGreaterThanOrEqual(endMs)
  })

  test('threat 25 R-E3 a grant that ended during a pause admits nobody, though the clock of the process lags', async () => {
    const { bank, court, runtime, pay } = await begin(name, skewed)
    const run = await runtime.start(pay, { invoice: '250000' }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    await court.grant('ann', 'analyst', systemClock.now() - 1)
    await court.vote(run, 'tom', { resolves: 'approved' })
    expect((await failureOf(run)).code).toBe('resume_denied')
    expect(bank.requestCount).toBe(0)
  })

  test('threat 25 R-E8 a vote by a delegation that has ended since does not count, though the clock of the process lags', async () => {
    const { bank, court, pays } = await begin(name, skewed)
    const run = await pays(5_000)
    await untilStatus(run, 'paused')
    await court.delegate({ from: 'tom', to: 'dan', roles: ['treasurer'], untilMs: systemClock.now() - 1 })
    await court.vote(run, 'dan', { resolves: 'approved' })
    expect((await failureOf(run)).code).toBe('action_denied')
    expect(await bodyOf(run, 'ActionDenied')).toMatchObject({ code: 'approval_lapsed' })
    expect(bank.requestCount).toBe(0)
  })

  /** A run that waits for people, and is woken by a word that they did not say once everything is otherwise. */
  async function wokenAfter(given: Skewed, isOtherwise: () => void): Promise<void> {
    const { bank, runtime, pay } = await begin(name, given)
    const run = await runtime.start(pay, { invoice: '250000' }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    const { epoch } = await run.row()
    isOtherwise()
    await run.signal('hello', null)
    await until(async () => (await run.row()).epoch > epoch && (await run.row()).status !== 'running', 'it was woken')
    expect(await kindsOf(run)).not.toContain('ApprovalResolved')
    const { op, shown } = (await bodyOf(run, 'ApprovalRequested')) as { op: string; shown: string }
    await runtime.governance.vote({ run: 'r', op, voter: 'tom', choice: 'approve', shown })
    await run.result()
    expect(bank.requestCount).toBe(1)
  }

  test('threat 25 R-D7 an approval whose deadline has not come by the clock of the database is open, though that of the process runs on past it', async () => {
    let aheadMs = 0
    const clock = { ...lagging, now: () => systemClock.now() + aheadMs }
    await wokenAfter({ clock, store: systemClock }, () => {
      aheadMs = days(9)
    })
  })

  test('R-D7 an approval expires by the clock of the database alone, whatever its worker was told of the time before', async () => {
    // Each claim says by and by that it is days later than it is.
    let wrongMs = 0
    const meddle = (store: Store): Store =>
      overStore(store, {
        claim: async (request) => {
          const answer = await store.claim(request)
          return { ...answer, nowMs: answer.nowMs + wrongMs }
        },
      })
    await wokenAfter({ clock: systemClock, store: systemClock, meddle }, () => {
      wrongMs = days(9)
    })
  })

  test('what has not ended holds, whatever the clock of the process says', async () => {
    const { bank, court, pays } = await begin(name, skewed)
    await court.grant('ann', 'analyst', systemClock.now() + hours(2))
    await (await pays(500)).result()
    expect(bank.requestCount).toBe(1)
  })
})

describe.each(stores.filter((name) => name !== 'PostgreSQL'))('on %s', (name) => {
  test('threat 25 R-E11 a grant that ends while it is decided has ended: it is decided by the clock of the store, in its transaction', async () => {
    const [clock, store] = [new ScriptedClock(), new ScriptedClock()]
    const { bank, court, pays } = await begin(name, { clock, store })
    await court.grant('ann', 'analyst', store.now() + 30_000)
    // The situation is looked at between the first look at the law and the decision; no clock of the process moves.
    Object.defineProperty(bank, 'isOpen', {
      get: () => {
        store.advance(30_000)
        return true
      },
    })
    const run = await pays(500)
    expect((await failureOf(run)).code).toBe('action_denied')
    expect(bank.requestCount).toBe(0)
    const denied = (await run.events()).find(({ kind }) => kind === 'ActionDenied')
    expect(denied?.at).toBe(store.now())
  })
})

describe.each(stores)('on %s', (name) => {
  // Each append that is decided from the law comes too late, for so long that nobody would wait.
  const overtakenMax = 60
  const overtaken =
    (grants: { count: number }) =>
    (store: Store): Store => {
      const court = new Court(() => store)
      const append: Store['append'] = async (request) => {
        if (request.basis !== undefined && grants.count < overtakenMax)
          await court.grant(`p-${grants.count++}`, 'analyst')
        return store.append(request)
      }
      return new Proxy(store, {
        get: (target, key) => {
          if (key === 'append') return append
          const value = Reflect.get(target, key, target) as unknown
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    }

  test('R-E11 an action gets through beside a loop of grants: after a few times in vain it is decided where nobody can be faster', async () => {
    const grants = { count: 0 }
    const { bank, pays, law } = await begin(name, { clock: systemClock, store: systemClock, meddle: overtaken(grants) })
    const run = await pays(500)
    await run.result()
    expect(bank.requestCount).toBe(1)
    expect(grants.count).toBeGreaterThanOrEqual(3)
    expect(grants.count).toBeLessThan(overtakenMax)
    const intent = (await run.events()).find(({ kind }) => kind === 'ActionAuthorized')
    // The law that it names is the newest, and the owner of the run wrote it.
    expect(intent?.seen).toMatch(new RegExp(`^${(await law()).length - 1}:`))
    expect(intent?.by).toMatch(/^claim:/)
  })

  test('R-E3 R-E11 a run that may not go on ends beside a loop of grants', async () => {
    const grants = { count: 0 }
    const { court, runtime, pay } = await begin(name, {
      clock: systemClock,
      store: systemClock,
      meddle: overtaken(grants),
    })
    const run = await runtime.start(pay, { invoice: '250000' }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    await court.revoke('ann', 'analyst')
    await court.vote(run, 'tom', { resolves: 'approved' })
    await until(async () => (await kindsOf(run)).at(-1) === 'FlowFailed', 'it ends')
    expect((await failureOf(run)).code).toBe('resume_denied')
    expect(grants.count).toBeLessThan(overtakenMax)
  })
})
