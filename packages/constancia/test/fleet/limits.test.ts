import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Judge, type Standing } from './limits-judge.js'
import { LimitsScene } from './limits-scene.js'

const timeout = 240_000

test('R-B12 limits hold over three worker processes, some of which are killed: no more runs of a flow, or of a key, are executed at once', {
  timeout,
}, async (context) => {
  const bounds = { running: 4, runningPerKey: 2 }
  const judge = new Judge({ limited: bounds })
  const scene = await LimitsScene.open(context, { judge, concurrency: 6 })
  const ids = Array.from({ length: 30 }, (_, no) => `r${no}`)
  const starting = ids.map((id, no) => scene.start('limited', id, { key: `k${no % 3}` }))
  await Promise.all([...starting, scene.workers(3)])
  for (let killed = 0; killed < 2; killed += 1) {
    // All places are taken, though the workers had more: of three keys one has both of its places taken.
    await judge.until(() => judge.standing.length === bounds.running, 'all places are taken')
    const [victim] = judge.standing as [Standing]
    const knockCount = judge.knocks.length
    const keptPlaces = judge.standing.filter(({ worker }) => worker !== victim.worker).length
    await Promise.all([scene.kill(victim.worker), scene.workers(1)])
    // Its places are not given away before its leases end: nobody can know that it is dead.
    await pause(250)
    expect([judge.standing.length, judge.knocks.length]).toEqual([keptPlaces, knockCount])
    expect(await scene.heldCount('limited')).toBe(bounds.running)
    await scene.expire(victim.worker)
    await judge.until(() => judge.standing.some(({ run }) => run === victim.run), 'somebody else takes its run')
    await judge.until(() => judge.standing.length === bounds.running, 'all places are taken again')
    for (const one of judge.standing.slice(0, 3)) judge.letGo(one)
  }
  judge.letAllGo()
  await Promise.all(ids.map((id) => scene.result(id)))
  expect(judge.offences).toEqual([])
  expect(new Set(judge.knocks.map(({ run }) => run)).size).toBe(ids.length)
  expect(new Set(judge.knocks.map(({ worker }) => worker)).size).toBeGreaterThanOrEqual(3)
})

test('R-B12 a flood of one flow leaves another its turns on every one of three worker processes, also when one is killed', {
  timeout,
}, async (context) => {
  const judge = new Judge()
  const scene = await LimitsScene.open(context, { judge, concurrency: 2 })
  const flood = Array.from({ length: 100 }, (_, no) => scene.start('many', `m${no}`, {}))
  await Promise.all([...flood, scene.workers(3)])
  await judge.until(() => judge.standing.length === 6, 'the workers are full of the flood')
  const few = Array.from({ length: 9 }, (_, no) => `f${no}`)
  for (const id of few) await scene.start('few', id, {})
  const before = judge.knocks.length
  const turns = (): readonly Standing[] => judge.knocks.slice(before)
  const fewOf = (): number => turns().filter(({ flow }) => flow === 'few').length
  while (fewOf() < few.length) {
    await nextAfter(judge, judge.standing[0] as Standing)
    if (turns().length !== 5) continue
    const { worker } = judge.standing[0] as Standing
    await scene.kill(worker)
    await scene.expire(worker)
  }
  // Each worker takes one of each in turn; the killed one's may be taken again.
  expect(turns().length - fewOf()).toBeLessThanOrEqual(fewOf() + 3)
  expect(new Set(turns().map(({ worker }) => worker)).size).toBeGreaterThanOrEqual(2)
  expect(judge.offences).toEqual([])
})

test('R-B12 priorities decide which run any of three worker processes takes first, also of those that a killed one had', {
  timeout,
}, async (context) => {
  const judge = new Judge()
  const scene = await LimitsScene.open(context, { judge, concurrency: 2 })
  const start = (id: string, rank: number): Promise<unknown> => scene.start('ranked', id, { rank }, rank)
  await Promise.all([...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => start(id, 0)), scene.workers(3)])
  await judge.until(() => judge.standing.length === 6, 'the workers are full')
  const ranks = [-5, 5, 0, 5, -5, 0, 5, 0, -5, 5, 0, 5, -5, 0, 5]
  for (const [no, rank] of ranks.entries()) await start(`r${no}`, rank)
  const early = (): Standing => judge.standing.find(({ rank }) => rank === 0) ?? (judge.standing[0] as Standing)
  for (let count = 0; count < 3; count += 1) await nextAfter(judge, early())
  const taken = judge.knocks.slice(6)
  expect(taken.map(({ run }) => run)).toEqual(['r1', 'r3', 'r6'])
  // Whoever has one of them dies: that one comes before all that is less urgent, and before what is due later.
  const victim = taken[0] as Standing
  await scene.kill(victim.worker)
  await scene.expire(victim.worker)
  const lost = taken.filter(({ worker }) => worker === victim.worker).length
  const survivor = (): Standing => judge.standing.find(({ run }) => !run.startsWith('r')) ?? early()
  for (let count = 0; count < lost; count += 1) await nextAfter(judge, survivor())
  const again = judge.knocks.slice(9, 9 + lost).map(({ run }) => run)
  expect(again.sort()).toEqual(
    taken
      .filter(({ worker }) => worker === victim.worker)
      .map(({ run }) => run)
      .sort(),
  )
  const left = ranks.length - 3 + (2 - lost)
  for (let count = 0; count < left; count += 1) await nextAfter(judge, judge.standing[0] as Standing)
  const order = judge.knocks.slice(9 + lost).map(({ rank }) => rank as number)
  expect(order).toHaveLength(left)
  expect(order).toEqual([...order].sort((a, b) => b - a))
  expect(order.filter((rank) => rank === 5)).toHaveLength(3)
  expect(judge.offences).toEqual([])
})

const nights = [
  {
    night: 'March',
    from: '2026-03-29T00:10:00Z',
    halves: ['2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'],
    dailyAt: '2026-03-29T01:00:00Z',
  },
  {
    night: 'October',
    from: '2026-10-24T23:40:00Z',
    halves: ['00:00', '00:30', '01:00', '01:30', '02:00'].map((time) => `2026-10-25T${time}:00Z`),
    dailyAt: '2026-10-25T00:30:00Z',
  },
]

test.for(nights)(
  'C18 R-A10 of three worker processes with the same schedules none starts an occurrence again, in the night of $night, though some are killed',
  {
    timeout,
  },
  async ({ from, halves, dailyAt }, context) => {
    const judge = new Judge()
    const schedules = { halves: '*/30 * * * *', daily: '30 2 * * *' }
    const scene = await LimitsScene.open(context, { judge, concurrency: 4, schedules, startMs: Date.parse(from) })
    await scene.workers(3)
    for (const moment of halves) {
      const due = [`halves:${moment}`, ...(moment === dailyAt ? [`daily:${moment}`] : [])]
      await scene.jump(Date.parse(moment))
      const stands = (run: string): boolean => judge.standing.some((one) => one.run === run)
      await judge.until(() => due.every(stands), `${due.join(' and ')} are executed`)
      if (moment === dailyAt) {
        // Whoever has the run of an occurrence dies with it, and perhaps with the schedule's own.
        const { worker } = judge.standing.find(({ run }) => run === due[0]) as Standing
        await Promise.all([scene.kill(worker), scene.workers(1)])
        await scene.expire(worker)
        await judge.until(() => due.every(stands), `${due.join(' and ')} are executed by others`)
      }
      for (const one of judge.standing) judge.letGo(one)
      await Promise.all(due.map((run) => scene.result(run)))
    }
    expect((await scene.idsOf('report')).sort()).toEqual(
      [...halves.map((moment) => `halves:${moment}`), `daily:${dailyAt}`].sort(),
    )
    expect(judge.offences).toEqual([])
  },
)

/** Lets one go, and waits until somebody has taken its place. */
async function nextAfter(judge: Judge, one: Standing): Promise<void> {
  const count = judge.knocks.length
  judge.letGo(one)
  await judge.untilKnocks(count + 1)
}
