import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import type { RunRow, Store } from '../../dist/store/index.js'
import { answerOf, start } from './processes.js'
import { append, claim, create } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

let folder: string
let file: string

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'runs.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Worked {
  readonly counts: Record<'created' | 'appended' | 'claimed' | 'signalled' | 'conflicts' | 'lost', number>
  readonly longestBlockMs: number
  /** So long or shorter are nine of ten turns of the event loop. */
  readonly usualBlockMs: number
  readonly warnings: readonly string[]
}

async function allRuns(store: Store): Promise<RunRow[]> {
  const rows: RunRow[] = []
  for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
    const page = await store.runs({ limit: 1000, ...(after === undefined ? {} : { after }) })
    rows.push(...page.items)
    after = page.next
  }
  return rows
}

// Verifies every journal against its row; returns how many events there are.
async function verifyAll(store: Store): Promise<number> {
  let eventCount = 0
  for (const { id, head } of await allRuns(store)) {
    const stream = runStream(id)
    const events = await store.read(stream)
    expect(verifyChain(stream, emptyHead(stream), events)).toEqual(head)
    eventCount += events.length
  }
  return eventCount
}

describe('C47 several processes on one file:', () => {
  test('four claim and append at once: no "busy" reaches them, nothing is lost or doubled, the write-ahead file stays small', async () => {
    const workers = ['a', 'b', 'c', 'd'].map((name) =>
      answerOf<Worked>(start('contender.mjs', ['work', file, '3000', name])),
    )
    let walBytesMax = 0
    const look = setInterval(() => {
      walBytesMax = Math.max(walBytesMax, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
    }, 50)
    const all = await Promise.all(workers)
    clearInterval(look)
    const sum = (name: keyof Worked['counts']): number => all.reduce((total, { counts }) => total + counts[name], 0)
    const store = await openSqlite({ file })
    expect(await verifyAll(store)).toBe(sum('created') + sum('appended') + sum('signalled'))
    expect((await allRuns(store)).reduce((total, { epoch }) => total + epoch, 0)).toBe(sum('claimed'))
    expect(sum('claimed')).toBeGreaterThan(200)
    expect(sum('conflicts')).toBeGreaterThan(0)
    expect(all.flatMap(({ warnings }) => warnings)).toEqual([])
    expect(walBytesMax).toBeLessThan(64 * 2 ** 20)
    const longestBlockMs = Math.max(...all.map((one) => one.longestBlockMs))
    console.log(
      `4 processes: ${sum('appended')} appends, longest block ${longestBlockMs.toFixed(0)} ms, wal at most ${walBytesMax} bytes`,
    )
    // 10 ms in SQLite and a commit; four processes on two cores are kept waiting by each other as well.
    expect(Math.max(...all.map(({ usualBlockMs }) => usualBlockMs))).toBeLessThan(1000)
    await store.close()
  })

  test('eight open a new file at once, and each finds it whole', async () => {
    const openers = Array.from({ length: 8 }, (_, index) =>
      answerOf(start('contender.mjs', ['open', file, '0', `p${index}`])),
    )
    expect(await Promise.all(openers)).toEqual(openers.map(() => ({ opened: true })))
    const store = await openSqlite({ file })
    expect(await allRuns(store)).toHaveLength(8)
    await store.close()
  })

  test('a file that is copied while others write opens as a whole prefix, or is refused', async () => {
    const worker = answerOf<Worked>(start('contender.mjs', ['work', file, '2500', 'a']))
    const outcomes: string[] = []
    while (statSync(file, { throwIfNoEntry: false }) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 20))
    for (let index = 0; index < 8; index++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      const copy = join(folder, `copy${index}.db`)
      execFileSync('sh', ['-c', `cp ${file} ${copy}; cp ${file}-wal ${copy}-wal 2>/dev/null || true`])
      outcomes.push(await openCopy(copy))
    }
    await worker
    for (const outcome of outcomes) expect(outcome).toMatch(/^(whole|store_damaged|journal_damaged)$/)
  })
})

async function openCopy(copy: string): Promise<string> {
  try {
    const store = await openSqlite({ file: copy })
    try {
      await verifyAll(store)
      return 'whole'
    } finally {
      await store.close()
    }
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error)
  }
}

describe('C47 a reader that stands still:', () => {
  test('the write-ahead file grows, a warning says why, and it is cut back once the reader is gone', async () => {
    const warnings: string[] = []
    const walBytesMax = 512 * 1024
    const store = await openSqlite({ file, walBytesMax }, warnings)
    await create(store, 'r1')
    const reader = start('reader.mjs', [file])
    await once(reader.stdout!, 'data')
    reader.kill('SIGSTOP')
    const write = async (commits: number): Promise<void> => {
      const [owner] = await claim(store)
      let head = owner!.head
      for (let index = 0; index < commits; index++) {
        const outcome = await append(store, { ...owner!, head }, 10_000)
        if (outcome.kind === 'appended') head = outcome.events[0]!
      }
      await store.release(owner!)
    }
    await write(300)
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(walBytesMax)
    // Once, not with each commit.
    expect(warnings).toEqual([expect.stringMatching(/runs\.db-wal has grown to \d+ MiB.*another connection.*lsof/)])
    reader.kill('SIGKILL')
    await once(reader, 'exit')
    await write(130)
    expect(statSync(`${file}-wal`).size).toBeLessThan(walBytesMax + 64 * 15_000)
    await store.close()
  })
})
