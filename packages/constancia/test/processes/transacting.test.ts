import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { systemClock } from '../../dist/store/index.js'
import { tableOf } from '../governance/till.js'
import { rawConnection as postgresConnection } from '../postgres/database.js'
import { rawConnection as sqliteConnection } from '../store/raw.js'
import { idOf } from '../store/storage.js'
import { partsOf } from '../store/stores.js'
import { isCampaign, limitMs } from './campaign.js'
import { makeSceneStore, type SceneStore, type StoreAddress, storeKinds } from './scene-store.js'
import storeAt from './stores.mjs'

const program = fileURLToPath(new URL('./transacting.mjs', import.meta.url))
const places = ['before the append', 'in the transaction', 'before the commit', 'after the commit'] as const
const rounds = isCampaign ? 25 : 1

let scene: SceneStore | undefined

afterEach(async () => {
  await scene?.dispose()
  scene = undefined
})

interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly said: unknown
}

// Resolves when the process is gone.
async function live(order: object): Promise<Ended> {
  const child = fork(program, [JSON.stringify(order)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let said: unknown
  child.on('message', (word) => {
    said = word
  })
  const [, signal] = await once(child, 'exit')
  return { signal, said }
}

async function ask(address: StoreAddress, sql: string): Promise<{ readonly key: string }[]> {
  if (address.kind === 'sqlite') {
    const database = sqliteConnection(address.file)
    const rows = database.prepare(sql).all() as { key: string }[]
    database.close()
    return rows
  }
  const client = await postgresConnection(address.url)
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

test.each(storeKinds)(
  'R-A7 R-B6 R-C5 T6 on %s, processes end by SIGKILL around the transactions of their effects, and each effect is there once, with its events',
  async (kind) => {
    scene = await makeSceneStore(kind)
    const { address: store } = scene
    const schema = store.kind === 'postgres' ? `${store.schema}.` : ''
    const table = `${schema}till_${randomBytes(6).toString('hex')}`
    expect(await live({ store, table, ids: [] })).toMatchObject({ signal: null })
    await ask(store, tableOf(table))
    const deaths = Array.from({ length: rounds * places.length }, (_, index) => ({
      place: places[index % places.length],
      run: `r${String(index).padStart(3, '0')}`,
    }))
    for (const { place, run } of deaths) {
      expect(await live({ store, table, place, run, ids: [] }), place).toMatchObject({ signal: 'SIGKILL' })
      await scene.expire(run)
    }
    const ids = deaths.map(({ run }) => run)
    const { said } = await live({ store, table, ids })
    expect(said).toEqual(ids.map(() => [{ count: 1 }, { count: 1 }]))
    const keys = (await ask(store, `SELECT key FROM ${table} ORDER BY key`)).map(({ key }) => key)
    expect(keys).toEqual(await journaled(store, ids))
    expect(keys).toEqual(ids.flatMap((id) => [`${id}/0`, `${id}/1`]))
  },
  limitMs,
)

// What the journals say was done.
async function journaled(address: StoreAddress, ids: readonly string[]): Promise<string[]> {
  const opened = await storeAt(address)(partsOf(systemClock))
  const keys: string[] = []
  for (const id of ids) {
    const stream = runStream(idOf(id))
    const events = await opened.read(stream)
    verifyChain(stream, emptyHead(stream), events)
    const done = events.filter((event) => event.kind === 'ActionCompleted')
    expect(events.filter((event) => event.kind === 'ActionAuthorized')).toHaveLength(done.length)
    keys.push(...done.map(({ body }) => `${id}/${(JSON.parse(body) as { op: string }).op}`))
  }
  await opened.close()
  return keys
}
