import { type FlowContext, flow, type RunRow, type Schedule, type ScheduleDeclaration, schedule } from 'constancia'
import { describe, expect, it, vi } from 'vitest'
import { stores } from '../engine/stores.js'
import { every, World } from './world.js'

type Options = Partial<ScheduleDeclaration<{ readonly of: string }>>

const declared = (world: World, options: Options = {}): Schedule =>
  schedule({
    name: 'tested',
    cron: '*/30 * * * *',
    timeZone: 'Europe/Madrid',
    flow: world.report,
    input: { of: 'everything' },
    ...options,
  })

const daily = { cron: '30 2 * * *' }

describe.each(stores)('on %s', (store) => {
  it('C18 R-B3 a daily schedule starts exactly one run a day over both changes of the clocks', async () => {
    const spring = new World('2026-03-27T12:00:00Z', store)
    await spring.up([declared(spring, daily)])
    await spring.goTo('2026-03-30T12:00:00Z')
    expect(spring.taken()).toEqual(['2026-03-28T01:30:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'])
    const autumn = new World('2026-10-23T12:00:00Z', store)
    await autumn.up([declared(autumn, daily)])
    await autumn.goTo('2026-10-26T12:00:00Z')
    expect(autumn.taken()).toEqual(['2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'])
  })

  it('C18 R-B3 a half-hourly schedule starts 46 runs on the short day and 50 on the long one', async () => {
    const spring = new World('2026-03-28T22:59:59Z', store)
    await spring.up([declared(spring)])
    await spring.goTo('2026-03-29T21:59:59Z')
    expect(spring.taken()).toEqual(every(30, '2026-03-28T23:00Z', '2026-03-29T21:30Z'))
    const autumn = new World('2026-10-24T21:59:59Z', store)
    await autumn.up([declared(autumn)])
    await autumn.goTo('2026-10-25T22:59:59Z')
    const taken = autumn.taken()
    expect(taken).toHaveLength(50)
    expect(taken).toEqual(every(30, '2026-10-24T22:00Z', '2026-10-25T22:30Z'))
  })

  it('C18 R-A10 two workers on one store start no occurrence twice, and leave none out', async () => {
    const world = new World('2026-10-24T21:59:59Z', store)
    const both = [declared(world), declared(world, { name: 'daily', ...daily })]
    const [one] = [await world.up(both), await world.up(both)]
    await world.goTo('2026-10-25T22:59:59Z')
    expect(world.executed.filter((id) => id.startsWith('tested:'))).toEqual(
      every(30, '2026-10-24T22:00Z', '2026-10-25T22:30Z').map((moment) => `tested:${moment}`),
    )
    expect(world.executed.filter((id) => id.startsWith('daily:'))).toEqual(['daily:2026-10-25T00:30:00Z'])
    expect((await one.run('schedule:tested').row()).status).toBe('waiting')
  })
})

describe.each([
  { night: 'March', down: '2026-03-29T00:00:00Z', up: '2026-03-29T02:00:00Z', dailyAt: '2026-03-29T01:00:00Z' },
  { night: 'October', down: '2026-10-24T23:00:00Z', up: '2026-10-25T03:00:00Z', dailyAt: '2026-10-25T00:30:00Z' },
])('C18 a worker that is down from 01:00 to 04:00 of the night in $night', ({ down, up, dailyAt }) => {
  const later = new Date(Date.parse(up) + 3_600_000).toISOString()
  const afterwards = every(30, up, later)
  const missed = every(30, down, up).slice(1, -1)

  async function away(options: Options, until = later): Promise<string[]> {
    const world = new World(new Date(Date.parse(down) - 1_000).toISOString())
    const tested = declared(world, options)
    const first = await world.up([tested])
    await world.goTo(down)
    await world.down(first)
    world.taken()
    world.clock.advanceTo(Date.parse(up))
    await world.up([tested])
    await world.goTo(until)
    return world.taken()
  }

  it('with skip leaves out what it missed', async () => {
    expect(await away({ missed: 'skip' })).toEqual(afterwards)
    expect(await away({ missed: 'skip', ...daily })).toEqual([])
  })

  it('with latest starts the latest once, which is the one that is on time where there is one', async () => {
    expect(await away({ missed: 'latest' })).toEqual(afterwards)
    expect(await away({ missed: 'latest', cron: '10,40 * * * *' })).toEqual([
      missed.at(-1)!.replace(':30:', ':40:'),
      ...every(30, up.replace(':00:00', ':10:00'), later),
    ])
    expect(await away({ missed: 'latest', ...daily })).toEqual([dailyAt])
  })

  it('with all starts every one of them, once, the oldest first', async () => {
    expect(await away({ missed: 'all' })).toEqual([...missed, ...afterwards])
    expect(await away({ missed: 'all', ...daily })).toEqual([dailyAt])
  })

  it('with all and a bound starts the latest ones, never a storm', async () => {
    expect(await away({ missed: 'all', missedMax: 2 })).toEqual([...missed.slice(-2), ...afterwards])
    // Due every second, three hours of it: what is on time, and 50 more.
    const storm = await away({ missed: 'all', cron: '* * * * * *', missedMax: 50, lateMs: 2_000 }, up)
    const endMs = Date.parse(up)
    expect(storm).toEqual(every(1 / 60, new Date(endMs - 52_000).toISOString(), up))
    expect(await away({ missed: 'latest', cron: '* * * * * *', lateMs: 0 }, up)).toEqual(every(1, up, up))
  })
})

it('an occurrence within lateMs is on time whatever is declared about missed ones, and a moment later it is missed', async () => {
  for (const [lateMs, taken] of [
    [600_000, ['2026-05-01T00:30:00Z']],
    [599_999, []],
  ] as const) {
    const world = new World('2026-05-01T00:20:00Z')
    const tested = declared(world, { missed: 'skip', lateMs })
    await world.down(await world.up([tested]))
    world.clock.advanceTo(Date.parse('2026-05-01T00:40:00Z'))
    await world.up([tested])
    expect(world.taken()).toEqual(taken)
  }
})

it('what a schedule left out is in its journal', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const tested = declared(world)
  await world.down(await world.up([tested]))
  world.clock.advanceTo(Date.parse('2026-05-03T00:10:00Z'))
  const runtime = await world.up([tested])
  expect(world.taken()).toEqual(['2026-05-03T00:00:00Z'])
  const last = (await runtime.run('schedule:tested').events()).findLast(({ kind }) => kind === 'StepCompleted')
  expect(JSON.parse(last!.data!)).toMatchObject({
    started: ['tested:2026-05-03T00:00:00Z'],
    skipped: ['tested:2026-05-01T00:30:00Z', 'tested:2026-05-02T23:30:00Z'],
  })
})

it.each(stores)(
  'R-A4 on %s, a replay of a schedule comes to the same without asking a calendar or the database of time zones',
  async (store) => {
    const world = new World('2026-10-24T21:59:59Z', store)
    await world.down(await world.up([declared(world)]))
    const worker = await world.up([declared(world, { cron: '*/20 * * * *' })])
    await world.goTo('2026-10-25T03:00:00Z')
    await world.down(worker)
    const looking = await world.up([declared(world)], false)
    const asked = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(() => {
      throw new Error('The database of time zones was asked.')
    })
    try {
      expect(await looking.rehearse('schedule:tested')).toMatchObject({ kind: 'replays' })
      expect(asked).not.toHaveBeenCalled()
    } finally {
      asked.mockRestore()
    }
  },
)

it.each(stores)(
  'C16 R-B3 on %s, a schedule that is due once a year is due once, after the year, and holds no timer of its own',
  async (store) => {
    const world = new World('2026-01-01T00:00:01Z', store)
    const tested = declared(world, { cron: '0 0 1 1 *', timeZone: 'UTC' })
    await world.down(await world.up([tested]))
    expect(world.clock.armedCount).toBe(0)
    world.clock.advanceTo(Date.parse('2026-12-31T23:59:59Z'))
    await world.up([tested])
    expect(world.taken()).toEqual([])
    await world.goTo('2027-06-01T00:00:00Z')
    expect(world.taken()).toEqual(['2027-01-01T00:00:00Z'])
  },
)

it.each(stores)('R-B4 on %s, a version of a flow that this process does not have is waited for', async (store) => {
  const world = new World('2026-05-01T00:10:00Z', store)
  const old = declared(world)
  const executed: string[] = []
  const run = (ctx: FlowContext): Promise<void> => ctx.step('write', () => void executed.push(ctx.runId))
  const fresh = declared(world, { flow: flow({ name: 'report', version: 2, run }) })
  const behind = await world.up([old])
  await world.down(await world.up([fresh])) // The last to open; the process that is left does not have version 2.
  await world.goTo('2026-05-01T00:31:00Z')
  expect((await behind.run('schedule:tested').row()).waitingFor).toMatchObject([{ kind: 'signal' }, { kind: 'retry' }])
  await world.down(behind)
  await world.up([fresh])
  await world.goTo('2026-05-01T00:40:00Z')
  expect(executed).toEqual(['tested:2026-05-01T00:30:00Z'])
})

it('a schedule goes on as another run before its journal grows long, and loses nothing', async () => {
  const world = new World('2026-05-01T00:00:00Z')
  const runtime = await world.up([declared(world, { cron: '* * * * *' })])
  await world.goTo('2026-05-01T06:00:00Z')
  expect(world.taken()).toEqual(every(1, '2026-05-01T00:01Z', '2026-05-01T06:00Z'))
  const { items } = await runtime.runs({ flow: 'schedule.tested' })
  const byId = (id: string): RunRow | undefined => items.find((row) => row.id === id)
  expect(items).toHaveLength(2)
  expect(byId('schedule:tested')?.continuedAs).toBe('schedule:tested~r1')
  expect(byId('schedule:tested~r1')?.status).toBe('waiting')
  for (const { head } of items) expect(head.seq).toBeLessThan(1_010)
  // Declared anew, it is the latest that learns of it.
  await world.down(runtime)
  await world.up([declared(world, { cron: '30 * * * *' })])
  await world.goTo('2026-05-01T08:00:00Z')
  expect(world.taken()).toEqual(['2026-05-01T06:30:00Z', '2026-05-01T07:30:00Z'])
}, 60_000)

it('a run that cannot be started is noted, and the schedule goes on', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const refusal = { issues: [{ message: 'no' }] }
  const strict = flow({
    name: 'strict',
    version: 1,
    input: { '~standard': { version: 1, vendor: 'test', validate: () => refusal } },
    run: async () => null,
  })
  const tested = schedule({ name: 'tested', cron: '* * * * *', timeZone: 'UTC', flow: strict, input: 1 })
  const runtime = await world.up([tested])
  await world.goTo('2026-05-01T00:12:00Z')
  expect(world.warnings).toHaveLength(2)
  expect(world.warnings[0]).toContain('tested:2026-05-01T00:11:00Z')
  expect((await runtime.run('schedule:tested').row()).status).toBe('waiting')
})
