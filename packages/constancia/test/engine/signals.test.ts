import { type FlowContext, flow, type Schema } from 'constancia'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from './life.js'
import { drained, gate, kindsOf, Rig, stores, until, untilStatus } from './rig.js'

/** Reads so many votes, one after the other. */
const voting = (count: number) =>
  flow({
    name: 'voting',
    version: 1,
    async run(ctx) {
      const votes: unknown[] = []
      while (votes.length < count) votes.push(await ctx.signal('vote'))
      return votes
    },
  })

const aNumber: Schema<number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value === 'number' ? { value: value * 2 } : { issues: [{ message: 'not a number', path: ['amount'] }] },
  },
}

describe.each(stores)('on %s', (store) => {
  test('C21 R-B7 a signal that came before the first step ended is delivered to the wait that comes after', async () => {
    const rig = new Rig(store)
    const blocked = gate()
    const paying = flow({
      name: 'paying',
      version: 1,
      run: async (ctx) => [await ctx.step('first', () => blocked.promise), await ctx.signal('paid')],
    })
    const life = await rig.live([paying])
    const run = await life.runtime.start(paying, null, { id: 'r' })
    await run.signal('paid', 5)
    blocked.open()
    expect(await run.result()).toEqual([undefined, 5])
  })

  test('C21 R-B7 a signal before the run was ever claimed is delivered, and the order of the journal is the order of arrival', async () => {
    const rig = new Rig(store)
    const votes = voting(2)
    const idle = await rig.live([votes], { worker: false })
    const run = await idle.runtime.start(votes, null, { id: 'r' })
    await run.signal('vote', 'first')
    await run.signal('vote', 'second')
    const life = await rig.live([votes])
    expect(await life.runtime.run('r').result()).toEqual(['first', 'second'])
  })

  test('C21 R-B7 of ten votes in a burst from three senders the first six in order of arrival count once each, and four stay unread', async () => {
    const rig = new Rig(store)
    const votes = voting(6)
    const life = await rig.live([votes])
    const others = [await rig.live([votes], { worker: false }), await rig.live([votes], { worker: false })]
    const run = await life.runtime.start(votes, null, { id: 'r' })
    const senders = [life, ...others]
    const ended = new Set<string>()
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        senders[index % 3]!.runtime.run('r')
          .signal('vote', index, { delivery: `v${index}` })
          .catch((error: { code: string }) => ended.add(error.code)),
      ),
    )
    // Others' writes are told by no hint under scripted time: looking is what finds them.
    await run.signal('vote', 'last').catch(() => undefined)
    const result = await run.result()
    const arrived = (await run.events())
      .filter(({ kind }) => kind === 'SignalReceived')
      .map(({ data }) => JSON.parse(data ?? ''))
    expect(result).toEqual(arrived.slice(0, 6))
    const row = await run.row()
    expect(row.signalCount - row.readSignalCount).toBe(arrived.length - 6)
    expect([...ended].every((code) => code === 'run_ended')).toBe(true)
  })

  test('C21 four of ten signals that are there before the run is claimed stay visible as unread', async () => {
    const rig = new Rig(store)
    const votes = voting(6)
    const idle = await rig.live([votes], { worker: false })
    const run = await idle.runtime.start(votes, null, { id: 'r' })
    for (let index = 0; index < 10; index += 1) await run.signal('vote', index)
    const life = await rig.live([votes])
    expect(await life.runtime.run('r').result()).toEqual([0, 1, 2, 3, 4, 5])
    const { signalCount, readSignalCount } = await run.row()
    expect([signalCount, readSignalCount]).toEqual([10, 6])
  })

  test('C21 R-A5 a signal that was used is not used again, wherever the process ends: the second wait rests', async () => {
    for (let crashAfter = 1; crashAfter <= 4; crashAfter += 1) {
      const rig = new Rig(store)
      const twice = flow({
        name: 'twice',
        version: 1,
        async run(ctx) {
          const seen: unknown[] = []
          for (let i = 0; i < 2; i += 1) {
            seen.push(await ctx.signal('go'))
            await ctx.step(`after ${seen.length}`, () => seen.length)
          }
          return seen
        },
      })
      const idle = await rig.live([twice], { worker: false })
      await idle.runtime.start(twice, null, { id: 'r' })
      await idle.runtime.run('r').signal('go', 'one')
      const life = await rig.live([twice], { crashAfter })
      const run = idle.runtime.run('r')
      await Promise.race([until(() => life.dead, 'it crashes'), untilStatus(run, 'waiting')])
      const next = await rig.succeed(life, [twice])
      await untilStatus(run, 'waiting')
      expect(await run.row()).toMatchObject({
        waitingFor: [{ kind: 'signal', name: 'go', op: '2' }],
        signalCount: 1,
        readSignalCount: 1,
      })
      await next.runtime.run('r').signal('go', 'two')
      expect(await next.runtime.run('r').result()).toEqual(['one', 'two'])
      expect(await kindsOf(run)).toEqual([
        'FlowStarted',
        'SignalReceived',
        'StepCompleted',
        'SignalReceived',
        'StepCompleted',
        'FlowCompleted',
      ])
    }
  })

  test('R-B7 several branches that wait for one name are served in the order in which they asked, live and on replay', async () => {
    const rig = new Rig(store)
    const both = flow({
      name: 'both',
      version: 1,
      async run(ctx) {
        const one = (branch: FlowContext): Promise<unknown> => branch.signal('x')
        const got = await ctx.parallel([one, one, (branch) => branch.signal('y'), one])
        await ctx.signal('go')
        return got
      },
    })
    const life = await rig.live([both])
    const run = await life.runtime.start(both, null, { id: 'r' })
    for (const [name, value] of [
      ['x', 1],
      ['y', 'y'],
      ['x', 2],
      ['x', 3],
    ] as const) {
      await run.signal(name, value)
      await untilStatus(run, 'waiting')
    }
    await drained()
    const next = await rig.succeed(life, [both])
    await next.runtime.run('r').signal('go')
    expect(await next.runtime.run('r').result()).toEqual([1, 2, 'y', 3])
  })

  test('R-A10 one delivery counts once, however often and through however many handles it is sent, and also after a restart', async () => {
    const rig = new Rig(store)
    const votes = voting(2)
    let life = await rig.live([votes])
    const run = await life.runtime.start(votes, null, { id: 'r' })
    expect(await run.signal('vote', 1, { delivery: 'd1' })).toBe('delivered')
    expect(await run.signal('vote', 1, { delivery: 'd1' })).toBe('duplicate')
    const again = await Promise.all(
      [1, 2, 3, 4].map(() => life.runtime.run('r').signal('vote', 'other', { delivery: 'd1' })),
    )
    expect(new Set(again)).toEqual(new Set(['duplicate']))
    life = await rig.succeed(life, [votes])
    const later = life.runtime.run('r')
    expect(await later.signal('vote', 1, { delivery: 'd1' })).toBe('duplicate')
    expect((await later.events()).filter(({ kind }) => kind === 'SignalReceived')).toHaveLength(1)
    await later.signal('vote', 2, { delivery: 'd2' })
    expect(await later.result()).toEqual([1, 2])
    expect(await later.signal('vote', 1, { delivery: 'd1' })).toBe('duplicate') // A sender that lost its answer hears that it is in.
  })

  test('R-A10 the same delivery sent at the same instant by many is one event', async () => {
    const rig = new Rig(store)
    const votes = voting(1)
    const life = await rig.live([votes])
    const run = await life.runtime.start(votes, null)
    const answers = await Promise.all(Array.from({ length: 20 }, () => run.signal('vote', 1, { delivery: 'same' })))
    expect(answers.filter((answer) => answer === 'delivered')).toHaveLength(1)
  })

  test('R-B11 a signal to a run that nobody knows, with a name or an id that makes no sense, is refused and changes nothing', async () => {
    const rig = new Rig(store)
    const votes = voting(1)
    const life = await rig.live([votes])
    const run = await life.runtime.start(votes, null)
    await expect(life.runtime.run('nobody').signal('vote')).rejects.toMatchObject({ code: 'unknown_run' })
    await expect(life.runtime.run('nobody').retry()).rejects.toMatchObject({ code: 'unknown_run' })
    await expect(life.runtime.run('nobody').result()).rejects.toMatchObject({ code: 'unknown_run' })
    await expect(life.runtime.run('nobody').events()).rejects.toMatchObject({ code: 'unknown_run' })
    expect(() => life.runtime.run('../etc')).toThrow(expect.objectContaining({ code: 'invalid_id' }))
    await expect(run.signal('')).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(run.signal('x'.repeat(201))).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(run.signal('vote', 1, { delivery: 'has space' })).rejects.toMatchObject({ code: 'invalid_id' })
    await expect(run.signal('vote', 1, { by: 'a\nb' })).rejects.toMatchObject({ code: 'invalid_id' })
    expect(await kindsOf(run)).toEqual(['FlowStarted'])
  })

  test('R-B11 unread signals are capped: the next is refused with too_many_signals until some were read', async () => {
    const rig = new Rig(store)
    const blocked = gate()
    const reading = flow({
      name: 'reading',
      version: 1,
      async run(ctx) {
        await ctx.step('blocked', () => blocked.promise)
        return [await ctx.signal('a'), await ctx.signal('a'), await ctx.signal('a'), await ctx.signal('b')]
      },
    })
    const life = await rig.live([reading], { limits: { unreadSignalCountMax: 3 } })
    const run = await life.runtime.start(reading, null)
    for (let i = 0; i < 3; i += 1) await run.signal('a', i, { delivery: `d${i}` })
    await expect(run.signal('b')).rejects.toMatchObject({ code: 'too_many_signals' })
    expect(await run.signal('a', 0, { delivery: 'd0' })).toBe('duplicate') // A repetition adds nothing, so it is answered as ever.
    blocked.open()
    await until(async () => (await run.row()).readSignalCount === 3, 'they are read')
    await run.signal('b', 'now')
    expect(await run.result()).toEqual([0, 1, 2, 'now'])
  })

  test('R-B7 a signal that does not fit its schema is an error that the flow catches, live and on replay, and is used up', async () => {
    const rig = new Rig(store)
    const seen: unknown[] = []
    const checking = flow({
      name: 'checking',
      version: 1,
      async run(ctx) {
        const refusal = await ctx
          .signal('amount', aNumber)
          .catch((error: { code: string; message: string }) => `${error.code}: ${error.message}`)
        seen.push(refusal)
        const limited = await ctx
          .signal('amount', aNumber, { within: 1_000 })
          .catch((error: { code: string }) => error.code)
        return [refusal, limited, await ctx.signal('amount', aNumber)]
      },
    })
    const life = await rig.live([checking])
    const run = await life.runtime.start(checking, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await run.signal('amount', 'many')
    await until(async () => (await run.row()).waitingFor[0]?.op === '1', 'it waits for the second')
    const next = await rig.succeed(life, [checking])
    const later = next.runtime.run('r')
    await later.signal('amount', 'more')
    await until(async () => (await later.row()).waitingFor[0]?.op === '2', 'it waits for the third')
    await later.signal('amount', 21)
    const [refusal, limited, value] = (await later.result()) as unknown[]
    expect(refusal).toMatch(/^invalid_value: .*"amount".*amount: not a number/)
    expect([limited, value]).toEqual(['invalid_value', 42])
    expect(new Set(seen)).toEqual(new Set([refusal]))
  })

  test('R-B7 a signal that is in the journal before the limit of its wait wins, also if it is looked at after the limit', async () => {
    const rig = new Rig(store)
    const limited = flow({ name: 'limited', version: 1, run: (ctx) => ctx.signal('go', undefined, { within: 1_000 }) })
    const life = await rig.live([limited])
    await untilStatus(await life.runtime.start(limited, null, { id: 'r' }), 'waiting')
    await life.crash()
    const idle = await rig.live([limited], { worker: false })
    await idle.runtime.run('r').signal('go', 'in time')
    rig.clock.advance(10_000)
    const next = await rig.live([limited])
    expect(await next.runtime.run('r').result()).toEqual({ kind: 'received', value: 'in time' })
    expect(await kindsOf(next.runtime.run('r'))).toEqual(['FlowStarted', 'TimerSet', 'SignalReceived', 'FlowCompleted'])
  })

  test('R-B7 R-A5 a signal that gets into the journal while the end of its wait is on its way there wins, and nothing times out', async () => {
    const rig = new Rig(store)
    const limited = flow({
      name: 'limited',
      version: 1,
      run: (ctx) => ctx.signal('go', undefined, { within: 1_000 }),
    })
    const idle = await rig.live([limited], { worker: false })
    let sent = 0
    const meddle = (real: Store): Store =>
      overStore(real, {
        async append(request) {
          const isLate = request.drafts.some(({ kind }) => kind === 'TimerFired')
          if (isLate && sent++ === 0) await idle.runtime.run('r').signal('go', 'just in time')
          return real.append(request)
        },
      })
    const life = await rig.live([limited], { meddle })
    const run = await life.runtime.start(limited, null, { id: 'r' })
    await untilStatus(run, 'waiting')
    await rig.advance(1_000)
    expect(await run.result()).toEqual({ kind: 'received', value: 'just in time' })
    expect(sent).toBe(1)
    expect(await kindsOf(run)).toEqual(['FlowStarted', 'TimerSet', 'SignalReceived', 'FlowCompleted'])
  })

  test('R-B7 a wait without a signal times out at its limit, and a later signal stays unread', async () => {
    const rig = new Rig(store)
    const limited = flow({
      name: 'limited',
      version: 1,
      run: async (ctx) => [await ctx.signal('go', undefined, { within: 1_000 }), await ctx.signal('stop')],
    })
    const life = await rig.live([limited])
    const run = await life.runtime.start(limited, null)
    await untilStatus(run, 'waiting')
    await rig.advance(1_000)
    await until(async () => (await run.row()).waitingFor[0]?.op === '1', 'it waits on')
    await run.signal('go', 'late')
    await run.signal('stop', 1)
    expect(await run.result()).toEqual([{ kind: 'timed_out' }, 1])
    const { signalCount, readSignalCount } = await run.row()
    expect(signalCount - readSignalCount).toBe(1)
  })

  test('R-B7 outcomes that came together keep their order where word from outside is written first', async () => {
    const rig = new Rig(store)
    const pair = flow({
      name: 'pair',
      version: 1,
      run: (ctx) => Promise.all([ctx.step('a', () => 1), ctx.step('b', () => 2), ctx.signal('go')]),
    })
    const meddle = (real: Store): Store =>
      overStore(real, {
        append: async (request) => {
          if (request.drafts.length === 2) await life.runtime.run('r').signal('go', 3, { delivery: 'once' })
          return real.append(request)
        },
      })
    const life = await rig.live([pair], { meddle })
    const run = await life.runtime.start(pair, null, { id: 'r' })
    expect(await run.result()).toEqual([1, 2, 3])
    const told = (await run.events()).map(({ kind, body }) => `${kind} ${JSON.parse(body).name ?? ''}`)
    expect(told.slice(1, 4)).toEqual(['SignalReceived go', 'StepCompleted a', 'StepCompleted b'])
  })
})
