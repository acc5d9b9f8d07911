import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { verifyBundle } from '../../../verify/dist/index.js'
import { nodeCrypto } from '../../../verify/dist/node.js'
import { inspectLog, newKey, proveRuns } from '../../dist/evidence/log/index.js'
import { defaultLimits, parseRunId } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { databaseUrl } from '../postgres/database.js'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'
import type { StoreAddress } from '../processes/scene-store.js'
import storeAt from '../processes/stores.mjs'
import { makeFolder } from '../store/stores.js'
import { origin } from './rig.js'

const program = fileURLToPath(new URL('sealing-process.mjs', import.meta.url))
const key = newKey(origin)

interface Order {
  readonly address: StoreAddress
  readonly name: string
  /** At which moment of its sealing it kills itself; 0 for never. */
  readonly at: number
  /** After how many checkpoints somebody else kills it; 0 for never. */
  readonly after: number
}

/** Seals until it is killed. Returns the notes of the checkpoints that it handed out. */
async function sealed({ address, name, at, after }: Order): Promise<string[]> {
  const order = JSON.stringify({ address, origin, signerKey: key.signerKey, name, at })
  const child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'pipe', 'inherit'] })
  const handed: string[] = []
  const ended = once(child, 'close')
  createInterface({ input: child.stdout }).on('line', (line) => {
    handed.push(JSON.parse(line) as string)
    if (handed.length === after) child.kill('SIGKILL')
  })
  const [, signal] = await ended
  expect(signal).toBe('SIGKILL')
  return handed
}

async function withStore<T>(address: StoreAddress, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await storeAt(address)({
    clock: systemClock,
    randomBytes,
    limits: defaultLimits,
    warn: () => undefined,
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** There is one history, and each checkpoint that was ever handed out is one of it. */
async function judge(address: StoreAddress, handed: readonly string[]): Promise<void> {
  await withStore(address, async (store) => {
    expect((await inspectLog(store, origin)).findings).toEqual([])
    for (const note of handed.slice(-20)) {
      const size = Number(note.split('\n')[1])
      expect((await store.log.checkpointUpTo(size))?.note).toBe(note)
    }
  })
}

/** The file of a run, up to where the log is now, shows that it goes on from a checkpoint. */
async function prove(address: StoreAddress, run: string, note: string): Promise<void> {
  await withStore(address, async (store) => {
    const since = Number(note.split('\n')[1])
    const { bytes } = await proveRuns(store, { of: { runs: [parseRunId(run)] }, origin, since })
    const report = await verifyBundle(bytes, { crypto: nodeCrypto, keys: [key.verifierKey], origin, earlier: note })
    expect(report.verdict).toBe('proven')
  })
}

async function killAll(address: StoreAddress, momentCount: number): Promise<void> {
  const handed: string[] = []
  for (let moment = 1; moment <= momentCount; moment += 1) {
    const at = moment
    const mine = { address, name: `at${moment}`, at, after: 0 }
    // Beside it another one seals, which somebody else kills: at a time that nobody has chosen.
    const other = { address, name: `beside${moment}`, at: 0, after: 1 + (moment % 3) }
    const both = isCampaign ? await Promise.all([sealed(mine), sealed(other)]) : [await sealed(mine)]
    handed.push(...both.flat())
    await judge(address, handed)
  }
  const last = await sealed({ address, name: 'last', at: 0, after: 2 })
  await judge(address, [...handed, ...last])
  await prove(address, 'last-0', (handed[0] ?? last[0]) as string)
  keep(`sealing-kills-${address.kind}`, {
    table: () =>
      `${address.kind}: ${momentCount * (isCampaign ? 2 : 1) + 1} kills, ${handed.length + last.length} checkpoints handed out, one history`,
  })
}

describe('R-G2 T6 whoever seals is killed:', { timeout: limitMs }, () => {
  test('at each call of the store, before and after it, on SQLite: there is one history', async () => {
    const folder = makeFolder()
    // A sealing is four calls, so that eight moments and one are all of one, and the first of the next.
    await killAll({ kind: 'sqlite', file: join(folder, 'app.db') }, isCampaign ? 50 : 9)
    rmSync(folder, { recursive: true, force: true })
  })

  test.runIf(isCampaign)('the same on PostgreSQL', async () => {
    const schema = `kills_${randomBytes(4).toString('hex')}`
    await killAll({ kind: 'postgres', url: await databaseUrl(), schema }, 50)
  })
})
