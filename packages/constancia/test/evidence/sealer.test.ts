import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  checkpointEndpoint,
  checkpointFolder,
  checkpointRepository,
  type OutsidePlace,
} from '../../dist/evidence/index.js'
import { inspectLog, keyAdded, keyRetired, type Sealer } from '../../dist/evidence/log/index.js'
import { type Draft, headOf, nothingSeen, type StreamId, seenOf } from '../../dist/journal/index.js'
import type { Checkpoint, Log, Store } from '../../dist/store/index.js'
import { overStore } from '../engine/life.js'
import { makeFolder } from '../store/stores.js'
import { failed, freshKey, origin, Rig } from './rig.js'

let rig: Rig
let folder: string
const sealers: Sealer[] = []

beforeEach(async () => {
  folder = makeFolder()
  rig = new Rig(memory(memoryDisk()))
  await rig.open()
})

afterEach(async () => {
  for (const sealer of sealers.splice(0)) await sealer.stop()
  await rig.store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function begun(...args: Parameters<Rig['sealer']>): Promise<Sealer> {
  const sealer = await rig.sealer(...args)
  sealers.push(sealer)
  return sealer
}

async function checkpoints(store = rig.store): Promise<Checkpoint[]> {
  return store.log.checkpoints({ fromSize: 0, limit: 1_000 })
}

/** Lets time pass, as a sealer lives through it. */
async function pass(ms: number, ...all: Sealer[]): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    rig.clock.advance(500)
    for (const sealer of all) await sealer.settled()
  }
}

test('R-G2 what changed is sealed within 10 seconds, an hour without changes is sealed as well, and in between nothing is', async () => {
  const sealer = await begun()
  await pass(10_000, sealer)
  expect(await checkpoints()).toHaveLength(1)
  for (let round = 0; round < 4; round += 1) {
    await rig.run(`r${round}`)
    const changedMs = rig.clock.now()
    await pass(10_000, sealer)
    const all = await checkpoints()
    expect(all).toHaveLength(2 + round)
    expect(all.at(-1)!.atMs - changedMs).toBeLessThanOrEqual(10_000)
    const leaves = await rig.store.log.leaves({ from: 1 + 2 * round, limit: 9 })
    expect(leaves.map(({ stream }) => stream)).toEqual([`run/r${round}`, 'governance'])
  }
  await pass(60_000, sealer)
  expect(await checkpoints()).toHaveLength(5)
  rig.clock.advance(3_600_000)
  await sealer.settled()
  await pass(10_000, sealer)
  expect(await checkpoints()).toHaveLength(6)
  expect(rig.told).toEqual([])
})

test('R-G2 of several sealers one seals at a time, whoever stops is replaced within 10 seconds, and all name the same checkpoint', async () => {
  const one = await begun([], { holder: 'one' })
  const other = await begun([], { holder: 'other' })
  for (let round = 0; round < 6; round += 1) {
    await rig.run(`a${round}`)
    await pass(10_000, one, other)
  }
  const before = await checkpoints()
  expect(before).toHaveLength(6)
  await one.stop()
  await rig.run('late')
  await pass(10_000, other)
  expect((await checkpoints()).length).toBeGreaterThan(before.length)
  expect((await inspectLog(rig.store, origin)).findings).toEqual([])
})

test('R-G2 two sealers that seal at once never fork the log, 60 times', async () => {
  const one = await begun([], { holder: 'one' })
  const other = await begun([], { holder: 'other' })
  const kinds: string[] = []
  for (let round = 0; round < 60; round += 1) {
    await rig.run(`r${round}`, 0)
    const outcomes = await Promise.all([one.sealNow(), other.sealNow()])
    kinds.push(...outcomes.map(({ kind }) => kind))
  }
  expect(kinds.filter((kind) => kind === 'sealed')).toHaveLength(60)
  expect(kinds.filter((kind) => kind === 'conflict').length).toBeGreaterThan(20)
  const { findings, leafCount, checkpointCount } = await inspectLog(rig.store, origin)
  expect([findings, leafCount, checkpointCount]).toEqual([[], 120, 60])
})

/** A store whose log fails at one call, before it or once it has done what was asked. */
function failingAt(store: Store, at: number, when: 'before' | 'after', calls: string[]): Store {
  const failing =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls.push(name)
      const isIt = calls.length === at
      if (isIt && when === 'before') throw new Error('away')
      const answer = await call(...args)
      if (isIt) throw new Error('away')
      return answer
    }
  const { log } = store
  const changed: Log = {
    state: failing('state', () => log.state()),
    grown: failing('grown', (limit) => log.grown(limit)),
    seal: failing('seal', (sealing) => log.seal(sealing)),
    tiles: failing('tiles', (places) => log.tiles(places)),
    leaves: (range) => log.leaves(range),
    leavesOf: (stream, range) => log.leavesOf(stream, range),
    checkpoints: (range) => log.checkpoints(range),
    checkpointUpTo: (size) => log.checkpointUpTo(size),
    attest: (attestation) => log.attest(attestation),
    attestations: (range) => log.attestations(range),
    attestationsUpTo: (range) => log.attestationsUpTo(range),
    streams: (range) => log.streams(range),
    begun: (range) => log.begun(range),
    lease: failing('lease', (holder, forMs) => log.lease(holder, forMs)),
    know: (checkpoint) => log.know(checkpoint),
  }
  return overStore(store, { log: changed, read: failing('read', (stream, range) => store.read(stream, range)) })
}

test('C60 R-G3 keys are rotated and retired while sealers work under load, and every checkpoint counts by its place', async () => {
  // In rounds: three sealers, those with the old and the new key, seal at once while runs begin and governance changes.
  let mine = rig.mine
  await (await begun()).sealNow()
  let doneCount = 0
  for (let round = 0; round < 12; round += 1) {
    const next = freshKey()
    const old = await begun([], { mine, holder: `old ${round}` })
    await record(await keyAdded(next, mine))
    const fresh = await begun([], { mine: next, holder: `new ${round}` })
    const retired = record(keyRetired(mine.key.text))
    const work = [
      rig.run(`a${round}`),
      rig.run(`b${round}`),
      old.sealNow(),
      fresh.sealNow(),
      retired,
      old.sealNow(),
      fresh.sealNow(),
    ]
    const ended = await Promise.allSettled(work)
    // Whoever comes with the old key after its end is told, and seals nothing.
    for (const one of ended) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'key_not_active' })
    doneCount += ended.filter((one) => one.status === 'fulfilled').length
    await rig.run(`c${round}`)
    expect(await fresh.sealNow()).toMatchObject({ kind: 'sealed' })
    await rig.run(`d${round}`)
    await expect(old.sealNow()).rejects.toMatchObject({ code: 'key_not_active' })
    for (const one of sealers.splice(0)) await one.stop()
    mine = next
  }
  expect(doneCount).toBeGreaterThan(12 * 4)
  expect((await inspectLog(rig.store, origin)).findings).toEqual([])
  // The file up to each checkpoint is proven by the first key, which vouched for the second, and so on.
  const all = await checkpoints()
  expect(all.length).toBeGreaterThan(12)
  const signers = new Set<string | undefined>()
  for (const { size, note } of all) {
    const { bytes } = await rig.prove(['c11'], { since: size })
    const report = await rig.verify(bytes, { earlier: note })
    expect([report.verdict, failed(report)]).toEqual(['proven', []])
    signers.add(
      note
        .split('\n')
        .find((line) => line.startsWith('— '))
        ?.slice(0, 80),
    )
  }
  expect(signers.size).toBeGreaterThan(12)
})

/** Adds an event to governance, behind whatever is there. */
async function record(draft: Draft): Promise<void> {
  const stream = 'governance' as StreamId
  const last = (await rig.store.read(stream)).at(-1)
  const seen = last === undefined ? nothingSeen : seenOf(headOf(last))
  await rig.store.record({ stream, head: undefined, drafts: [draft], by: 'system:evidence', seen })
}

test('R-G2 whichever call of the store fails while it seals, before or after it was done, the log goes on and is whole', async () => {
  await (await begun()).stop()
  const fired: string[] = []
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; ; at += 1) {
      const calls: string[] = []
      const store = failingAt(rig.store, at, when, calls)
      await rig.run(`${when}${at}`)
      const sealer = await rig.sealer([], { store, holder: `${when}${at}` }).catch((error: Error) => error)
      const outcome = sealer instanceof Error ? sealer : await sealer.sealNow().catch((error: Error) => error)
      const isOver = calls.length < at
      if (!isOver) {
        expect(outcome).toBeInstanceOf(Error)
        fired.push(`${when} ${calls.at(-1)}`)
      }
      if (!(sealer instanceof Error)) await sealer.stop()
      const next = await rig.sealer([], { holder: 'next' })
      await next.stop()
      expect((await rig.store.log.grown(99)).heads).toEqual([])
      expect((await inspectLog(rig.store, origin)).findings).toEqual([])
      if (isOver) break
    }
  }
  for (const one of ['state', 'grown', 'read', 'tiles', 'seal'])
    for (const when of ['before', 'after']) expect(fired).toContain(`${when} ${one}`)
})

test('a key that may not sign seals nothing, says so once, and a log has one first key', async () => {
  await begun()
  await expect(rig.sealer([], { mine: freshKey() })).rejects.toMatchObject({ code: 'key_not_active' })
  const again = await begun()
  await rig.run('r1')
  expect((await again.sealNow()).kind).toBe('sealed')
  expect((await rig.store.read('governance' as never)).map(({ kind }) => kind)).toEqual(['KeyAdded'])
})

test('a signer whose signatures are wrong gets nothing into the log, and runs go on', async () => {
  const wrong = { ...rig.mine, signer: { ...rig.mine.signer, sign: () => new Uint8Array(64) } }
  await (await begun()).stop()
  const sealer = await rig.sealer([], { mine: wrong })
  await rig.run('r1')
  await expect(sealer.sealNow()).rejects.toMatchObject({ code: 'key_invalid' })
  await pass(10_000, sealer)
  expect(rig.told.filter((text) => text.startsWith('warn'))).toHaveLength(1)
  await sealer.stop()
  expect((await rig.store.log.grown(9)).heads).toHaveLength(1)
})

describe('outside:', () => {
  test('R-G2 a folder has one file for each checkpoint, which is never written again', async () => {
    const place = checkpointFolder(join(folder, 'kept'))
    const sealer = await begun([place])
    for (let round = 0; round < 3; round += 1) {
      await rig.run(`r${round}`)
      await pass(5_000, sealer)
    }
    await sealer.stop()
    const names = readdirSync(join(folder, 'kept')).sort()
    const all = await checkpoints()
    expect(names).toHaveLength(all.length)
    expect(names.map((name) => readFileSync(join(folder, 'kept', name), 'utf8'))).toEqual(all.map(({ note }) => note))
    expect(await place.last?.()).toBe(all.at(-1)?.note)
    writeFileSync(join(folder, 'kept', names[0] ?? ''), 'another')
    await expect(place.keep(all[0]!)).rejects.toThrow(/already/)
  })

  test('R-G2 a Git repository has one commit for each checkpoint', async () => {
    execFileSync('git', ['init', '-q', folder])
    const sealer = await begun([checkpointRepository(folder)])
    for (let round = 0; round < 3; round += 1) {
      await rig.run(`r${round}`)
      await pass(5_000, sealer)
    }
    await sealer.stop()
    const log = execFileSync('git', ['-C', folder, 'log', '--format=%s', '--reverse'], { encoding: 'utf8' })
    expect(log.trim().split('\n')).toEqual((await checkpoints()).map(({ size }) => `Checkpoint of ${size} leaves`))
    expect(execFileSync('git', ['-C', folder, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('')
  })

  test('R-G2 an endpoint gets each checkpoint by POST', async () => {
    const got: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (some: Buffer) => {
        body += some.toString()
      })
      request.on('end', () => {
        got.push(`${request.method} ${body}`)
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const sealer = await begun([checkpointEndpoint(`http://127.0.0.1:${port}/log?token=secret`)])
    await rig.run('r1')
    await pass(5_000, sealer)
    await sealer.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(got).toEqual((await checkpoints()).map(({ note }) => `POST ${note}`))
  })

  test('a place that is away delays nothing, is told once, and gets all of it once it is back', async () => {
    const kept: number[] = []
    let isAway = true
    const place: OutsidePlace = {
      name: 'the place',
      keep: async ({ size }) => {
        if (isAway) throw new Error('no route')
        kept.push(size)
      },
    }
    const sealer = await begun([place])
    for (let round = 0; round < 3; round += 1) {
      await rig.run(`r${round}`)
      await pass(5_000, sealer)
    }
    expect(await checkpoints()).toHaveLength(3)
    expect(rig.told).toEqual([expect.stringMatching(/^warn: Checkpoints do not reach the place \(no route\)/)])
    isAway = false
    await pass(5_000, sealer)
    expect(kept).toEqual((await checkpoints()).map(({ size }) => size))
    expect(rig.told.at(-1)).toBe('info: Checkpoints reach the place again.')
  })
})

test('C60 a database that is behind a checkpoint kept outside is not worked on until an operator accepts it', async () => {
  const file = join(folder, 'runs.db')
  const own = new Rig(sqlite({ file }), rig.mine)
  const place = checkpointFolder(join(folder, 'kept'))
  await own.open()
  const first = await own.sealer([place])
  await own.run('r1')
  await first.stop()
  await own.store.close()
  copyFileSync(file, join(folder, 'backup.db'))
  await own.open()
  const second = await own.sealer([place])
  await own.run('r2')
  await second.stop()
  await own.store.close()

  const restored = new Rig(sqlite({ file: join(folder, 'backup.db') }), rig.mine)
  restored.clock.advance(60_000)
  await restored.open()
  await restored.run('r3')
  await expect(restored.sealer([place])).rejects.toMatchObject({ code: 'store_rolled_back' })
  expect(restored.told.at(-1)).toMatch(/lost its newest part: its log has 2 leaves, and one of 4 was signed/)
  await expect(restored.sealer([])).rejects.toMatchObject({ code: 'store_rolled_back' })
  await restored.store.quarantine({ code: 'rolled_back', message: 'accepted' })
  const third = await restored.sealer([place])
  await third.stop()
  // It is as long now, and another one: who kept the earlier checkpoint sees it, and both are kept.
  expect(readdirSync(join(folder, 'kept'))).toHaveLength(3)
  await restored.store.close()
})

test('R-G2 an empty database does not take the place of one whose checkpoints are kept', async () => {
  const place = checkpointFolder(join(folder, 'kept'))
  const sealer = await begun([place])
  await rig.run('r1')
  await sealer.stop()
  const empty = new Rig(memory(memoryDisk()), rig.mine)
  await empty.open()
  await expect(empty.sealer([place])).rejects.toMatchObject({ code: 'store_rolled_back' })
  expect(await empty.store.read('governance' as never)).toEqual([])
  const other = new Rig(memory(memoryDisk()))
  await other.open()
  await expect(other.sealer([place])).rejects.toMatchObject({ code: 'invalid_evidence' })
  expect(failed).toBeDefined()
})
