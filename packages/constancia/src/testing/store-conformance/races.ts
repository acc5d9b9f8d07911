import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { emptyHead, type Head, runStream, type StoredEvent, type StreamId, verifyChain } from '../../journal/index.js'
import type { Appended, Claim, Store } from '../../store/index.js'
import { appendUnder, granted, recorded } from './recording.js'
import { type Cases, headAfter, idOf, signalled, type World } from './world.js'

const laneCount = 5
// Of each lane: 200 rounds in all.
const roundCount = 40

/** What holds when somebody adds to a stream while others depend on where it ends. */
export const raceCases: Cases = {
  'R-E11 of a record and an append under a basis at the same instant, the first to commit wins, 200 times': async (
    world,
  ) => {
    const recorder = await world.given.another()
    for (let no = 0; no < laneCount; no++) await world.create(`r${no}`)
    const claims = await world.claim(laneCount)
    strictEqual(claims.length, laneCount)
    await Promise.all(claims.map((claim) => raceAppends({ world, claim, recorder, ...placeOf(claim.run) })))
  },

  'R-E11 of a record and a decision under a basis at the same instant, the first to commit wins': async (world) => {
    const recorder = await world.given.another()
    const lanes = Array.from({ length: laneCount }, (_, no) => ({ world, recorder, ...placeOf(`r${no}`) }))
    for (const { run } of lanes) await world.create(run)
    await Promise.all(lanes.map(raceDecisions))
  },
}

/** A run, and a stream of its own that it depends on. */
interface Lane {
  readonly world: World
  readonly recorder: Store
  readonly run: string
  readonly stream: StreamId
}

function placeOf(run: string): Pick<Lane, 'run' | 'stream'> {
  return { run, stream: `governance/${run}` as StreamId }
}

async function raceAppends(lane: Lane & { readonly claim: Claim }): Promise<void> {
  const { world, recorder, run, stream, claim } = lane
  let [head, basis, wonCount]: [Head, Head, number] = [claim.head, emptyHead(stream), 0]
  for (let round = 0; round < roundCount; round++) {
    const stale = { claim, basis, stream }
    const append = (): Promise<Appended> => appendUnder(world, { ...stale, head })
    const write = (): Promise<readonly StoredEvent[]> =>
      recorded(world, [granted(`p${round}`)], { stream, store: recorder })
    const both = Promise.all(round % 2 === 0 ? [append(), write()] : swap(write(), append()))
    const isRecordFirst = await sawRecordAlone(lane, { eventCount: round, headSeq: head.seq }, both)
    const [answer, events] = await both
    basis = headAfter(events)
    if (answer.kind === 'appended') {
      ok(!isRecordFirst, `round ${round}: the append was stored after the record that moved its basis`)
      head = headAfter(answer.events)
      wonCount += 1
    } else deepStrictEqual(answer, { kind: 'basis_moved' })
    // Whoever comes later with the same basis comes too late, whatever became of the first.
    deepStrictEqual(await appendUnder(world, { ...stale, head }), { kind: 'basis_moved' })
  }
  const [events, journal] = [await world.store.read(stream), await world.read(run)]
  verifyChain(stream, emptyHead(stream), events)
  deepStrictEqual([events.length, journal.length - 1], [roundCount, wonCount])
  strictEqual(verifyChain(runStream(idOf(run)), emptyHead(runStream(idOf(run))), journal).hash, head.hash)
}

// Each decision writes down where it was told that the stream ends.
async function raceDecisions(lane: Lane): Promise<void> {
  const { world, recorder, run, stream } = lane
  const firsts: boolean[] = []
  for (let round = 0; round < roundCount / 2; round++) {
    const delivery = `d${round}`
    const decide = (): Promise<unknown> =>
      world.decide(
        run,
        ({ basisHead }) => ({ drafts: [{ ...signalled(delivery), data: JSON.stringify(basisHead) }], result: 0 }),
        { delivery, basis: stream },
      )
    const write = (): Promise<unknown> => recorded(world, [granted(delivery)], { stream, store: recorder })
    const both = Promise.all(round % 2 === 0 ? [decide(), write()] : [write(), decide()])
    firsts.push(await sawRecordAlone(lane, { eventCount: round, headSeq: round }, both))
    await both
  }
  const [events, journal] = [await world.store.read(stream), await world.read(run)]
  for (const [round, isRecordFirst] of firsts.entries()) {
    const known = JSON.parse(journal[round + 1]?.data ?? '') as Head
    ok(known.seq === round || (known.seq === round - 1 && !isRecordFirst))
    strictEqual(known.hash, known.seq < 0 ? emptyHead(stream).hash : events[known.seq]?.hash)
  }
}

/** Before both: how many events the stream has, and where the journal ends. */
interface Moment {
  readonly eventCount: number
  readonly headSeq: number
}

/**
 * Looks, while both are under way, until the stream has more events, or both are over. Whether the journal had not grown when the
 * stream was seen to have: then the record was stored before whatever the journal got later.
 */
async function sawRecordAlone(
  { world, run, stream }: Lane,
  { eventCount, headSeq }: Moment,
  both: Promise<unknown>,
): Promise<boolean> {
  const watched = { isOver: false }
  const end = (): void => {
    watched.isOver = true
  }
  both.then(end, end)
  while (!watched.isOver) {
    const events = await world.store.read(stream, { fromSeq: eventCount })
    if (events.length > 0) {
      const more = await world.store.read(runStream(idOf(run)), { fromSeq: headSeq + 1 })
      return more.length === 0
    }
    // Reading may take no time at all, but others must have theirs.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return false
}

function swap<A, B>(one: A, two: B): [B, A] {
  return [two, one]
}
