import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type SqliteOptions, sqlite } from 'constancia/sqlite'
import { type MovableUnderTest, memory, memoryDisk } from 'constancia/testing'
import { defaultLimits } from '../../dist/journal/index.js'
import {
  type Clock,
  type MovableStoreFactory,
  type Store,
  type StoreParts,
  systemClock,
} from '../../dist/store/index.js'
import { scriptedClock } from './scripted-clock.js'

/** What a store is given in these tests; warnings are kept in the array. */
export function partsOf(clock: Clock, warnings: string[] = []): StoreParts {
  return {
    clock,
    randomBytes: (count) => randomBytes(count),
    limits: defaultLimits,
    warn: (message) => warnings.push(message),
  }
}

/** A folder of its own. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'constancia-store-'))
}

/** Opens a database with the machine's clock. */
export function openSqlite(options: SqliteOptions, warnings: string[] = []): Promise<Store> {
  return sqlite(options)(partsOf(systemClock, warnings))
}

/** An empty memory store under test. */
export function underMemory(): Promise<MovableUnderTest> {
  return underTest(memory(memoryDisk()), () => undefined)
}

/** An empty database under test, in a folder of its own. */
export function underSqlite(): Promise<MovableUnderTest> {
  const folder = makeFolder()
  const remove = () => rmSync(folder, { recursive: true, force: true })
  return underTest(sqlite({ file: join(folder, 'runs.db') }), remove)
}

async function underTest(factory: MovableStoreFactory, remove: () => void): Promise<MovableUnderTest> {
  const clock = scriptedClock(Date.UTC(2026, 0, 1))
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await factory(partsOf(clock))
    opened.push(store)
    return store
  }
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  }
  return {
    store: await open(),
    another: open,
    openToMove: () => factory.openToMove(partsOf(clock)),
    reopen: () => closeAll().then(open),
    nowMs: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    pause: (ms) => setTimeout(ms),
    dispose: () => closeAll().then(remove),
  }
}
