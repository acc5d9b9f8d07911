import { setImmediate } from 'node:timers/promises'
import { flow, open, type StoreFactory } from 'constancia'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { expect, test } from 'vitest'

const runCount = 500
const looksAtOnceMax = 64
const pollMs = 1_000

/** The same store, which tells of each look at a run when it begins and when it is over. */
function watched(factory: StoreFactory, look: (by: 1 | -1) => void): StoreFactory {
  return async (parts) => {
    const store = await factory(parts)
    const run = store.run.bind(store)
    store.run = async (id) => {
      look(1)
      await setImmediate()
      return run(id).finally(() => look(-1))
    }
    return store
  }
}

const settled = async (): Promise<void> => {
  for (let spins = 0; spins < 50; spins += 1) await setImmediate()
}

test('R-B9 whoever waits for the ends of many runs looks at few of them at once, and misses none that ends elsewhere', async () => {
  const clock = new ScriptedClock()
  const disk = memoryDisk()
  let [looking, lookingMax, lookCount] = [0, 0, 0]
  const store = watched(memory(disk), (by) => {
    looking += by
    lookingMax = Math.max(lookingMax, looking)
    lookCount += by === 1 ? 1 : 0
  })
  const short = flow({ name: 'short', version: 1, run: (ctx) => ctx.step('only', () => ctx.runId) })
  const log = (): void => undefined
  const waiting = await open({ store, flows: [short], worker: false, log, parts: { clock } })
  const runs = await Promise.all(Array.from({ length: runCount }, () => waiting.start(short, null)))
  const results = Promise.all(runs.map((run) => run.result()))
  await settled()
  ;[lookingMax, lookCount] = [0, 0]

  for (let polls = 0; polls < 2; polls += 1) {
    for (let passedMs = 0; passedMs <= pollMs; passedMs += 100) {
      clock.advance(100)
      await settled()
    }
  }
  expect(lookingMax).toBeLessThanOrEqual(looksAtOnceMax)
  expect(lookCount).toBeGreaterThanOrEqual(runCount)
  expect(lookCount).toBeLessThanOrEqual(3 * runCount)

  const working = await open({ store: memory(disk), flows: [short], log, parts: { clock } })
  for (let passedMs = 0; passedMs <= 3 * pollMs; passedMs += 100) {
    clock.advance(100)
    await settled()
  }
  expect(await results).toEqual(runs.map(({ id }) => id))
  await working.close()
  await waiting.close()
  expect(clock.armedCount).toBe(0)
})
