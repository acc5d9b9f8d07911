import { flow, open } from 'constancia'
import { postgres } from 'constancia/postgres'
import { expect, test } from 'vitest'
import { type Change, type Store, type StoreParts, systemClock } from '../../dist/store/index.js'
import { claim, create, idOf } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'

const apartCount = 5
const runCount = 30 // Also without those, more than are named in one notification.

/** A store that counts how often a journal or a row is read, and keeps what it hears. */
function watched(store: Store, heard: Change[], counts: { reads: number; rows: number }): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'read') counts.reads += 1
      if (name === 'run') counts.rows += 1
      if (name === 'watch')
        return (listener: (change: Change) => void) =>
          target.watch((change) => {
            listener(change)
            heard.push(change)
          })
      const value = target[name] as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('what owners do to many runs makes no other worker read its own runs again, what others tell many runs does', async () => {
  const [url, schema] = [await databaseUrl(), newSchema()]
  const heard: Change[] = []
  const counts = { reads: 0, rows: 0 }
  const letGo: (() => void)[] = []
  const holding = flow({
    name: 'holding',
    version: 1,
    run: (ctx) => ctx.step('hold', () => new Promise<void>((resolve) => void letGo.push(resolve))),
  })
  const factory = async (parts: StoreParts): Promise<Store> =>
    watched(await postgres({ url, schema })(parts), heard, counts)
  const runtime = await open({ store: factory, flows: [holding], log: () => undefined })
  const runs = await Promise.all(Array.from({ length: 3 }, () => runtime.start(holding, null)))
  await until(() => letGo.length === 3 && heard.some(({ run }) => run === undefined)) // It listens.

  const other = await postgres({ url, schema })(partsOf(systemClock))
  const names = Array.from({ length: runCount }, (_, no) => `r${no}`)
  await Promise.all(names.map((run) => create(other, run)))
  const signal = { kind: 'SignalReceived', body: '{"name":"paid","delivery":"d1"}', data: '1' }
  const decide = () => ({ drafts: [signal], result: 0 })
  const claims = await claim(other, runCount)
  expect(claims).toHaveLength(runCount)

  let from = heard.length
  const readsBefore = counts.reads
  const completed = { kind: 'FlowCompleted', body: '{}', data: undefined }
  const ending = claims.map((one) =>
    other.append({ claim: one, head: one.head, drafts: [completed], seen: '-/-', readSignalCount: 0 }),
  )
  expect(new Set((await Promise.all(ending)).map(({ kind }) => kind))).toEqual(new Set(['appended']))
  await until(() => heard.slice(from).some(({ run, due, ended }) => run === undefined && !due && ended === true))
  expect(counts.reads).toBe(readsBefore)

  await Promise.all(names.map((run) => create(other, `${run}-again`)))
  from = heard.length
  const told = names.map((run) =>
    other.decide({ run: idOf(`${run}-again`), delivery: undefined, by: 'principal:bob', seen: '-/-', decide }),
  )
  await Promise.all(told)
  await until(() => heard.slice(from).some(({ run, byOwner }) => run === undefined && byOwner !== true))
  expect(counts.reads).toBeGreaterThanOrEqual(readsBefore + 3)

  for (const go of letGo) go()
  await Promise.all(runs.map((run) => run.result()))
  await runtime.close()
  await other.close()
  await dropSchema(schema)
})

test('whoever waits for runs of another process hears of each end, and looks at no other', async () => {
  const [url, schema] = [await databaseUrl(), newSchema()]
  const heard: Change[] = []
  const counts = { reads: 0, rows: 0 }
  const factory = async (parts: StoreParts): Promise<Store> =>
    watched(await postgres({ url, schema })(parts), heard, counts)
  const other = await postgres({ url, schema })(partsOf(systemClock))
  const names = Array.from({ length: runCount }, (_, no) => `r${no}`)
  await Promise.all(names.map((run) => create(other, run)))
  const claims = await claim(other, runCount)
  const [apart, together] = [claims.slice(0, apartCount), claims.slice(apartCount)]
  const end = (one: (typeof claims)[number]) =>
    other.append({
      claim: one,
      head: one.head,
      drafts: [{ kind: 'FlowCompleted', body: '{}', data: '7' }],
      seen: '-/-',
      readSignalCount: 0,
    })

  // One that would look by itself only after a time for which no test waits.
  const unrelated = flow({ name: 'unrelated', version: 1, run: async () => null })
  const worker = { pollMs: 3_600_000, leaseMs: 10_800_000 }
  const runtime = await open({ store: factory, flows: [unrelated], worker, log: () => undefined })
  const results = new Map(claims.map(({ run }) => [run, runtime.run(run).result()]))
  await until(() => counts.rows >= runCount && heard.some(({ run }) => run === undefined)) // It listens.

  const rowsBefore = counts.rows
  for (const one of apart) {
    await end(one)
    expect(await results.get(one.run)).toBe(7)
  }
  // It may have looked at all of them once because it began to listen, and not once for each end.
  expect(counts.rows - rowsBefore).toBeLessThan(2 * runCount)

  await Promise.all(together.map(end)) // So many at once are not named.
  expect(await Promise.all(results.values())).toEqual(claims.map(() => 7))
  await runtime.close()
  await other.close()
  await dropSchema(schema)
})
