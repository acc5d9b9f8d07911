import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { defaultLimits, exportLine, runStream, type StoredEvent } from '../../journal/index.js'
import {
  type Departure,
  type JournalPiece,
  type MoveOutcome,
  type MoveState,
  type Moving,
  moveStore,
  type Parcel,
  type Store,
  surveyMove,
} from '../../store/index.js'
import { memory, memoryDisk } from '../../store/memory/index.js'
import type { MovableUnderTest } from './given.js'
import { everything, expectRemembered } from './population.js'
import { granted, law, record, recorded } from './recording.js'
import { completed, headAfter, leaseMs, lostLeaseCountMax, rejectsWith, started, stepped, World } from './world.js'

/** One case about a store that can be moved: `world` is on the one under test, `other` on one in memory; both are empty. */
export type MoveCases = Readonly<Record<string, (world: MovableWorld, other: MovableWorld) => Promise<void>>>

/** A world whose store can be moved. */
export class MovableWorld extends World {
  readonly #given: MovableUnderTest

  constructor(given: MovableUnderTest) {
    super(given)
    this.#given = given
  }

  /** Opens it for a move, and closes it again. */
  async moving<T>(use: (moving: Moving) => Promise<T>): Promise<T> {
    const moving = await this.#given.openToMove()
    try {
      return await use(moving)
    } finally {
      await moving.close()
    }
  }
}

/** An empty store in memory under test, with the clock of another one. */
export async function inMemory(given: MovableUnderTest): Promise<MovableUnderTest> {
  const factory = memory(memoryDisk())
  const clock = { now: given.nowMs, monotonic: given.nowMs, after: () => () => undefined }
  const limits = defaultLimits
  const parts = { clock, randomBytes: (count: number) => randomBytes(count), limits, warn: () => undefined }
  const open = () => factory(parts)
  const dispose = async () => undefined
  return {
    ...given,
    store: await open(),
    reopen: open,
    another: open,
    openToMove: () => factory.openToMove(parts),
    dispose,
  }
}

/** What moving promises. */
export const moveCases: MoveCases = {
  'R-A2 a store that is moved is the same in the other one to the byte': async (world, other) => {
    const runs = await everything(world)
    const before = await contentOf(world)
    const handle = await world.given.reopen() // Whoever has claimed from a handle counts as a worker as long as it is open.
    deepStrictEqual(
      before.journals.map(({ row }) => row.id),
      runs,
    )
    const approvals = await handle.approvals({})
    strictEqual(approvals.items.length, 2)
    strictEqual((await move(world, other)).kind, 'moved')
    deepStrictEqual(await contentOf(other), before)
    strictEqual(before.streams.length, 20)
    const { leaves, tiles, checkpoints, attestations } = before
    deepStrictEqual([leaves.length, tiles.length, checkpoints.length, attestations.length], [24, 2, 2, 2])
    const store = await other.given.reopen()
    deepStrictEqual(await store.approvals({}), approvals)
    for (const { row, lines } of before.journals) {
      deepStrictEqual(await store.run(row.id), row)
      deepStrictEqual((await store.read(runStream(row.id))).map(exportLine), lines)
    }
    deepStrictEqual((await store.outbox({})).items, before.entries)
    await expectRemembered(other, store)
  },

  'R-A2 a store that is filled is the same as the other one was, to the byte': async (world, other) => {
    await everything(other)
    const before = await contentOf(other)
    const approvals = await other.store.approvals({})
    strictEqual((await move(other, world)).kind, 'moved')
    deepStrictEqual(await contentOf(world), before)
    const store = await world.given.reopen()
    deepStrictEqual(await store.approvals({}), approvals)
    for (const { row, lines } of before.journals) {
      deepStrictEqual(await store.run(row.id), row)
      deepStrictEqual((await store.read(runStream(row.id))).map(exportLine), lines)
    }
    deepStrictEqual((await store.outbox({})).items, before.entries)
    deepStrictEqual(await idsOf(store), before.journals.map(({ row }) => row.id).reverse())
    // A moved log goes on where it was.
    deepStrictEqual((await store.log.grown(1_000)).heads, [])
    strictEqual((await store.log.state()).size, 24)
    await expectRemembered(world, store)
    // What a rebuild computes is what was put.
    await store.rebuild()
    deepStrictEqual(await store.approvals({}), approvals)
    deepStrictEqual((await store.outbox({})).items.length, before.entries.length)
    for (const { row } of before.journals) {
      const { head, outcome, epoch, latest, signalCount } = (await store.run(row.id)) ?? row
      const wanted = { head: row.head, outcome: row.outcome, epoch: row.epoch, latest: row.latest }
      deepStrictEqual({ head, outcome, epoch, latest, signalCount }, { ...wanted, signalCount: row.signalCount })
    }
  },

  'R-A9 R-B9 runs go on in the store that was filled: with new epochs, in their turn, with the leases they lost':
    async (world, other) => {
      for (const run of ['lost', 'stepped', 'first', 'second']) await other.create(run)
      const claims = await other.claim(2)
      const [, owner] = claims
      ok(owner !== undefined)
      await other.appended(owner, [stepped('0')])
      await world.given.advance(leaseMs)
      const before = await contentOf(other)
      await move(other, world)
      const store = await world.given.reopen()
      const taken = await world.claim(4, store)
      deepStrictEqual(
        taken.map(({ run, epoch, lostLeaseCount }) => [run, epoch, lostLeaseCount]),
        [
          ['first', 1, 0],
          ['second', 1, 0],
          ['lost', 2, 1],
          ['stepped', 2, 1],
        ],
      )
      strictEqual((await world.append(owner, [stepped('1')], { store })).kind, 'claim_lost')
      strictEqual(before.journals.length, 4)
      for (const claim of taken) strictEqual((await world.append(claim, [completed], { store })).kind, 'appended')
    },

  'R-B9 a run that lost its last lease before it was moved is set aside where it would have been': async (
    world,
    other,
  ) => {
    await other.create('r1')
    for (let count = 0; count < lostLeaseCountMax; count += 1) {
      await other.claimOne()
      await world.given.advance(leaseMs)
    }
    await move(other, world)
    const store = await world.given.reopen()
    const flows = [{ flow: 'invoice', version: 1 }]
    const { claims, setAside } = await store.claim({ worker: 'w', flows, limit: 1, leaseMs, lostLeaseCountMax })
    deepStrictEqual([claims, setAside], [[], ['r1']])
    strictEqual((await world.row('r1', store)).stuck?.code, 'poison')
  },

  'R-A2 a store that was moved refuses to be worked on, also by those who have it open, until that is undone': async (
    world,
    other,
  ) => {
    const claim = await world.owned('r1')
    await world.given.advance(leaseMs)
    const late = await world.given.reopen()
    strictEqual((await move(world, other)).kind, 'moved')
    await rejectsWith('store_moved', world.create('r2', [started()], late))
    await rejectsWith('store_moved', world.append(claim, [stepped('0')], { store: late }))
    await rejectsWith('store_moved', world.signal('r1', 'd1', late))
    await rejectsWith('store_moved', world.claim(1, late))
    await rejectsWith('store_moved', record(world, [granted('bob')], { store: late }))
    await rejectsWith('store_moved', world.given.reopen())
    await world.moving((moving) => moving.release())
    const store = await world.given.reopen()
    strictEqual((await world.claimOne(store)).epoch, 2)
    deepStrictEqual(await idsOf(store), ['r1'])
  },

  'R-A2 what somebody writes while a store is read to be moved is not lost: it is refused, or done before or after':
    async (world, other) => {
      await world.create('r1')
      const state: MoveState = { kind: 'moved', id: 'm', place: 'elsewhere', atMs: 0 }
      const writing = await world.moving(async (moving) => {
        const departure = await moving.depart()
        const late = world.signal('r1', 'd1').then(
          () => 'stored',
          (error: { code?: unknown }) => error.code,
        )
        strictEqual((await departure.count()).eventCount, 1)
        await departure.seal(state)
        return late
      })
      ok(writing === 'store_moved' || writing === 'store_locked', `the signal was ${String(writing)}`)
      deepStrictEqual(
        (await contentOf(world)).journals.map(({ lines }) => lines.length),
        [1],
      )
      strictEqual((await idsOf(other.store)).length, 0)
    },

  'R-A2 a store that has nothing but a stream of no run is moved as well, and is not empty': async (world, other) => {
    const events = await recorded(world, [granted('ann'), granted('bob')])
    await world.given.reopen()
    strictEqual(await world.moving((moving) => moving.isEmpty()), false)
    strictEqual((await move(other, world)).kind, 'not_empty')
    const outcome = await move(world, other)
    strictEqual(outcome.kind === 'moved' && outcome.counts.eventCount, 2)
    const store = await other.given.reopen()
    deepStrictEqual(await store.read(law), events)
    strictEqual((await recorded(other, [granted('cid')], { store, head: headAfter(events) }))[0]?.seq, 2)
  },

  'R-A2 a move that stops half-way leaves nothing behind but a note, and can begin again or be called off': async (
    world,
    other,
  ) => {
    await everything(other)
    const before = await contentOf(other)
    await world.moving(async (moving) => {
      ok(await moving.expect({ kind: 'arriving', id: 'm1', place: 'elsewhere', atMs: 0 }))
      const arrival = await moving.arrive('m1')
      ok(arrival !== undefined)
      for (const parcel of (await parcelsOf(other)).slice(0, -1)) await arrival.put(parcel)
      await arrival.end()
    })
    await rejectsWith('store_unfinished', world.given.reopen())
    await world.moving(async (moving) => {
      ok(await moving.isEmpty())
      strictEqual(await moving.arrive('another move'), undefined)
      await moving.release()
    })
    deepStrictEqual(await idsOf(await world.given.reopen()), [])
    deepStrictEqual((await move(other, world)).kind, 'moved')
    deepStrictEqual(await contentOf(world), before)
  },

  'R-A2 a move that was cut off between its last two steps goes on where it was': async (world, other) => {
    await everything(other)
    const before = await contentOf(other)
    const state = { id: 'm1', atMs: 0 }
    await world.moving((moving) => moving.expect({ kind: 'arriving', place: 'there', ...state }))
    await other.moving(async (moving) => (await moving.depart()).seal({ kind: 'moved', place: 'here', ...state }))
    deepStrictEqual((await move(other, world)).kind, 'moved')
    deepStrictEqual(await contentOf(world), before)
    deepStrictEqual((await move(other, world)).kind, 'moved_before')
  },

  'R-A2 nothing is moved that is worked on, nor to where something is, nor to itself, nor twice': async (
    world,
    other,
  ) => {
    await other.create('r0')
    await world.owned('r1')
    strictEqual((await move(world, other)).kind, 'not_empty')
    strictEqual((await world.moving((from) => world.moving((to) => surveyMove(from, to)))).kind, 'same_store')
    strictEqual((await move(other, world)).kind, 'not_empty')
    const third = new MovableWorld(await inMemory(world.given as MovableUnderTest))
    deepStrictEqual(await move(world, third), { kind: 'workers_up', owners: ['w1'] })
    strictEqual((await world.moving((from) => third.moving((to) => surveyMove(from, to)))).kind, 'workers_up')
    await world.given.advance(leaseMs)
    await world.given.reopen()
    const survey = await world.moving((from) => third.moving((to) => surveyMove(from, to)))
    const counts = {
      runCount: 1,
      eventCount: 1,
      purgedCount: 0,
      deliveryCount: 0,
      entryCount: 0,
      leafCount: 0,
      checkpointCount: 0,
      attestationCount: 0,
    }
    deepStrictEqual(survey, { kind: 'ready', counts })
    deepStrictEqual(await move(world, third), { kind: 'moved', counts })
    strictEqual((await move(world, third)).kind, 'moved_before')
    strictEqual((await move(third, world)).kind, 'target_moved')
  },

  'R-A2 a journal that was changed is not moved, nor a stream of no run': async (world, other) => {
    await recorded(other, [granted('ann'), { ...granted('bob'), data: '"why"' }])
    const claim = await other.owned('r1')
    await other.appended(claim, [stepped('0'), stepped('1')])
    await world.given.advance(leaseMs)
    const parcels = await parcelsOf(other)
    const spoilt: ((events: readonly StoredEvent[]) => readonly StoredEvent[])[] = [
      (events) => events.map((event) => (event.seq === 1 ? { ...event, body: `${event.body} ` } : event)),
      (events) => events.map((event) => (event.seq === 1 ? { ...event, data: '"other"' } : event)),
      (events) => events.slice(0, -1),
      (events) => events.slice(1),
    ]
    const ofRuns = spoilt.map((spoil) => ({ kind: 'journals', spoil }) as const)
    // Where a stream of no run is to end, its last event alone tells.
    const ofNone = spoilt.filter((_, index) => index !== 2).map((spoil) => ({ kind: 'streams', spoil }) as const)
    let id = 0
    for (const spoiling of [...ofRuns, ...ofNone]) {
      await world.moving(async (moving) => {
        id += 1
        ok(await moving.expect({ kind: 'arriving', id: `m${id}`, place: 'elsewhere', atMs: 0 }))
        const arrival = await moving.arrive(`m${id}`)
        ok(arrival !== undefined)
        const put = async (): Promise<void> => {
          for (const parcel of parcels) await arrival.put(spoiled(parcel, spoiling))
          await arrival.count()
        }
        await rejectsWith('journal_damaged', put())
        await arrival.end()
        ok(await moving.isEmpty())
      })
    }
  },
}

interface Spoiling {
  readonly kind: Parcel['kind']
  readonly spoil: (events: readonly StoredEvent[]) => readonly StoredEvent[]
}

function spoiled(parcel: Parcel, { kind, spoil }: Spoiling): Parcel {
  if (parcel.kind !== kind || (parcel.kind !== 'journals' && parcel.kind !== 'streams')) return parcel
  return { ...parcel, items: parcel.items.map((piece) => ({ ...piece, events: spoil(piece.events) })) } as Parcel
}

let lastMove = 0

function move(from: MovableWorld, to: MovableWorld): Promise<MoveOutcome> {
  lastMove += 1
  const options = { id: `move-${lastMove}`, nowMs: 0 }
  return from.moving((source) => to.moving((target) => moveStore(source, target, options)))
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.runs({ limit: 1000 })).items.map(({ id }) => id)
}

/** All that is in a store, in a form that can be compared. */
async function contentOf(world: MovableWorld) {
  const parcels = await parcelsOf(world)
  const pieces = parcels.flatMap((parcel) => (parcel.kind === 'journals' ? parcel.items : []))
  const journals: { row: JournalPiece['row']; dueAtMs: JournalPiece['dueAtMs']; lines: string[] }[] = []
  for (const { row, dueAtMs, events } of pieces) {
    const last = journals.at(-1)
    if (last?.row.id === row.id) last.lines.push(...events.map(exportLine))
    else journals.push({ row, dueAtMs, lines: events.map(exportLine) })
  }
  const streams = parcels.flatMap((parcel) => (parcel.kind === 'streams' ? parcel.items : []))
  return {
    journals,
    streams: streams.flatMap(({ stream, events }) => events.map((event) => `${stream} ${exportLine(event)}`)),
    leaves: parcels.flatMap((parcel) => (parcel.kind === 'leaves' ? parcel.items : [])),
    tiles: parcels.flatMap((parcel) => (parcel.kind === 'tiles' ? parcel.items : [])),
    checkpoints: parcels.flatMap((parcel) => (parcel.kind === 'checkpoints' ? parcel.items : [])),
    attestations: parcels.flatMap((parcel) => (parcel.kind === 'attestations' ? parcel.items : [])),
    entries: parcels.flatMap((parcel) => (parcel.kind === 'entries' ? parcel.items : [])),
    purged: parcels
      .flatMap((parcel) => (parcel.kind === 'purged' ? parcel.items : []))
      .map(({ head: { seq, hash }, run, outcome, by, ...at }) =>
        JSON.stringify([run, seq, hash, outcome, by, at.endedAtMs, at.purgedAtMs]),
      )
      .sort(),
    deliveries: parcels
      .flatMap((parcel) => (parcel.kind === 'deliveries' ? parcel.items : []))
      .map(({ root, delivery }) => `${root} ${delivery}`)
      .sort(),
  }
}

function parcelsOf(world: MovableWorld): Promise<Parcel[]> {
  return world.moving(async (moving) => {
    const departure: Departure = await moving.depart()
    const parcels: Parcel[] = []
    for await (const parcel of departure.parcels()) parcels.push(parcel)
    await departure.end()
    return parcels
  })
}
