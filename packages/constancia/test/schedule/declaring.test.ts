import { flow, type Runtime, type Schedule, type ScheduleDeclaration, schedule } from 'constancia'
import { expect, it } from 'vitest'
import { World } from './world.js'

type Options = Partial<ScheduleDeclaration<{ readonly of: string }>>

const id = 'schedule:tested'

const declared = (world: World, options: Options = {}): Schedule =>
  schedule({
    name: 'tested',
    cron: '*/30 * * * *',
    timeZone: 'Europe/Madrid',
    flow: world.report,
    input: { of: 'everything' },
    ...options,
  })

async function declarationCount(runtime: Runtime): Promise<number> {
  return (await runtime.run(id).events()).filter(({ kind }) => kind === 'SignalReceived').length
}

it('C18 a schedule that is edited between the two occurrences of the doubled hour goes by its new pattern from then on', async () => {
  const world = new World('2026-10-24T23:10:00Z')
  await world.up([declared(world)])
  await world.goTo('2026-10-25T00:45:00Z') // 02:45 for the first time.
  expect(world.taken()).toEqual(['2026-10-24T23:30:00Z', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z'])
  await world.up([declared(world, { cron: '20,40 * * * *' })])
  await world.goTo('2026-10-25T02:30:00Z')
  expect(world.taken()).toEqual(['2026-10-25T01:20:00Z', '2026-10-25T01:40:00Z', '2026-10-25T02:20:00Z'])
})

it('C18 a daily time that came once is not due again when it is edited to itself between its two occurrences', async () => {
  const world = new World('2026-10-24T23:10:00Z')
  await world.up([declared(world, { cron: '30 2 * * *' })])
  await world.goTo('2026-10-25T00:45:00Z')
  await world.up([declared(world, { cron: '30 2 * * *', input: { of: 'something else' } })])
  await world.goTo('2026-10-25T12:00:00Z')
  expect(world.taken()).toEqual(['2026-10-25T00:30:00Z'])
})

it('what was due before an edit is treated as it was declared then', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  await world.down(await world.up([declared(world, { missed: 'all', lateMs: 0 })]))
  world.clock.advanceTo(Date.parse('2026-05-01T02:10:00Z'))
  const runtime = await world.up([
    declared(world, { cron: '5,45 * * * *', missed: 'all', lateMs: 0, input: { of: 'b' } }),
  ])
  await world.goTo('2026-05-01T03:10:00Z')
  expect(world.taken()).toEqual([
    '2026-05-01T00:30:00Z',
    '2026-05-01T01:00:00Z',
    '2026-05-01T01:30:00Z',
    '2026-05-01T02:00:00Z',
    '2026-05-01T02:45:00Z',
    '2026-05-01T03:05:00Z',
  ])
  const inputOf = async (run: string): Promise<unknown> => JSON.parse((await runtime.run(run).events())[0]!.data!)
  expect(await inputOf('tested:2026-05-01T02:00:00Z')).toEqual({ of: 'everything' })
  expect(await inputOf('tested:2026-05-01T02:45:00Z')).toEqual({ of: 'b' })
})

it('R-A10 whoever opens with the same declaration adds nothing, and A, B and A again are three declarations', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const a = declared(world)
  const b = declared(world, { cron: '0 * * * *' })
  const first = await world.up([a])
  await world.up([a])
  expect(await declarationCount(first)).toBe(1)
  await Promise.all([world.up([b]), world.up([b]), world.up([b])])
  expect(await declarationCount(first)).toBe(2)
  await Promise.all([world.up([a]), world.up([a])])
  expect(await declarationCount(first)).toBe(3)
  await world.goTo('2026-05-01T01:40:00Z')
  expect(world.taken()).toEqual(['2026-05-01T00:30:00Z', '2026-05-01T01:00:00Z', '2026-05-01T01:30:00Z'])
})

it('a schedule whose declaration was removed is parked: nothing is started until somebody declares it again', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const tested = declared(world, { missed: 'skip' })
  await world.down(await world.up([tested]))
  const without = await world.up([])
  await world.goTo('2026-05-01T01:50:00Z')
  expect(world.taken()).toEqual([])
  expect((await without.runs({ flow: 'schedule.tested' })).items[0]).toMatchObject({ status: 'waiting' })
  await world.down(without)
  await world.up([tested])
  await world.goTo('2026-05-01T02:10:00Z')
  expect(world.taken()).toEqual(['2026-05-01T02:00:00Z'])
})

it('R-B8 a schedule whose run was cancelled starts nothing any more, and whoever declares it is told', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const tested = declared(world)
  const runtime = await world.up([tested])
  await runtime.run(id).cancel()
  await world.calm()
  expect((await runtime.run(id).row()).status).toBe('cancelled')
  await world.down(runtime)
  await world.up([tested])
  await world.goTo('2026-05-01T02:10:00Z')
  expect(world.taken()).toEqual([])
  expect(world.warnings).toEqual([expect.stringContaining('Schedule tested is not due any more')])
})

it('R-G7 a schedule that is over, and whose declarations were erased, keeps no process from starting', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const runtime = await world.up([declared(world)])
  expect(await declarationCount(runtime)).toBe(1)
  await runtime.run(id).cancel()
  await world.calm()
  await world.down(runtime)
  await world.erase(id)
  await world.up([declared(world)])
  expect(world.warnings).toEqual([expect.stringContaining('Schedule tested is not due any more')])
})

it('a process that only looks declares nothing', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const looking = await world.up([declared(world)], false)
  expect((await looking.runs()).items).toEqual([])
})

it('what anybody else sends to the run of a schedule changes nothing', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const runtime = await world.up([declared(world)])
  for (const junk of [null, 7, 'x', {}, { cron: '* * * * *' }, []]) await runtime.run(id).signal('declared', junk)
  await world.goTo('2026-05-01T01:10:00Z')
  expect(world.taken()).toEqual(['2026-05-01T00:30:00Z', '2026-05-01T01:00:00Z'])
  await world.up([declared(world, { cron: '0 * * * *' })])
  await world.goTo('2026-05-01T02:10:00Z')
  expect(world.taken()).toEqual(['2026-05-01T02:00:00Z'])
})

it('a schedule that will never be due again waits for another declaration', async () => {
  const world = new World('2099-12-31T22:30:00Z')
  const runtime = await world.up([declared(world, { cron: '0 0 23 31 12 * 2099', timeZone: 'UTC' })])
  await world.goTo('2100-02-01T00:00:00Z')
  expect(world.taken()).toEqual(['2099-12-31T23:00:00Z'])
  expect((await runtime.run(id).row()).waitingFor).toMatchObject([{ kind: 'signal', name: 'declared' }])
  await world.up([declared(world, { cron: '0 * * * *', timeZone: 'UTC' })])
  await world.goTo('2100-02-01T01:00:00Z')
  expect(world.taken()).toEqual(['2100-02-01T01:00:00Z'])
})

it('a run of a flow of its own that has the id of a schedule is not touched, and opening says so', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  const runtime = await world.up([])
  await runtime.start(world.report, { of: 'mine' }, { id })
  await expect(world.up([declared(world)])).rejects.toMatchObject({ code: 'run_exists' })
})

const nothing = flow({ name: 'nothing', version: 1, run: async () => undefined })

it.each([
  [
    'a pattern that does not parse',
    { cron: '61 * * * *' },
    /"61 \* \* \* \*" .* does not parse: Invalid value for minute: 61/,
  ],
  ['a pattern with too few fields', { cron: '* * *' }, /3 fields instead of 5/],
  ['no pattern', { cron: '' }, /0 fields instead of 5/],
  ['a date', { cron: '2026-12-24T18:00:00' }, /1 fields instead of 5/],
  ['a pattern that is no text', { cron: 5 }, /a text, but it was a number/],
  ['a start of the machine', { cron: '@reboot' }, /not supported/],
  ['a day that no month has', { cron: '0 0 31 2 *' }, /never due in UTC from now on: no calendar has such a day/],
  ['30 February', { cron: '0 0 30 2 *' }, /never due/],
  ['29 February of another year', { cron: '0 0 0 29 2 * 2099' }, /never due/],
  ['a year in the past', { cron: '0 0 0 1 1 * 2020' }, /never due in UTC from now on: all of its moments have passed/],
  ['an hour that does not exist', { cron: '0 */30 2 29 3 * 2099', timeZone: 'Europe/Madrid' }, /never due/],
  ['an unknown time zone', { timeZone: 'Europe/Atlantis' }, /time zone "Europe\/Atlantis", which is unknown here/],
  ['an offset as a time zone', { timeZone: '+01:00' }, /unknown here/],
  ['no time zone', { timeZone: undefined }, /timeZone .* is a text/],
  ['a name with a colon', { name: 'a:b' }, /name is 1 to 100 of the characters/],
  ['a name with a tilde', { name: 'a~b' }, /name is 1 to 100/],
  ['an empty name', { name: '' }, /name is 1 to 100/],
  ['a long name', { name: 'x'.repeat(101) }, /name is 1 to 100/],
  ['an unknown policy', { missed: 'some' }, /'skip', 'latest' or 'all', but it was "some"/],
  ['a bound of nothing', { missedMax: 0 }, /missedMax .* from 1 to 1,000, but it was 0/],
  ['a lateness that is no number', { lateMs: Number.NaN }, /lateMs .* from 0 to a day, but it was NaN/],
  ['an actor that is no id', { actor: 'two words' }, /actor/],
  ['no flow', { flow: undefined }, /flow/],
])('%s is refused when it is declared, with the reason', (_what, options, reason) => {
  const whole = { name: 'tested', cron: '0 * * * *', timeZone: 'UTC', flow: nothing, input: null, ...options }
  const declare = (): Schedule => schedule(whole as ScheduleDeclaration<unknown>)
  expect(declare).toThrow(expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(reason) }))
})

it('an input that cannot be kept is refused when it is declared', () => {
  const input = { callback: () => undefined }
  const declare = (): Schedule => schedule({ name: 'tested', cron: '0 * * * *', timeZone: 'UTC', flow: nothing, input })
  expect(declare).toThrow(expect.objectContaining({ code: 'not_serializable' }))
})

it('two schedules of one name are refused when they are opened', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  await expect(world.up([declared(world), declared(world)])).rejects.toMatchObject({ code: 'invalid_option' })
})

it('the longest name has runs like any other', async () => {
  const world = new World('2026-05-01T00:10:00Z')
  await world.up([declared(world, { name: 'x'.repeat(100), actor: 'somebody' })])
  await world.goTo('2026-05-01T00:30:00Z')
  expect(world.taken()).toEqual(['2026-05-01T00:30:00Z'])
})
