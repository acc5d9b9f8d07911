import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draftOf, nothingSeen } from '../../dist/journal/index.js'
import type { Change, Claim, Store } from '../../dist/store/index.js'
import type { Database, Statement } from '../../dist/store/sqlite/driver.js'
import { append, claim, create, idOf, meddledStore } from './storage.js'
import { makeFolder } from './stores.js'

let folder: string
let store: Store
let commitCount: number

beforeEach(async () => {
  folder = makeFolder()
  commitCount = 0
  store = (await meddledStore({ file: join(folder, 'runs.db') }, counting)).store
  return () => store.close()
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function counting(real: Database): Database {
  const prepare = (sql: string): Statement => {
    const statement = real.prepare(sql)
    if (sql !== 'COMMIT') return statement
    return {
      setReturnArrays: (areArrays) => statement.setReturnArrays(areArrays),
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
      run: (...values) => {
        commitCount += 1
        return statement.run(...values)
      },
    }
  }
  return {
    get isTransaction() {
      return real.isTransaction
    },
    exec: (sql) => real.exec(sql),
    prepare,
    close: () => real.close(),
  }
}

/** Claims as soon as a hint says that something may be due, as a worker does. Resolves with what that gets. */
function claimAtHint(): Promise<readonly Claim[]> {
  return new Promise((resolve, reject) => {
    const stop = store.watch(({ due }) => {
      if (!due) return
      stop()
      claim(store).then(resolve, reject)
    })
  })
}

function signal(run: string): Promise<unknown> {
  const decide = () => ({ drafts: [draftOf('SignalReceived', { name: 'go', delivery: 'd' }, '1')], result: undefined })
  return store.decide({ run: idOf(run), delivery: 'd', by: 'system:api', seen: nothingSeen, decide })
}

async function rest(owner: Claim): Promise<void> {
  const waits = { kind: 'waiting', wakeAtMs: undefined, waitingFor: [] } as const
  await store.suspend({ claim: owner, head: owner.head, readSignalCount: 0, rest: waits })
}

test('a run that a signal wakes is taken in the transaction that stores the signal', async () => {
  await create(store, 'r1')
  const [first] = (await claim(store)) as [Claim]
  await rest(first)
  const claimed = claimAtHint()
  commitCount = 0
  await signal('r1')
  const [taken] = (await claimed) as [Claim]
  expect(commitCount).toBe(1)
  expect(taken).toMatchObject({ run: 'r1', epoch: first.epoch + 1, head: { seq: 1 } })
  expect((await append(store, taken)).kind).toBe('appended')
})

test('a run that is started is taken in the transaction that stores its start', async () => {
  const claimed = claimAtHint()
  await create(store, 'r1')
  expect(await claimed).toMatchObject([{ run: 'r1', epoch: 1 }])
  expect(commitCount).toBe(1)
})

test('what fails to be stored makes nothing due, and whoever asked beside it is answered', async () => {
  await create(store, 'r1')
  await rest(((await claim(store)) as [Claim])[0])
  const claimed = claimAtHint()
  const decide = (): never => {
    throw new Error('no')
  }
  const deciding = store.decide({ run: idOf('r1'), delivery: undefined, by: 'x', seen: nothingSeen, decide })
  await expect(deciding).rejects.toThrow('no')
  expect(await claimed).toEqual([])
})

test('nobody is told that a run is due which was taken in the same transaction, or which somebody has', async () => {
  const changes: Change[] = []
  const claimed = claimAtHint()
  store.watch((change) => changes.push(change))
  await create(store, 'r1')
  await claimed
  await signal('r1')
  // One hint before each is stored which may make a run due, and one for each run after each commit.
  expect(changes.filter(({ run }) => run === 'r1').map(({ headSeq, due }) => [headSeq, due])).toEqual([
    [-1, true],
    [0, false],
    [1, false],
  ])
})
