import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScriptedClock } from 'constancia/testing'
import { expect, test } from 'vitest'
import { type Mark, MarkedStore, type NotedHead, type Store } from '../../dist/store/index.js'

/** A database that says of itself what a test wants it to. */
class Database {
  server = 'before'
  /** Whether an operator has accepted it as it is. */
  isAccepted = false
  /** Heads that it does not have. */
  lost: ((head: NotedHead) => boolean) | undefined
  /** What a pulse waits for. */
  pulsing: Promise<void> = Promise.resolve()
  pulseCount = 0
  releaseCount = 0
  /** What an append waits for. */
  appending: Promise<void> = Promise.resolve()
  /** Whether nobody has a claim any more. */
  refuses = false

  get store(): Store {
    const claims = [{ run: 'r2', id: 'c2', epoch: 1 }]
    return {
      describe: () => 'a database',
      mark: async () => this.#mark,
      pulse: async () => {
        this.pulseCount += 1
        await this.pulsing
        return this.#mark
      },
      missing: async (heads: readonly NotedHead[]) => heads.filter((head) => this.lost?.(head) === true),
      hold: async () => undefined,
      append: async () => {
        await this.appending
        return this.refuses ? { kind: 'claim_lost' } : { kind: 'appended', events: [{ seq: 3, hash: 'aa' }] }
      },
      claim: async () => ({ claims, nextDueAtMs: undefined, setAside: [] }),
      release: async () => {
        this.releaseCount += 1
        return true
      },
      record: async () => ({ kind: 'recorded', events: [] }),
      close: async () => undefined,
    } as unknown as Store
  }

  get #mark(): Mark {
    const term = { id: 't1', server: 'before', pulse: this.pulseCount, atMs: 1, isAccepted: false }
    const accepted = { ...term, id: 't2', server: 'after', isAccepted: true }
    return { terms: this.isAccepted ? [term, accepted] : [term], server: this.server, held: undefined }
  }
}

interface Scene {
  readonly store: MarkedStore
  readonly database: Database
  readonly said: readonly string[]
  /** Ends the pulse that covers an event of run r1: the database answers, or fails. */
  readonly answer: (error?: Error) => void
}

// Of the events of this process the database has all but r1's, which a pulse under way is to cover; another server answers by now.
async function failedOver(play: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-marked-'))
  const database = new Database()
  const clock = new ScriptedClock()
  const said: string[] = []
  const tell = (_: string, message: string): void => void said.push(message)
  const randomBytes = (count: number): Uint8Array => new Uint8Array(count)
  const options = { store: database.store, path: join(folder, 'app.mark'), clock, randomBytes, tell }
  const store = await MarkedStore.open(options)
  const before = database.pulseCount
  await store.append({ claim: { run: 'r1' }, drafts: [] } as never)
  let answer: Scene['answer'] = () => undefined
  database.pulsing = new Promise((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error))
  })
  clock.advance(1_000)
  while (database.pulseCount === before) await new Promise((resolve) => setImmediate(resolve))
  database.server = 'after'
  database.pulseCount = before
  database.lost = ({ run }) => run === 'r1'
  try {
    await play({ store, database, said, answer: (error) => answer(error) })
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

test('T8 what a pulse under way is to cover is looked for as well, where another server answers meanwhile', async () => {
  await failedOver(async ({ store, database, said, answer }) => {
    // Whoever asks about a claim now is answered by a server that never heard of what the pulse was about.
    await expect(store.claim({} as never)).rejects.toMatchObject({ code: 'store_rolled_back' })
    expect(database.releaseCount).toBe(1)
    answer()
    expect(await store.loss()).toMatchObject({ kind: 'missing' })
    expect(said).toEqual([expect.stringContaining('run r1')])
  })
})

test('T8 another server that refuses a claim is not trusted for having the one event that this was about', async () => {
  await failedOver(async ({ store, database, said, answer }) => {
    database.refuses = true
    const stale = { claim: { run: 'r3', id: 'c3', epoch: 1 }, head: { seq: 1, hash: 'bb', at: 1 }, drafts: [] }
    expect(await store.append(stale as never)).toEqual({ kind: 'claim_lost' })
    await expect(store.claim({} as never)).rejects.toMatchObject({ code: 'store_rolled_back' })
    answer()
    expect(said).toEqual([expect.stringContaining('run r1')])
  })
})

test('T8 what an operator has accepted is not missed again because a pulse of before comes to nothing', async () => {
  await failedOver(async ({ store, database, said, answer }) => {
    await expect(store.claim({} as never)).rejects.toMatchObject({ code: 'store_rolled_back' })
    database.isAccepted = true
    expect(await store.loss()).toBeUndefined()
    answer(new Error('the line was cut'))
    await new Promise((resolve) => setImmediate(resolve))
    database.server = 'third'
    expect(await store.loss()).toBeUndefined()
    expect(said).toEqual([
      expect.stringContaining('run r1'),
      expect.stringContaining('accepted'),
      expect.stringContaining('was cut'),
    ])
  })
})

test.each([
  ['is refused', true],
  ['is acknowledged', false],
])('T8 what an operator has accepted is not missed again because an append of before %s late', async (_, refuses) => {
  await failedOver(async ({ store, database, said, answer }) => {
    let goOn = (): void => undefined
    database.appending = new Promise((resolve) => {
      goOn = resolve
    })
    const head = { seq: 7, hash: 'cc', at: 1 }
    const late = store.append({ claim: { run: 'r1', id: 'c1', epoch: 1 }, head, drafts: [] } as never)
    await expect(store.claim({} as never)).rejects.toMatchObject({ code: 'store_rolled_back' })
    database.isAccepted = true
    expect(await store.loss()).toBeUndefined()
    database.refuses = refuses
    goOn()
    await late
    answer()
    database.server = 'third'
    expect(await store.loss()).toBeUndefined()
    expect(said).toEqual([expect.stringContaining('run r1'), expect.stringContaining('accepted')])
  })
})

test('T8 a pulse covers what was recorded in a stream of no run: within a second, or when the store is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-marked-'))
  const database = new Database()
  const clock = new ScriptedClock()
  const randomBytes = (count: number): Uint8Array => new Uint8Array(count)
  const options = { store: database.store, path: join(folder, 'app.mark'), clock, randomBytes, tell: () => undefined }
  const store = await MarkedStore.open(options)
  const before = database.pulseCount
  await store.record({} as never)
  expect(database.pulseCount).toBe(before)
  clock.advance(1_000)
  while (database.pulseCount === before) await new Promise((resolve) => setImmediate(resolve))
  await store.record({} as never)
  await store.close()
  expect(database.pulseCount).toBe(before + 2)
  // An older database, which has the pulses of before.
  database.pulseCount = before
  const again = await MarkedStore.open(options)
  expect((await again.loss())?.kind).toBe('behind')
  await again.close()
  rmSync(folder, { recursive: true })
})
