import { hostname } from 'node:os'
import { flow } from 'constancia'
import { describe, expect, test } from 'vitest'
import { fleetOf } from '../../dist/engine/fleet.js'
import { type OpenRuns, type Store, storeError, type WorkerNote } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, gate, leaseMs, Rig, stores, until } from './rig.js'

const pollMs = 1_000

function working(version = 1) {
  const begun: string[] = []
  const open = gate<string>()
  const works = flow({
    name: 'works',
    version,
    run: (ctx) =>
      ctx.step('work', ({ key }) => {
        begun.push(key)
        return open.promise
      }),
  })
  return { works, begun, open }
}

describe.each(stores)('R-B12 on %s', (store) => {
  test('a worker is listed with what it has, what it holds and since when; while it drains; and not once it has closed', async () => {
    const rig = new Rig(store)
    const { works, begun, open } = working()
    const life = await rig.live([works], { worker: { name: 'w', concurrency: 7, pollMs } })
    const startMs = rig.clock.now()
    await rig.advance(500)
    const outside = await rig.live([], { worker: false })
    for (const id of ['r1', 'r2']) await life.runtime.start(works, null, { id })
    await until(() => begun.length === 2, 'both begin')
    const [worker, ...others] = await outside.runtime.workers()
    expect(others).toEqual([])
    expect(worker).toMatchObject({ name: 'w', state: 'working', runCount: 2 })
    expect(worker?.announced).toMatchObject({
      host: hostname(),
      pid: process.pid,
      program: expect.stringMatching(/^\d+\./),
      concurrency: 7,
    })
    expect(worker?.announced).toMatchObject({ sinceMs: startMs, flows: [{ flow: 'works', version: 1 }] })
    const held = { flow: 'works', version: 1, runCount: 2, oldestRun: 'r1', sinceMs: startMs + 500 }
    expect(worker?.held).toEqual([held])

    const closing = life.runtime.close()
    const stateNow = async () => (await outside.runtime.workers()).map(({ state, runCount }) => `${state} ${runCount}`)
    await until(async () => (await stateNow())[0] === 'draining 2', 'it is draining')
    open.open('done')
    await closing
    expect(await stateNow()).toEqual([])
  })

  test('a worker that crashed is gone once it has said nothing for as long as it had announced; what it has is served by nobody then', async () => {
    const rig = new Rig(store)
    const { works, begun } = working()
    const life = await rig.live([works], { worker: { name: 'w', pollMs } })
    await life.runtime.start(works, null, { id: 'r' })
    await until(() => begun.length === 1, 'it begins')
    await life.crash()
    const outside = await rig.live([], { worker: false })
    const fleetNow = async () => {
      const { workers, unserved } = await outside.runtime.fleet()
      return [workers.map(({ name, state, runCount }) => `${name} ${state} ${runCount}`), unserved]
    }
    expect(await fleetNow()).toEqual([['w working 1'], []])
    rig.clock.advance(leaseMs)
    expect(await fleetNow()).toEqual([['w gone 1'], [{ flow: 'works', version: 1, runCount: 1, draining: [] }]])
    rig.clock.advance(3_600_000)
    expect((await outside.runtime.workers()).map(({ announced }) => announced)).toEqual([undefined])
  })

  test('a worker announces itself once in a third of its lease, however much it does, and goes on while it drains', async () => {
    const rig = new Rig(store)
    const states: string[] = []
    const meddle = (real: Store): Store =>
      overStore(real, {
        announce: (note, forMs) => {
          states.push(note.state)
          return real.announce(note, forMs)
        },
      })
    const many = flow({
      name: 'many',
      version: 1,
      run: async (ctx) => {
        for (let index = 0; index < 30; index += 1) await ctx.step('step', () => index)
      },
    })
    const { works, begun, open } = working()
    const worker = { pollMs, graceMs: 10 * leaseMs }
    const life = await rig.live([many, works], { meddle, worker })
    const runs = await Promise.all(Array.from({ length: 5 }, () => life.runtime.start(many, null)))
    await Promise.all(runs.map((run) => run.result()))
    expect(states).toEqual(['working'])
    await rig.advance(10 * leaseMs)
    expect(states.length).toBeGreaterThan(20)
    expect(states.length).toBeLessThanOrEqual(31)
    await life.runtime.start(works, null, { id: 'r' })
    await until(() => begun.length === 1, 'it begins')
    const before = states.length
    const closing = life.runtime.close()
    await rig.advance(2 * leaseMs)
    expect(states.slice(before)).toEqual(Array.from({ length: 7 }, () => 'draining'))
    open.open('done')
    await closing
  })

  test('a worker that may not announce itself says so once, and works all the same', async () => {
    const rig = new Rig(store)
    const refused = async (): Promise<never> => {
      throw storeError('store_forbidden', 'permission denied for table workers')
    }
    const meddle = (real: Store): Store => overStore(real, { announce: refused })
    const quick = flow({ name: 'quick', version: 1, run: (ctx) => ctx.step('step', () => 1) })
    const life = await rig.live([quick], { meddle, worker: { pollMs } })
    await rig.advance(leaseMs)
    expect(await (await life.runtime.start(quick, null)).result()).toBe(1)
    await life.runtime.close()
    expect(life.lines.filter(({ message }) => message.includes('cannot announce itself'))).toHaveLength(1)
  })

  test('R-C5 draining tells what it gave back between steps, what it cut off, and what it could not give back', async () => {
    const rig = new Rig(store)
    const { works, begun } = working()
    const meddle = (real: Store): Store =>
      overStore(real, {
        release: async (claim) => {
          if (claim.run === 'away') throw storeError('store_unavailable', 'it is away')
          return real.release(claim)
        },
      })
    const ends = gate<number>()
    const two = flow({
      name: 'two',
      version: 1,
      run: async (ctx) => {
        await ctx.step('first', () => ends.promise)
        await ctx.step('second', () => 2)
      },
    })
    const life = await rig.live([works, two], { meddle, worker: { pollMs, graceMs: 500 } })
    for (const id of ['cut', 'away']) await life.runtime.start(works, null, { id })
    await life.runtime.start(two, null, { id: 'back' })
    await until(() => begun.length === 2, 'both begin')
    const draining = life.runtime.drain()
    ends.open(1)
    await drained()
    await rig.advance(500)
    expect(await draining).toEqual({ givenBack: ['back'], cutOff: ['cut'], notGivenBack: ['away'] })
    expect(await life.runtime.drain()).toBe(await draining)
    const status = async (id: string) => (await life.runtime.run(id).row()).status
    expect([await status('cut'), await status('back'), await status('away')]).toEqual(['ready', 'ready', 'running'])
    await life.runtime.start(two, null, { id: 'later' })
    await rig.advance(5 * pollMs)
    expect(await status('later')).toBe('ready')
  })
})

describe('R-B12 a fleet', () => {
  const at = { host: 'h', pid: 1, program: 'p', concurrency: 1, sinceMs: 1, announcedAtMs: 1 }
  const row = (id: string, state: WorkerNote['state'] | 'gone', ...versions: number[]) => {
    return { ...at, id, name: `n-${id}`, state, flows: versions.map((version) => ({ flow: 'f', version })) }
  }
  const open = (version: number, runCount: number, holder?: Partial<OpenRuns['holder']>): OpenRuns => {
    const usual = { worker: 'n', workerId: undefined, isAlive: true, oldestRun: 'r' as never, sinceMs: 5 }
    const whole = holder && { ...usual, ...holder }
    return { flow: 'f', version, status: whole ? 'running' : 'waiting', runCount, holder: whole }
  }
  const shown = (...given: Parameters<typeof fleetOf>) => {
    const { workers, unserved } = fleetOf(...given)
    return [
      workers.map(({ name, state, runCount }) => `${name} ${state} ${runCount}`),
      unserved.map(({ version, runCount, draining }) => [version, runCount, ...draining].join(' ')),
    ]
  }

  test('tells workers of one name apart by their ids, and shows those that only hold runs', () => {
    const open2 = [
      open(1, 2, { workerId: 'a' }),
      open(1, 3, { workerId: 'b' }),
      open(1, 4, {}),
      open(1, 5, { worker: 'm' }),
    ]
    const rows = [row('a', 'working', 1), row('b', 'working', 1)]
    expect(shown(rows, open2)).toEqual([['n-a working 2', 'n-b working 3', 'n silent 4', 'm silent 5'], []])
  })

  test('calls silent who announces nothing but whose leases run, and gone who has neither', () => {
    const rows = [row('a', 'gone', 1), row('b', 'gone', 1), row('c', 'gone', 1)]
    const held = [
      open(1, 1, { workerId: 'a' }),
      open(1, 1, { workerId: 'b', isAlive: false }),
      open(1, 9, { isAlive: false }),
    ]
    const others = ['n-b gone 1', 'n-c gone 0', 'n gone 9']
    expect(shown(rows, held)).toEqual([['n-a silent 1', ...others], []])
    expect(shown(rows, held.slice(1))).toEqual([['n-a gone 0', ...others], ['1 10']])
  })

  test('has nobody for the open runs of a version that only draining workers have, whoever holds them', () => {
    const rows = [row('a', 'draining', 1, 2), row('b', 'working', 2), row('c', 'gone', 3)]
    const runs = [open(1, 1, { workerId: 'a' }), open(1, 4), open(2, 5), open(3, 6)]
    expect(shown(rows, runs)[1]).toEqual(['1 5 n-a', '3 6'])
  })
})
