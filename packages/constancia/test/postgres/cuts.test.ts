import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import { type Cut, Lane, type Life } from './cut-life.js'
import { databaseUrl } from './database.js'
import { positions, type Question } from './sql-proxy.js'

/**
 * Cuts the connection of one flow's process at five places of every message of its life: that of a worker which is there, and
 * that of one which opens its store for it and beats while it works.
 */
const laneCount = 6
let lanes: Lane[]

beforeAll(async () => {
  const url = await databaseUrl()
  lanes = await Promise.all(Array.from({ length: laneCount }, () => Lane.open(url)))
}, 600_000)

afterAll(() => Promise.all(lanes.map((lane) => lane.close())))

type Way = 'live' | 'liveAnew'

interface Tried {
  readonly cut: Cut
  readonly life: Life
}

// Each lane takes the next cut that nobody has taken.
async function tryAll(cuts: readonly Cut[], way: Way): Promise<Tried[]> {
  const left = [...cuts]
  const tried: Tried[] = []
  await Promise.all(
    lanes.map(async (lane) => {
      for (let cut = left.shift(); cut !== undefined; cut = left.shift())
        tried.push({ cut, life: await lane.cut(cut, lane[way]) })
    }),
  )
  return tried
}

function cutsAt(questions: readonly Question[]): Cut[] {
  return questions.flatMap((question) => positions.map((position) => ({ ...question, position })))
}

function judge(tried: readonly Tried[], uncut: Life): void {
  for (const { cut, life } of tried) {
    const place = `${cut.position} of ${cut.sql} (${cut.no})`
    expect([place, life.facts]).toEqual([place, uncut.facts])
    expect([place, life.executed]).toEqual([place, uncut.executed])
  }
}

test('T9 C46 B3 a flow whose connection is cut at each of 5 places of any message of its life has the same journal, and each effect once', {
  timeout: limitMs,
}, async () => {
  const [lane] = lanes as [Lane]
  await lane.live()
  const { life, questions: all } = await lane.record(lane.live)
  const anew = await lane.record(lane.liveAnew)
  // A worker that is there beats, and says that it is there, in some lives only.
  const questions = all.filter(({ sql }) => !isOfHeart(sql))
  expect([life.facts.length, Object.values(life.executed)]).toEqual([6, [1]])
  expect(anew.life.facts).toEqual(life.facts)
  const known = new Set(questions.map(({ sql }) => sql))
  const opening = anew.questions.filter(({ sql }) => !known.has(sql))
  expect(opening.filter(({ sql }) => sql.includes('RETURNING held.id'))).toHaveLength(1)
  const tried = [...(await tryAll(cutsAt(opening), 'liveAnew')), ...(await tryAll(cutsAt(questions), 'live'))]
  judge(tried, life)
  report('cuts', tried)
  for (const position of positions) {
    const fired = tried.filter(({ cut, life: { cutCount } }) => cutCount > 0 && cut.position === position)
    expect(fired.length, position).toBeGreaterThan(20)
  }
  await verifyAll(tried.length)
})

function isOfHeart(sql: string): boolean {
  return sql === 'connect' || sql.includes('RETURNING held.id') || sql.includes('alive_until')
}

test.runIf(isCampaign)(
  'T9 C46 twelve flows, cut at each of 5 places of any message of their lives',
  {
    timeout: limitMs,
  },
  async () => {
    const [lane] = lanes as [Lane]
    for (let planNo = 0; planNo < 12; planNo += 1) {
      await Promise.all(lanes.map((one) => one.turnTo(planNo)))
      await lane.live()
      const { life, questions } = await lane.record(lane.live)
      const tried = await tryAll(cutsAt(questions), 'live')
      judge(tried, life)
      report(`cuts-${planNo}`, tried)
    }
    await Promise.all(lanes.map((one) => one.turnTo(0)))
  },
)

function report(name: string, tried: readonly Tried[]): void {
  const fired = tried.filter(({ life: { cutCount } }) => cutCount > 0)
  const counts = new Map<string, number>()
  for (const { cut } of fired) counts.set(cut.sql, (counts.get(cut.sql) ?? 0) + 1)
  const lines = [...counts].map(([sql, count]) => `${String(count).padStart(5)} at ${sql.slice(0, 80)}`)
  keep(name, { table: () => [`${fired.length} connections were cut in ${tried.length} lives`, ...lines].join('\n') })
  // How often a life looks for due runs differs, so some places are missed; but no kind of message, at none of the places.
  const missed = tried.filter(({ cut, life: { cutCount } }) => cut.no === 0 && cutCount === 0)
  expect(missed.map(({ cut }) => `${cut.position} of ${cut.sql}`)).toEqual([])
  expect(fired.length).toBeGreaterThan(tried.length / 2)
}

async function verifyAll(countMin: number): Promise<void> {
  const counts = await Promise.all(lanes.map((lane) => lane.verifyAll()))
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(countMin)
  // What nobody had heard the end of was looked for: at least where a write or its answer was lost.
  expect(lanes.reduce((sum, lane) => sum + lane.readBackCount, 0)).toBeGreaterThan(10)
}
