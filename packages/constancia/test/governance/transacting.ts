import { type AnyFlow, type AttemptInfo, flow, type GovernedContext, PermanentError, type Run } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Append, Store } from '../../dist/store/index.js'
import { overStore } from '../engine/life.js'
import { gate, kindsOf, until, untilStatus } from '../engine/rig.js'
import { bookingRules, type Meddling, tillContract, tillOf } from './till.js'
import { type SqlStore, TillScene } from './till-scene.js'

const common = { name: 'booking', version: 1, resume: { roles: ['analyst'] }, models: 'none' } as const
type Book = ReturnType<typeof tillOf>['book']
type Does = (ctx: GovernedContext, book: Book) => Promise<unknown>

interface Given {
  readonly meddling?: Partial<Meddling>
  readonly does?: Does
  readonly meddle?: (store: Store, scene: TillScene) => Store
}

interface Begun {
  readonly scene: TillScene
  readonly flows: readonly AnyFlow[]
  readonly contract: ReturnType<typeof tillContract>
  readonly start: (id?: string) => Promise<Run>
}

async function begin(store: SqlStore, { meddling = {}, does, meddle }: Given = {}): Promise<Begun> {
  const scene = new TillScene(store)
  const { book } = tillOf(scene.database, scene.table, meddling)
  const booking = flow({ ...common, run: (ctx) => (does ?? ((one) => one.do(book, { cents: 5 })))(ctx, book) })
  const contract = tillContract([booking], bookingRules(book))
  const options = meddle === undefined ? {} : { meddle: (real: Store) => meddle(real, scene) }
  await scene.begin([booking], contract, options)
  return { scene, flows: [booking], contract, start: (id) => scene.start(booking, id) }
}

/** Does something else with appends that have an effect. */
function meddlingWith(real: Store, does: (request: Append) => ReturnType<Store['append']>): Store {
  return overStore(real, {
    append: (request) => (request.within === undefined ? real.append(request) : does(request)),
  })
}

async function bodies(run: Run, kind: string): Promise<Record<string, unknown>[]> {
  return (await run.events()).filter((event) => event.kind === kind).map(({ body }) => JSON.parse(body))
}

const completed = ['FlowStarted', 'ActionAuthorized', 'ActionCompleted', 'FlowCompleted']

/** What actions promise whose effect is in the database of the store. */
export function describeTransacting(store: SqlStore): void {
  describe(`an action whose effect is in the database of the store, ${store},`, () => {
    testRecord(store)
    testFailures(store)
    testVerdict(store)
    testClaim(store)
    testOthers(store)
  })
}

function testRecord(store: SqlStore): void {
  test('R-B6 R-F3 has its verdict, its effect and what came of it in one append, and is re-read afterwards', async () => {
    const appends: Append[] = []
    const seen: (readonly [string, AttemptInfo])[] = []
    const { scene, start, flows, contract } = await begin(store, {
      meddling: { booked: (key, attempt) => void seen.push([key, attempt]) },
      does: async (ctx, book) => [await ctx.do(book, { cents: 5 }), await ctx.do(book, { cents: 6 })],
      meddle: (real) =>
        meddlingWith(real, (request) => {
          appends.push(request)
          return real.append(request)
        }),
    })
    const run = await start()
    expect(await run.result()).toEqual([{ count: 1 }, { count: 1 }])
    expect(appends.map(({ drafts }) => drafts.map(({ kind }) => kind))).toEqual([
      ['ActionAuthorized'],
      ['ActionAuthorized'],
    ])
    expect(appends.every(({ basis }) => basis?.stream === 'governance')).toBe(true)
    expect(await scene.rows()).toEqual(['r/0', 'r/1'])
    expect((await kindsOf(run)).slice(1, 5)).toEqual([
      'ActionAuthorized',
      'ActionCompleted',
      'ActionAuthorized',
      'ActionCompleted',
    ])
    expect(seen.map(([key, { attempt, epoch }]) => [key, attempt, epoch])).toEqual([
      ['r/0', 1, 1],
      ['r/1', 1, 1],
    ])
    const next = await scene.rig.succeed(scene.life, flows, { contract })
    expect(await next.runtime.run('r').result()).toEqual([{ count: 1 }, { count: 1 }])
    expect(seen).toHaveLength(2)
  })

  test('R-A4 R-B6 is not executed again by whoever goes on after its process is gone', async () => {
    const { scene, start, flows, contract } = await begin(store, {
      does: async (ctx, book) => {
        const first = await ctx.do(book, { cents: 5 })
        await ctx.sleep(1_000)
        return [first, await ctx.do(book, { cents: 6 })]
      },
    })
    const run = await start()
    await untilStatus(run, 'waiting')
    expect(await scene.rows()).toEqual(['r/0'])
    const next = await scene.rig.succeed(scene.life, flows, { contract })
    const again = next.runtime.run('r')
    await scene.rig.rest(again)
    expect(await again.result()).toEqual([{ count: 1 }, { count: 1 }])
    expect(await scene.rows()).toEqual(['r/0', 'r/2'])
  })
}

function testFailures(store: SqlStore): void {
  test('R-B2 R-B6 that fails leaves nothing behind but its attempt, and is tried again', async () => {
    const fails = [new Error('first'), new Error('second')]
    const { scene, start } = await begin(store, {
      meddling: {
        booked: () => {
          const fault = fails.shift()
          if (fault !== undefined) throw fault
        },
      },
    })
    const run = await start()
    await untilStatus(run, 'waiting')
    expect(await scene.rows()).toEqual([])
    await scene.rig.rest(run)
    // That it counts one row says that none was left by the attempts before.
    expect(await run.result()).toEqual({ count: 1 })
    const failed = ['ActionAuthorized', 'ActionAttemptFailed']
    expect((await kindsOf(run)).slice(1)).toEqual([...failed, ...failed, ...completed.slice(1)])
    expect((await bodies(run, 'ActionCompleted'))[0]).toMatchObject({ attempt: 3 })
    expect(await scene.rows()).toEqual(['r/0'])
  })

  test('R-B6 is never in doubt: attempts that are used up, or an error that is final, are failures that the flow learns of', async () => {
    const given = { fault: new Error('no') }
    const { scene, start } = await begin(store, {
      meddling: {
        booked: () => {
          throw given.fault
        },
      },
      does: (ctx, book) => ctx.do(book, { cents: 5 }).catch((error: Error) => error.message),
    })
    const first = await start()
    await scene.rig.rest(first)
    expect(await first.result()).toBe('no')
    expect((await bodies(first, 'ActionFailed'))[0]).toMatchObject({ attempt: 3, reason: 'attempts_used_up' })
    given.fault = new PermanentError('never')
    const second = await start('s')
    expect(await second.result()).toBe('never')
    expect((await bodies(second, 'ActionFailed'))[0]).toMatchObject({ attempt: 1, reason: 'refused' })
    expect(await scene.rows()).toEqual([])
  })

  test('R-B6 R-B10 is undone if what it returned cannot be kept', async () => {
    const { scene, start } = await begin(store, {
      meddling: { gives: () => 'a function' },
      does: (ctx, book) => ctx.do(book, { cents: 5 }).catch(({ code }: { code: string }) => code),
    })
    const run = await start()
    expect(await run.result()).toBe('not_serializable')
    expect((await bodies(run, 'ActionFailed'))[0]).toMatchObject({ reason: 'result_not_kept' })
    expect(await scene.rows()).toEqual([])
  })
}

function testVerdict(store: SqlStore): void {
  test('R-E11 does not happen where a revocation was committed first', async () => {
    const { scene, start } = await begin(store, {
      does: (ctx, book) => ctx.do(book, { cents: 5 }).catch(({ code }: { code: string }) => code),
      meddle: (real, { court }) =>
        meddlingWith(real, async (request) => {
          if (!(await isRevoked(real))) await court.revoke('ann', 'analyst')
          return real.append(request)
        }),
    })
    const run = await start()
    expect(await run.result()).toBe('action_denied')
    expect((await kindsOf(run)).slice(1)).toEqual(['ActionDenied', 'FlowCompleted'])
    expect(await scene.rows()).toEqual([])
  })

  test('R-E10 does not happen where the situation has changed', async () => {
    const { scene, start } = await begin(store, {
      meddling: { situation: 'The till is closed.' },
      does: (ctx, book) => ctx.do(book, { cents: 5 }).catch((error: Error) => error.message),
    })
    expect(await (await start()).result()).toMatch(/The till is closed/)
    expect(await scene.rows()).toEqual([])
  })

  test('R-D1 R-F4 happens after an approval, with the approved input', async () => {
    const { scene, start } = await begin(store, { does: (ctx, book) => ctx.do(book, { cents: 5_000 }) })
    await scene.court.grant('tess', 'treasurer')
    const run = await start()
    await untilStatus(run, 'paused')
    expect(await scene.rows()).toEqual([])
    await scene.court.vote(run, 'tess', { resolves: 'approved' })
    expect(await run.result()).toEqual({ count: 1 })
    expect((await kindsOf(run)).slice(-4)).toEqual([
      'ResumeAuthorized',
      'ActionAuthorized',
      'ActionCompleted',
      'FlowCompleted',
    ])
    expect((await bodies(run, 'ActionAuthorized'))[0]).toMatchObject({ approval: '0' })
  })
}

function testClaim(store: SqlStore): void {
  test('R-C3 R-C4 does not happen under a claim that was lost, and happens once under the next', async () => {
    const held = gate()
    let isHeld = false
    const answers: string[] = []
    const { scene, start, flows, contract } = await begin(store, {
      meddle: (real) =>
        meddlingWith(real, async (request) => {
          isHeld = true
          await held.promise
          const answer = await real.append(request)
          answers.push(answer.kind)
          return answer
        }),
    })
    const run = await start()
    await until(() => isHeld, 'the effect is about to happen')
    scene.life.stopHeart()
    scene.rig.clock.advance(60_001)
    const next = await scene.rig.live(flows, { contract })
    expect(await next.runtime.run('r').result()).toEqual({ count: 1 })
    held.open()
    await until(() => answers.length > 0, 'it was told')
    expect(answers).toEqual(['run_ended'])
    expect(await scene.rows()).toEqual(['r/0'])
    expect(await kindsOf(run)).toEqual(completed)
  })
}

function testOthers(store: SqlStore): void {
  test('R-B6 of several at once, one that fails undoes its own and no other', async () => {
    const { scene, start } = await begin(store, {
      meddling: {
        booked: (key) => {
          if (key.endsWith('.1') || key.includes('/0.1')) throw new PermanentError('not this one')
        },
      },
      does: (ctx, book) =>
        ctx.map([1, 2, 3], (cents, own) => own.do(book, { cents }).catch((error: Error) => error.message)),
    })
    const runs = await Promise.all(['r', 's', 't'].map((id) => start(id)))
    for (const run of runs) expect(await run.result()).toContainEqual({ count: 1 })
    const doneCount = (await Promise.all(runs.map((run) => bodies(run, 'ActionCompleted')))).flat().length
    const failedCount = (await Promise.all(runs.map((run) => bodies(run, 'ActionFailed')))).flat().length
    expect([doneCount, failedCount]).toEqual([6, 3])
    expect(await scene.rows()).toHaveLength(6)
  })

  test('R-B8 a run that is cancelled while its next attempt waits ends without it', async () => {
    const { scene, start } = await begin(store, {
      meddling: {
        booked: () => {
          throw new Error('later')
        },
      },
    })
    const run = await start()
    await untilStatus(run, 'waiting')
    await run.cancel()
    await scene.rig.advance(60_000)
    await untilStatus(run, 'cancelled')
    expect(await bodies(run, 'ActionFailed')).toMatchObject([{ reason: 'cancelled' }])
    expect(await kindsOf(run)).not.toContain('OutcomeUnknown')
    expect(await scene.rows()).toEqual([])
  })
}

async function isRevoked(store: Store): Promise<boolean> {
  return (await store.read('governance' as never)).some(({ kind }) => kind === 'RoleRevoked')
}
