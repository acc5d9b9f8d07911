import { once, open } from 'constancia'
import { memory, memoryDisk } from 'constancia/testing'
import { expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { overStore } from '../engine/life.js'
import { kindsOf } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, treasury } from './treasury.js'

test('R-B6 R-C5 a worker that is stopped while it writes that it is about to send sends, and records what came of it', async () => {
  const disk = memoryDisk()
  const bank = new Bank()
  const made = treasury(bank, { effect: once() })
  let store: Store | undefined
  let stopping: Promise<unknown> | undefined
  const runtime = await open({
    store: async (parts) => {
      const real = await memory(disk)(parts)
      store = overStore(real, {
        append: (request) => {
          if (request.drafts.some(({ kind }) => kind === 'ActionAuthorized')) stopping = runtime.close()
          return real.append(request)
        },
      })
      return store
    },
    flows: [made.direct],
    contract: made.contract,
  })
  const court = new Court(() => store as Store)
  await court.activate(made.contract)
  await court.grant('ann', 'analyst')
  await runtime.start(made.direct, { cents: 500 }, { id: 'r', actor: 'ann' })
  while (stopping === undefined) await new Promise((resolve) => setImmediate(resolve))
  await stopping
  const next = await open({ store: memory(disk), flows: [made.direct], contract: made.contract })
  const run = next.run('r')
  const result = await Promise.race([run.result(), untilPaused(run)])
  expect(result).toEqual({ receipt: 'r-r/0' })
  expect(bank.requestCount).toBe(1)
  expect(await kindsOf(run)).toEqual(['FlowStarted', 'ActionAuthorized', 'ActionCompleted', 'FlowCompleted'])
  await next.close()
})

async function untilPaused(run: { row(): Promise<{ readonly status: string }> }): Promise<string> {
  for (;;) {
    const { status } = await run.row()
    if (status === 'paused') return status
    await new Promise((resolve) => setImmediate(resolve))
  }
}
