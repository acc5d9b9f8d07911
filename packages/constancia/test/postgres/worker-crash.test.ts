import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { flow, open, type Run } from 'constancia'
import { postgres } from 'constancia/postgres'
import { startLedgerServer } from 'constancia/testing'
import { expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'

const killCount = 30
const runCount = 60
// The workers have the code; who starts the runs does not need it.
const orders = flow({
  name: 'orders',
  version: 1,
  run: async (_, no: number): Promise<[number, unknown]> => [no, null],
})

test(`T6 R-A8 R-B12 R-C5 of two worker processes ${killCount} end by SIGKILL: every run ends, no event is lost, no effect is doubled`, {
  timeout: 1_800_000,
}, async () => {
  const ledger = await startLedgerServer()
  const url = await databaseUrl()
  const schema = newSchema()
  const order = JSON.stringify({ url, schema, ledger: ledger.url, leaseMs: 2_000 })
  const program = fileURLToPath(new URL('worker.mjs', import.meta.url))
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, [order])
    await once(child, 'message')
    return child
  }
  const runtime = await open({ store: postgres({ url, schema }), flows: [orders], worker: false, log: () => undefined })
  const workers = await Promise.all([start(), start()])
  const runs: Run[] = []
  const starting = (async () => {
    for (let no = 0; no < runCount; no += 1) {
      const run = await runtime.start(orders, no, { id: `r${no}` })
      runs.push(run)
      await run.signal('paid', no, { delivery: `d${no}` })
      await pause(100)
    }
  })()
  for (let count = 0; count < killCount; count += 1) {
    const place = count % 2
    await pause((count * 67) % 200)
    const ended = once(workers[place] as ChildProcess, 'exit')
    workers[place]?.kill('SIGKILL')
    await ended
    workers[place] = await start()
  }
  await starting
  for (const [no, run] of runs.entries()) {
    expect(await run.result()).toEqual([no, no])
    const stream = runStream(run.id)
    const events = await run.events()
    verifyChain(stream, emptyHead(stream), events)
    expect(events.filter(({ kind }) => kind === 'StepCompleted')).toHaveLength(4)
  }
  expect(Object.keys(ledger.accepted())).toHaveLength(runCount * 4)
  for (const child of workers) child.kill('SIGKILL')
  await Promise.all([runtime.close(), ledger.close()])
  await dropSchema(schema)
})
