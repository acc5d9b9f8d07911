import { deepStrictEqual, strictEqual } from 'node:assert'
import type { Change, Claim, ClaimRequest, OpenRuns, Store, WorkerNote } from '../../store/index.js'
import { type Cases, completed, leaseMs, lostLeaseCountMax, started, type World } from './world.js'

const hourMs = 3_600_000

/** What the registry of workers, and the count of open runs, promise. */
export const workerCases: Cases = {
  'R-B12 a worker that announced itself is listed on every handle as it said, until its time is over: then it is gone':
    async (world) => {
      const { nowMs, advance, another } = world.given
      const note = noteOf('w1')
      const startMs = nowMs()
      await world.store.announce(note, 1_000)
      const row = { ...note, sinceMs: startMs, announcedAtMs: startMs }
      deepStrictEqual(await (await another()).workers(), [row])
      await advance(999)
      deepStrictEqual(await world.store.workers(), [row])
      await advance(1)
      deepStrictEqual(await world.store.workers(), [{ ...row, state: 'gone' }])
    },

  'announcing again prolongs, and replaces what was said; since when the worker is there stays': async (world) => {
    const { nowMs, advance } = world.given
    const startMs = nowMs()
    await world.store.announce(noteOf('w1'), 1_000)
    await advance(600)
    await world.store.announce(noteOf('w2', { name: 'w2' }), 1_000)
    const draining = noteOf('w1', { state: 'draining', flows: [] })
    await world.store.announce(draining, 1_000)
    await advance(600)
    const moments = { sinceMs: startMs, announcedAtMs: startMs + 600 }
    const [first, second, ...others] = await world.store.workers()
    deepStrictEqual([first, second?.name, others], [{ ...draining, ...moments }, 'w2', []])
  },

  'a worker that departed is not listed; one that is not there departs without a word': async (world) => {
    await world.store.announce(noteOf('w1'), 1_000)
    await world.store.announce(noteOf('w2'), 1_000)
    await world.store.depart('w1')
    await world.store.depart('w1')
    await world.store.depart('nobody')
    deepStrictEqual(await namesIn(world.store), ['w2 working'])
  },

  'a worker that is gone is listed for an hour and then forgotten': async (world) => {
    await world.store.announce(noteOf('w1'), 1_000)
    await world.given.advance(1_000 + hourMs - 1)
    deepStrictEqual(await namesIn(world.store), ['w1 gone'])
    await world.given.advance(1)
    deepStrictEqual(await namesIn(world.store), [])
    await world.store.announce(noteOf('w2'), 1_000)
    deepStrictEqual(await namesIn(world.store), ['w2 working'])
    // Who was asleep for so long has just begun, as far as anybody remembers.
    await world.store.announce(noteOf('w1'), 1_000)
    strictEqual((await world.store.workers()).find(({ id }) => id === 'w1')?.sinceMs, world.given.nowMs())
  },

  'announcing and departing wakes nobody': async (world) => {
    const changes: Change[] = []
    const unwatch = world.store.watch((change) => changes.push(change))
    // A hint may come at any time, such as when a listener is connected; it does not come each time.
    for (let tries = 0; tries < 10; tries += 1) {
      changes.length = 0
      await world.store.announce(noteOf('w1'), 1_000)
      await world.store.depart('w1')
      await world.given.pause(20)
      if (changes.length === 0) break
    }
    unwatch()
    deepStrictEqual(changes, [])
  },

  'R-A2 workers are still listed after a rebuild, and after the store is opened again': async (world) => {
    await world.store.announce(noteOf('w1'), hourMs)
    await world.store.rebuild()
    deepStrictEqual(await namesIn(world.store), ['w1 working'])
    deepStrictEqual(await namesIn(await world.given.reopen()), ['w1 working'])
  },

  'a row tells who holds a run since when, and nothing of whoever held it before': async (world) => {
    const { nowMs, advance } = world.given
    await world.create('r1')
    await claimAs(world, { worker: 'w1', workerId: 'id1' })
    const claimedAtMs = nowMs()
    const held = async () => {
      const { worker, workerId, sinceMs } = (await world.row('r1')).claim ?? {}
      return [worker, workerId, sinceMs]
    }
    deepStrictEqual(await held(), ['w1', 'id1', claimedAtMs])
    const { claim } = await world.row('r1')
    const ref = { run: (await world.row('r1')).id, id: claim?.id ?? ('' as never), epoch: 1 }
    await advance(100)
    await world.store.renew([ref], leaseMs)
    deepStrictEqual(await held(), ['w1', 'id1', claimedAtMs])
    await advance(leaseMs)
    await claimAs(world, { worker: 'w2' })
    deepStrictEqual(await held(), ['w2', undefined, nowMs()])
  },

  'R-B12 open runs are counted by flow, version, status and holder, with the one that each holder claimed first; others are not':
    async (world) => {
      const { nowMs, advance, another } = world.given
      await world.create('ended', [started(), completed])
      for (const run of ['a1', 'a2', 'a3', 'a4']) await world.create(run)
      await world.create('b1', [started('refund')])
      await world.create('c1', [started('refund', 2)])
      await world.create('rests')
      const atMs = nowMs()
      await claimAs(world, { worker: 'w1', workerId: 'id1' })
      await advance(1)
      await claimAs(world, { worker: 'w1', workerId: 'id1' })
      await claimAs(world, { worker: 'w1', workerId: 'id2' })
      await claimAs(world, { worker: 'w1' })
      const [rests] = await claimAs(world, { worker: 'w1', workerId: 'id1' })
      if (rests !== undefined) await world.suspend(rests, undefined)
      const plain = { flow: 'invoice', version: 1 }
      const held = { ...plain, status: 'running', runCount: 1 }
      const holder = { worker: 'w1', workerId: undefined, isAlive: true, oldestRun: 'a4', sinceMs: atMs + 1 }
      const expected = [
        { ...held, holder },
        { ...held, runCount: 2, holder: { ...holder, workerId: 'id1', oldestRun: 'a1', sinceMs: atMs } },
        { ...held, holder: { ...holder, workerId: 'id2', oldestRun: 'a3' } },
        { ...plain, status: 'waiting', runCount: 1, holder: undefined },
        { flow: 'refund', version: 1, status: 'ready', runCount: 1, holder: undefined },
        { flow: 'refund', version: 2, status: 'ready', runCount: 1, holder: undefined },
      ]
      deepStrictEqual(inOrder(await (await another()).openRuns()), inOrder(expected as never))
      await advance(leaseMs)
      const alive = (await world.store.openRuns()).map((one) => one.holder?.isAlive ?? false)
      deepStrictEqual([...new Set(alive)], [false])
    },
}

function noteOf(id: string, change: Partial<WorkerNote> = {}): WorkerNote {
  const place = { host: 'h "1"', pid: 42, program: '0.1.0', concurrency: 8 }
  return { id, name: id, ...place, flows: [{ flow: "it's", version: 2 }], state: 'working', ...change }
}

async function namesIn(store: Store): Promise<string[]> {
  return (await store.workers()).map(({ name, state }) => `${name} ${state}`)
}

// Takes the one that is due first.
async function claimAs(world: World, who: Pick<ClaimRequest, 'worker' | 'workerId'>): Promise<readonly Claim[]> {
  const flows = [{ flow: 'invoice', version: 1 }]
  return (await world.store.claim({ ...who, flows, limit: 1, leaseMs, lostLeaseCountMax })).claims
}

function inOrder(groups: readonly OpenRuns[]): OpenRuns[] {
  const keyOf = ({ flow, version, status, holder }: OpenRuns) =>
    [flow, version, status, holder?.workerId ?? ''].join(' ')
  return groups.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
