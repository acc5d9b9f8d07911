import { action, allow, contract, days, flow, idempotent } from 'constancia'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Rig, stores, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'

describe.each(stores)('on %s', (store) => {
  async function begin(fails: boolean) {
    const done: string[] = []
    const effect = idempotent({ remembersMs: days(1) })
    const release = action({
      name: 'room.release',
      input: z.object({ input: z.object({ room: z.string() }), output: z.object({ ticket: z.string() }) }),
      effect,
      retry: { attemptsMax: 1 },
      run: ({ output }) => void done.push(`release ${output.ticket}`),
    })
    const book = action({
      name: 'room.book',
      input: z.object({ room: z.string() }),
      output: z.object({ ticket: z.string() }),
      effect,
      undo: release,
      run: ({ room }) => {
        done.push(`book ${room}`)
        return { ticket: `t-${room}` }
      },
    })
    const travel = flow({
      name: 'travel',
      version: 1,
      resume: 'anyone',
      models: 'none',
      async run(ctx) {
        await ctx.do(book, { room: 'a' })
        try {
          await ctx.parallel([(one) => one.do(book, { room: 'b' }), (other) => other.do(book, { room: 'c' })])
          if (fails) throw new Error('No flight.')
          await ctx.sleep(days(1))
          return 'travelled'
        } catch (error) {
          await ctx.compensate()
          await ctx.compensate() // There is nothing left.
          return String((error as Error).message)
        }
      },
    })
    const made = contract({
      name: 'travel',
      version: '1',
      roles: { clerk: 'books' },
      flows: [travel],
      rules: [allow(book).to('clerk'), allow(release).to('clerk')],
    })
    const rig = new Rig(store)
    const life = await rig.live([travel], { contract: made })
    const court = new Court(() => life.store)
    await court.activate(made)
    await court.grant('ann', 'clerk')
    const run = await life.runtime.start(travel, null, { id: 'r', actor: 'ann' })
    return { rig, run, done, travel, life, made }
  }

  const all = ['book a', 'book b', 'book c', 'release t-c', 'release t-b', 'release t-a']

  test('R-B6 what was done is taken back in reverse order, once', async () => {
    const { run, done } = await begin(true)
    expect(await run.result()).toBe('No flight.')
    expect(done).toEqual(all)
  })

  test('R-B6 R-B8 a run that is cancelled takes back what it has done', async () => {
    const { run, done } = await begin(false)
    await untilStatus(run, 'waiting')
    await run.cancel()
    await untilStatus(run, 'cancelled')
    expect(done).toEqual(all)
  })
})
