import { flow, type Schedule, schedule } from 'constancia'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Clocks, clocksAroundChanges, type Written, written } from './clocks.js'

const nothing = flow({ name: 'nothing', version: 1, run: async () => undefined })
const dayMs = 86_400_000

function scheduleOf(cron: string, timeZone: string): Schedule {
  return schedule({ name: 'tested', cron, timeZone, flow: nothing, input: null })
}

/** Every moment from one up to another at which a schedule is due. */
function dueMs(tested: Schedule, fromMs: number, untilMs: number): number[] {
  const found: number[] = []
  let nextMs = tested.nextAfter(fromMs - 1)
  while (nextMs !== undefined && nextMs < untilMs) {
    found.push(nextMs)
    nextMs = tested.nextAfter(nextMs)
  }
  return found
}

const shown = (momentsMs: readonly number[]): string[] => momentsMs.map((ms) => new Date(ms).toISOString())

const springMs = Date.UTC(2026, 2, 28, 23)
const autumnMs = Date.UTC(2026, 9, 24, 22)

describe('in Europe/Madrid', () => {
  const zone = 'Europe/Madrid'

  it('C18 a time of day is due exactly once on each day of the year, the two odd ones included', () => {
    const found = dueMs(scheduleOf('30 2 * * *', zone), Date.UTC(2025, 11, 31, 23), Date.UTC(2026, 11, 31, 23))
    const days = found.map((ms) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms))
    expect(days).toHaveLength(365)
    expect(new Set(days).size).toBe(365)
  })

  it('C18 a time that does not exist is due when the clocks have jumped over it', () => {
    expect(shown(dueMs(scheduleOf('30 2 * * *', zone), springMs, springMs + 23 * 3_600_000))).toEqual([
      '2026-03-29T01:00:00.000Z',
    ])
  })

  it('C18 a time that comes twice is due the first time', () => {
    expect(shown(dueMs(scheduleOf('30 2 * * *', zone), autumnMs, autumnMs + 25 * 3_600_000))).toEqual([
      '2026-10-25T00:30:00.000Z',
    ])
  })

  it('C18 every 30 minutes is 46 times on the short day and 50 times on the long one, half an hour apart', () => {
    const halfHourly = scheduleOf('*/30 * * * *', zone)
    for (const [fromMs, hours] of [
      [springMs, 23],
      [autumnMs, 25],
    ] as const) {
      const found = dueMs(halfHourly, fromMs, fromMs + hours * 3_600_000)
      expect(found).toHaveLength(hours * 2)
      expect(found.every((ms, index) => ms === fromMs + index * 1_800_000)).toBe(true)
    }
  })

  it('C18 several times of day are each due once, and those that were jumped over are due together', () => {
    const named = scheduleOf('0,30 1-3 * * *', zone)
    expect(shown(dueMs(named, springMs, springMs + 23 * 3_600_000)).map((text) => text.slice(11, 16))).toEqual([
      '00:00',
      '00:30',
      '01:00',
      '01:30',
    ])
    expect(shown(dueMs(named, autumnMs, autumnMs + 25 * 3_600_000)).map((text) => text.slice(11, 16))).toEqual([
      '23:00',
      '23:30',
      '00:00',
      '00:30',
      '02:00',
      '02:30',
    ])
  })

  it('C18 what repeats within an hour is due in both passes of it, and not at all where it does not exist', () => {
    const within = scheduleOf('*/20 2 * * *', zone)
    expect(dueMs(within, springMs, springMs + 23 * 3_600_000)).toEqual([])
    expect(dueMs(within, autumnMs, autumnMs + 25 * 3_600_000)).toHaveLength(6)
  })

  it('C18 what repeats every second goes on without a gap through both nights', () => {
    const seconds = scheduleOf('* * * * * *', zone)
    for (const ms of [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 9, 25, 2)]) {
      const found = dueMs(seconds, ms - 5_000, ms + 5_000)
      expect(found).toEqual(Array.from({ length: 10 }, (_, index) => ms - 5_000 + index * 1_000))
    }
  })
})

it('a day that a zone left out has no occurrence of its own', () => {
  // Samoa went from 29 to 31 December 2011.
  const found = dueMs(scheduleOf('30 12 * * *', 'Pacific/Apia'), Date.UTC(2011, 11, 28, 10), Date.UTC(2012, 0, 2, 10))
  expect(shown(found)).toEqual([
    '2011-12-28T22:30:00.000Z',
    '2011-12-29T22:30:00.000Z',
    '2011-12-30T22:30:00.000Z',
    '2011-12-31T22:30:00.000Z',
    '2012-01-01T22:30:00.000Z',
  ])
})

it('a time at the end of a day that is jumped over is due when the next day begins', () => {
  // Nuuk goes from 23:00 to 0:00.
  const found = dueMs(scheduleOf('30 23 * * *', 'America/Nuuk'), Date.UTC(2026, 2, 28, 2), Date.UTC(2026, 2, 30, 2))
  expect(shown(found)).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
})

it.each([
  ['0 12 L * *', ['2026-01-31', '2026-02-28', '2026-03-31']],
  ['0 12 15W * *', ['2026-01-15', '2026-02-16', '2026-03-16']],
  ['0 12 * * fri#2', ['2026-01-09', '2026-02-13', '2026-03-13']],
  ['0 12 * * monL', ['2026-01-26', '2026-02-23', '2026-03-30']],
  ['0 12 13 * +fri', ['2026-02-13', '2026-03-13', '2026-11-13']],
  ['0 12 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
  ['0 12 29 feb mon#5', ['2028-02-29', '2032-02-29', '2036-02-29']],
  ['0 0 12 1 jan * 2030,2033,2040', ['2030-01-01', '2033-01-01', '2040-01-01']],
  ['@yearly', ['2027-01-01', '2028-01-01', '2029-01-01']],
  ['@monthly', ['2026-02-01', '2026-03-01', '2026-04-01']],
  ['@weekly', ['2026-01-04', '2026-01-11', '2026-01-18']],
  ['@daily', ['2026-01-02', '2026-01-03', '2026-01-04']],
  ['30 10 * mar-may sun', ['2026-03-01', '2026-03-08', '2026-03-15']],
])('%s is due on the days that it names', (cron, days) => {
  const tested = scheduleOf(cron, 'UTC')
  const found: string[] = []
  for (let ms = tested.nextAfter(Date.UTC(2026, 0, 1, 18)); found.length < 3 && ms !== undefined; ) {
    found.push(new Date(ms).toISOString().slice(0, 10))
    ms = tested.nextAfter(ms)
  }
  expect(found).toEqual(days)
})

it('@hourly repeats, also through the hour that comes twice', () => {
  const found = dueMs(scheduleOf('@hourly', 'Europe/Madrid'), autumnMs, autumnMs + 25 * 3_600_000)
  expect(found).toHaveLength(25)
})

// Half an hour in Lord Howe, two in Troll, midnight in Beirut, Ramadan in Casablanca, the south in Sydney and Santiago.
const zones = [
  'Europe/Madrid',
  'America/New_York',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'America/Santiago',
  'America/Nuuk',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'UTC',
] as const

const yearMs = Date.UTC(2026, 0, 1)
const nextYearMs = Date.UTC(2027, 0, 1)

const fieldOf = (least: number, most: number, stars: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min: least, max: most })
  const range = fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`)
  const step = fc.integer({ min: 1, max: Math.min(20, most - least) })
  return fc.oneof(
    { weight: stars, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => values.join(',')) },
    { weight: 1, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([from, by]) => `${from}/${by}`) },
    { weight: 1, arbitrary: step.map((by) => `*/${by}`) },
  )
}

// Times at night come often: that is when clocks are set.
const nightly = fc.oneof({ weight: 2, arbitrary: fieldOf(0, 3, 1) }, { weight: 1, arbitrary: fieldOf(0, 23, 2) })
const noStepOfStar = (field: string): string => (field.startsWith('*/') ? '*' : field)
const patterns = fc
  .tuple(
    fieldOf(0, 59, 1),
    nightly,
    fieldOf(1, 31, 8).map(noStepOfStar),
    fieldOf(1, 12, 8),
    fieldOf(0, 6, 8).map(noStepOfStar),
  )
  .map((fields) => fields.join(' '))

// Not more than a few times a day.
const few = (least: number, most: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 }).map((values) => values.join(','))
const sparse = fc
  .tuple(
    few(0, 59),
    few(0, 23),
    fieldOf(1, 31, 4).map(noStepOfStar),
    fieldOf(1, 12, 4),
    fieldOf(0, 6, 4).map(noStepOfStar),
  )
  .map((fields) => fields.join(' '))

function compareWith(clocks: Clocks, tested: Schedule, pattern: Written): void {
  const expected = clocks.due(pattern)
  expect(shown(dueMs(tested, clocks.fromMs, clocks.untilMs)), pattern.cron).toEqual(shown(expected))
  // From any other moment it is the same, also within hours that come twice or are jumped over.
  const spanMs = (expected.at(-1) ?? clocks.fromMs) - clocks.fromMs
  for (let probe = 0; spanMs > 0 && probe < 50; probe += 1) {
    const fromMs = clocks.fromMs + ((probe * 7_919_317_001) % spanMs)
    expect(tested.nextAfter(fromMs), pattern.cron).toBe(expected.find((ms) => ms > fromMs))
  }
}

// What is never due is refused when it is declared; that is tested elsewhere.
function ifDue(cron: string, zone: string): Schedule | undefined {
  try {
    return scheduleOf(cron, zone)
  } catch (error) {
    if (error instanceof Error && error.message.includes('never due')) return undefined
    throw error
  }
}

describe.each(zones)('in %s', (zone) => {
  const changes = clocksAroundChanges(zone, yearMs, nextYearMs)

  it('C18 whatever the pattern, it is due when a walk over all minutes around each change of the clocks finds it', () => {
    const compare = (cron: string): void => {
      const tested = ifDue(cron, zone)
      if (tested !== undefined) for (const clocks of changes) compareWith(clocks, tested, written(cron))
    }
    fc.assert(fc.property(patterns, compare), { numRuns: 60 })
  })

  it('C18 what is due next after each minute around a change of the clocks is what the walk finds', () => {
    for (const cron of ['30 2 * * *', '*/30 * * * *', '0,15,45 0,1,2,3,23 * * *', '*/7 1-3 * * *', '0 0 * * *']) {
      const tested = scheduleOf(cron, zone)
      for (const clocks of changes) {
        const expected = clocks.due(written(cron))
        for (let fromMs = clocks.fromMs + dayMs; fromMs < clocks.untilMs - 1.5 * dayMs; fromMs += 119_500) {
          const nextMs = expected.find((ms) => ms > fromMs)
          if (tested.nextAfter(fromMs) !== nextMs) {
            expect(tested.nextAfter(fromMs), `${cron} after ${new Date(fromMs).toISOString()}`).toBe(nextMs)
          }
        }
      }
    }
    expect(changes.length).toBe(zone === 'UTC' || zone === 'Asia/Kathmandu' ? 0 : 2)
  })
})

describe.each(['Europe/Madrid', 'Australia/Lord_Howe', 'America/Santiago'] as const)('in %s', (zone) => {
  it('C18 a whole year is due when a walk over each of its 525,600 minutes finds it', () => {
    const clocks = new Clocks(zone, yearMs, nextYearMs)
    const compare = (cron: string): void => {
      const tested = ifDue(cron, zone)
      if (tested !== undefined) compareWith(clocks, tested, written(cron))
    }
    // The parser's own search leaves out 1 March for the last of these.
    for (const cron of ['30 2 * * *', '0 0 * * *', '15 */2 * * *', '5 0,1,2,3 * * 0', '0 9-17/2 1-7 * 1']) compare(cron)
    fc.assert(fc.property(sparse, compare), { numRuns: 25 })
  })
})

it('the next occurrence is found in less than a millisecond, also around changes of the clocks and years ahead', () => {
  const fromMs = Date.UTC(2026, 9, 25)
  for (const cron of ['30 2 * * *', '*/30 * * * *', '* * * * * *', '0 12 29 2 *', '0 0 1 1 *', '* * 2 * * *']) {
    const tested = scheduleOf(cron, 'Europe/Madrid')
    for (let warm = 0; warm < 300; warm += 1) tested.nextAfter(fromMs + warm * 60_000)
    // The fastest of a few rounds: the machine does other things as well.
    const rounds = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      for (let count = 0; count < 100; count += 1) tested.nextAfter(fromMs + count * 60_000)
      const { user, system } = process.cpuUsage(before) // What this process took, whatever else the machine does.
      return (user + system) / 1_000 / 100
    })
    expect(Math.min(...rounds), cron).toBeLessThan(1)
  }
})
