import { AssertionError } from 'node:assert'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { days, type Flow, type FlowContext, flow, open } from '../../dist/index.js'
import {
  type CrashTestOptions,
  crashTest,
  type Destination,
  firstDifference,
  Ledger,
  memory,
  memoryCrashDisk,
  memoryDisk,
  ScriptedClock,
} from '../../dist/testing/index.js'

type Options = Omit<CrashTestOptions<undefined>, 'flow' | 'input'>

function flowOf(run: (ctx: FlowContext) => Promise<unknown>): Flow<undefined, unknown> {
  return flow<undefined>({ name: 'under-test', version: 1, run })
}

/** What a crash test says of a flow that it must not pass. */
async function complaint(run: (ctx: FlowContext) => Promise<unknown>, options: Options = {}): Promise<string> {
  const outcome = await crashTest({ flow: flowOf(run), input: undefined, ...options }).then(
    (report) => report.table(),
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(AssertionError)
  return (outcome as AssertionError).message
}

/** A destination without a memory for keys: it counts. */
class Counter implements Destination {
  count = 0

  reset(): void {
    this.count = 0
  }

  accepted(): Readonly<Record<string, unknown>> {
    return { count: this.count }
  }
}

describe('the crash test fails', () => {
  test('R-A5 for a flow that names a step by chance', async () => {
    const said = await complaint(async (ctx) => {
      await ctx.step(`step ${Math.random()}`, () => 1)
      await ctx.step('last', () => 2)
    })
    expect(said).toMatch(
      /^Two runs without a crash differ, so none with a crash was tried: event 1 is StepCompleted .*"step 0\.\d+".* where the run without a crash has StepCompleted/,
    )
  })

  test('R-A5 for a flow that sleeps by the clock of the machine', async () => {
    const said = await complaint(async (ctx) => {
      await ctx.step('first', async () => new Promise((resolve) => setTimeout(resolve, 2)))
      await ctx.sleep(new Date(Date.now() + days(1)))
    })
    expect(said).toMatch(/untilMs/)
  })

  test('R-A5 for a flow that reads a variable which outlives it', async () => {
    let calls = 0
    const said = await complaint(async (ctx) => {
      calls += 1
      return ctx.step('count', () => calls)
    })
    expect(said).toMatch(
      /^Two runs without a crash differ, .*event 1 is StepCompleted .* where the run without a crash has StepCompleted/,
    )
  })

  test('R-A8 for an effect without a key at a destination that counts', async () => {
    const bank = new Counter()
    const said = await complaint(
      async (ctx) => {
        await ctx.step('pay', () => {
          bank.count += 1
        })
      },
      { destination: bank },
    )
    expect(said).toMatch(/the destination accepted \{"count":2\} instead of \{"count":1\}/)
  })

  test('R-A8 for a key that is made anew in each attempt', async () => {
    const bank = new Ledger()
    let made = 0
    const said = await complaint(
      async (ctx) => {
        await ctx.step('pay', () => {
          made += 1
          bank.receive(`key ${made}`, 1)
        })
      },
      { destination: bank },
    )
    expect(said).toMatch(/the destination accepted/)
  })

  test('R-A8 for a key that is sent again with another body', async () => {
    const bank = new Ledger()
    const said = await complaint(
      async (ctx) => {
        const pay = (key: string, epoch: number): void => void bank.receive(key, new Map([['epoch', epoch]]))
        await ctx.step('pay', ({ key, epoch }) => pay(key, epoch), { retry: { attemptsMax: 1 } })
      },
      { destination: bank },
    )
    expect(said).toMatch(/came with another body/)
  })

  test('for a flow that awaits something outside the journal', async () => {
    const said = await complaint(async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      await ctx.step('late', () => 1)
    })
    expect(said).toMatch(/does not end.*awaited something that is not in the journal/)
  })

  const others: Readonly<Record<string, (ctx: FlowContext) => Promise<unknown>>> = {
    'asks for another step': (ctx) => ctx.step('another', () => 1),
    'waits for what never comes': (ctx) => ctx.signal('another'),
    'asks for nothing more': async () => 1,
  }
  test.each(Object.entries(others))(
    'at once for a flow that in its second life %s',
    { timeout: 45_000 }, // Not at once would be ten seconds for each of many trials.
    async (_, other) => {
      let lives = 0
      const destination = {
        reset: () => {
          lives = 0
        },
        accepted: () => ({}),
      }
      const said = await complaint(
        (ctx) => {
          lives += 1
          return lives === 1 ? ctx.step('one way', () => 1) : other(ctx)
        },
        { destination, pairs: true },
      )
      expect(said).toMatch(/DIFFER/)
      expect(said).toMatch(/the run never came to StepCompleted|where the run without a crash has StepCompleted/)
      expect(said).toMatch(/journal has step "one way"/)
    },
  )
})

describe('a flow that does not end', () => {
  test('is told which signal it waits for', async () => {
    const said = await complaint(async (ctx) => {
      await ctx.sleep(days(400))
      await ctx.signal('approved')
    })
    expect(said).toBe(
      'The run without a crash does not end: the run waits for signal "approved", which the test does not script: add it to signals.',
    )
  })

  test('is told that it is too long for a crash test', { timeout: 120_000 }, async () => {
    const said = await complaint(async (ctx) => {
      for (;;) await ctx.parallel(Array.from({ length: 500 }, () => (own) => own.step('again', () => 1)))
    })
    expect(said).toMatch(/does not end: it has 5\d{3} events and goes on; give it an input with which it ends sooner/)
  })

  test('leaves no run, no timer and no file behind', async () => {
    await inFolder(async (folder) => {
      await complaint(async (ctx) => ctx.signal('never'), { store: 'sqlite' })
      expect(readdirSync(folder)).toEqual([])
    })
  })
})

describe('the smallest flows', () => {
  test('T1 a flow that says nothing is tried around its start, its claim and its end', async () => {
    const report = await crashTest({ flow: flowOf(async () => 1), input: undefined })
    expect(report.eventCount).toBe(2)
    expect(report.counts.map(({ trial, place, tried }) => `${trial} ${place} ${tried}`)).toEqual([
      'crash around the start 2',
      'takeover around the start 4',
      'crash around a claim 1',
      'takeover around a claim 2',
      'crash before an append 1',
      'takeover before an append 2',
      'crash after an event is stored 1',
      'takeover after an event is stored 2',
    ])
  })

  test('T1 a flow that fails at once ends the same', async () => {
    const report = await crashTest({
      flow: flowOf(async () => {
        throw new RangeError('no')
      }),
      input: undefined,
      pairs: true,
    })
    expect(report.countOf('pair')).toBeGreaterThan(10)
  })

  test('the table names places and counts, so that somebody can read it', async () => {
    const report = await crashTest({ flow: flowOf((ctx) => ctx.step('one', () => 1)), input: undefined, pairs: true })
    expect(report.table().split('\n').length).toBe(2 + 5)
    expect(report.table()).toMatchInlineSnapshot(`
      "under-test: 3 events, 76 trials, all alike
        the process ends                  one crash  a second crash  slow, taken over
        around the start                          2              16                 4
        around a claim                            1               7                 2
        between an effect and its append          1               5                 2
        before an append                          2              12                 4
        after an event is stored                  2              12                 4"
    `)
  })
})

describe('what a crash test is given', () => {
  test('may be a destination that answers later', async () => {
    const inner = new Ledger()
    const later = async <T>(answer: () => T): Promise<T> => {
      await new Promise((resolve) => setImmediate(resolve))
      return answer()
    }
    const bank: Destination = { reset: () => later(() => inner.reset()), accepted: () => later(() => inner.accepted()) }
    const pay = flowOf((ctx) => ctx.step('pay', ({ key }) => later(() => inner.receive(key, { cents: 5n }))))
    const report = await crashTest({ flow: pay, input: undefined, destination: bank, pairs: true })
    expect(report.countOf('crash')).toBeGreaterThan(5)
    expect(inner.accepted()).toEqual({ 'crash-test/0': { cents: 5n } })
  })

  test('may be a disk of one’s own, which is disposed of after every trial, also where one fails', async () => {
    let made = 0
    let disposed = 0
    const dispose = async (): Promise<void> => {
      disposed += 1
    }
    const store = async () => {
      made += 1
      const disk = await memoryCrashDisk()
      return { ...disk, dispose }
    }
    const report = await crashTest({ flow: flowOf((ctx) => ctx.step('one', () => 1)), input: undefined, store })
    // One more for the reference, and one for its rehearsal.
    expect([made, disposed]).toEqual([report.triedCount + 2, report.triedCount + 2])
    await complaint((ctx) => ctx.step(String(Math.random()), () => 1), { store })
    expect(disposed).toBe(made)
  })

  test('R-A10 may be signals that are sent again when nobody knows whether they arrived', async () => {
    const wait = flowOf(async (ctx) => [await ctx.signal('go'), await ctx.signal('go')])
    const signals = [
      { name: 'go', payload: 1 },
      { name: 'go', payload: 2 },
    ]
    const report = await crashTest({ flow: wait, input: undefined, signals, pairs: true })
    expect(report.eventCount).toBe(4)
  })
})

describe('nothing stays behind', () => {
  test('SQLite files are removed', async () => {
    await inFolder(async (folder) => {
      const report = await crashTest({
        flow: flowOf((ctx) => ctx.step('one', () => 1)),
        input: undefined,
        store: 'sqlite',
      })
      expect(report.triedCount).toBeGreaterThan(10)
      expect(readdirSync(folder)).toEqual([])
    })
  })

  test('no timer of the machine is left armed', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    await crashTest({
      flow: flowOf(async (ctx) => {
        await ctx.sleep(days(3))
        await ctx.step('hang', ({ attempt }) => (attempt === 1 ? new Promise(() => undefined) : 1), {
          timeoutMs: 5_000,
        })
      }),
      input: undefined,
      patienceMs: 2,
    })
    expect(timers()).toBeLessThanOrEqual(before)
  })

  test('no timer of a scripted clock is left armed when a runtime is closed', async () => {
    const clock = new ScriptedClock()
    const sleepy = flowOf((ctx) => ctx.sleep(days(3)))
    const runtime = await open({ store: memory(memoryDisk()), flows: [sleepy], parts: { clock } })
    const run = await runtime.start(sleepy, undefined)
    while ((await run.row()).status !== 'waiting') await new Promise((resolve) => setImmediate(resolve))
    expect(clock.armedCount).toBeGreaterThan(0)
    await runtime.close()
    expect(clock.armedCount).toBe(0)
  })
})

describe('a scripted clock', () => {
  test('calls timers when they come due, in the order of their moments, and those that they arm as well', () => {
    const clock = new ScriptedClock(1_000)
    const calls: string[] = []
    const call = (what: string) => (): void => void calls.push(`${what} at ${clock.now()}`)
    clock.after(20, call('twenty'))
    clock.after(10, () => {
      call('ten')()
      clock.after(5, call('five later'))
    })
    const disarm = clock.after(15, call('never'))
    disarm()
    expect(clock.nextMs).toBe(1_010)
    clock.advance(19)
    expect(calls).toEqual(['ten at 1010', 'five later at 1015'])
    expect([clock.now(), clock.armedCount, clock.nextMs]).toEqual([1_019, 1, 1_020])
    clock.advanceTo(5_000)
    expect(calls.at(-1)).toBe('twenty at 1020')
    clock.advanceTo(10)
    expect(clock.now()).toBe(5_000)
    expect(clock.nextMs).toBeUndefined()
  })
})

describe('facts', () => {
  test('differ where one is missing, one is more, or one says something else', () => {
    const one = { seq: 0, kind: 'FlowStarted', body: '{}', data: '1' }
    const two = { seq: 1, kind: 'FlowCompleted', body: '{}', data: undefined }
    expect(firstDifference([one, two], [one, two])).toBeUndefined()
    expect(firstDifference([one, two], [one])).toMatch(/^event 1 is missing/)
    expect(firstDifference([one], [one, two])).toMatch(/has missing$/)
    expect(firstDifference([one], [{ ...one, data: '2' }])).toMatch(/^event 0 is FlowStarted \{\} 2/)
    expect(firstDifference([one], [{ ...one, body: '{"a":1}' }])).toMatch(/^event 0/)
  })
})

const folders: string[] = []
const temporary = process.env['TMPDIR']

afterEach(() => {
  if (temporary === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = temporary
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Runs with a folder for temporary files that nobody else uses. */
async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-kit-'))
  folders.push(folder)
  process.env['TMPDIR'] = folder
  await run(folder)
}
