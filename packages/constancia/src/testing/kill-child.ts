import { once } from 'node:events'
import { type AnyFlow, open, type Run, type Runtime } from '../engine/index.js'
import { assert, ConstanciaError, type Draft } from '../journal/index.js'
import type { StoreFactory } from '../store/index.js'
import { isOfEffect } from './held.js'
import { DiaryWriter } from './kill-diary.js'
import { KillSender } from './kill-sender.js'
import { killStore } from './kill-store.js'
import type { LifeOrder, LifeWord, StartOrder } from './kill-words.js'
import type { PointKind } from './places.js'

type StoreAt = (address: unknown) => StoreFactory

interface Living {
  readonly passed: Map<PointKind, number>
  readonly order: LifeOrder
  readonly flows: readonly AnyFlow[]
  readonly storeAt: StoreAt
  readonly diary: DiaryWriter
  readonly senders: ReadonlyMap<string, KillSender>
}

/**
 * The process of a kill test, called with the flows that it has and what opens a
 * store. It is told by its parent what to do, starts the runs, works
 * until all of them have ended, and is usually ended before. Without its parent it does not live on.
 */
export async function liveAsChild(flows: readonly AnyFlow[], storeAt: StoreAt): Promise<void> {
  process.once('disconnect', endNow)
  const [order] = (await once(process, 'message')) as [LifeOrder]
  await live({ order, flows, storeAt })
}

async function live(given: Pick<Living, 'order' | 'flows' | 'storeAt'>): Promise<void> {
  const { order } = given
  const diary = new DiaryWriter(order.diary)
  const senders = new Map(order.starts.map((start) => [start.id, new KillSender(start, diary)]))
  const passed = new Map<PointKind, number>()
  const living = { ...given, diary, senders, passed }
  tell({ kind: 'opens' })
  const runtime = await openRuntime(living)
  const runs = await Promise.all(order.starts.map((start) => begin(runtime, start, living)))
  await Promise.all(runs.map(untilEnded))
  for (const sender of senders.values()) sender.stop()
  await runtime.close()
  diary.passed(passed)
  diary.close()
  tell({ kind: 'ended' }) // The parent ends this process, whatever the flows keep open.
}

function openRuntime(living: Living): Promise<Runtime> {
  const { order, flows, diary, senders } = living
  const { leaseMs, concurrency } = order
  const pass = passage(living)
  let hasClaimed = false
  const claimed = (): void => {
    if (!hasClaimed) tell({ kind: 'claimed' })
    hasClaimed = true
  }
  const grown = (run: string, eventCount: number): void => senders.get(run)?.grown(eventCount)
  const factory = living.storeAt(order.address)
  const store: StoreFactory = async (parts) => killStore(await factory(parts), { diary, pass, grown, claimed })
  // Asked before an outcome is offered to the journal: the effect has happened, and nothing of it is written.
  const hold = (_run: unknown, draft: Pick<Draft, 'kind'>): undefined => {
    if (isOfEffect(draft)) pass('between an effect and its append')
    return undefined
  }
  return open({
    store,
    flows,
    worker: { leaseMs, concurrency, pollMs: leaseMs, lostLeaseCountMax: 1_000_000 },
    // Whoever is killed loses nothing that was acknowledged: the next one must find nothing missing.
    mark: order.mark,
    parts: { hold },
  })
}

/** Returns what is called at each place; the process is gone when its doom is there. */
function passage({ order: { doom }, diary, passed }: Living): (place: PointKind) => void {
  return (place) => {
    const count = (passed.get(place) ?? 0) + 1
    passed.set(place, count)
    if (doom?.kind !== 'itself' || place !== doom.place || count < doom.passing) return
    diary.struck(place)
    endNow()
  }
}

async function begin(runtime: Runtime, start: StartOrder, { flows, senders }: Living): Promise<Run> {
  const flow = flows.findLast(({ name }) => name === start.flow)
  assert(flow !== undefined, `the module with the flows has none of the name ${start.flow}`)
  const run = await runtime.start(flow, start.input, { id: start.id })
  const { head } = await run.row()
  senders.get(start.id)?.begin(run, head.seq + 1)
  return run
}

async function untilEnded(run: Run): Promise<void> {
  await run.result().catch((error: unknown) => {
    if (!(error instanceof ConstanciaError) || error.code !== 'run_failed') throw error
  })
}

function tell(word: LifeWord): void {
  process.send?.(word)
}

// As the kernel does it: nothing is flushed, no handler runs.
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}
