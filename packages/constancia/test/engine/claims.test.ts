import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AttemptInfo, flow } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { factsOf } from 'constancia/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { defaultLimits } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { isWritable, rawConnection } from '../store/raw.js'
import { overStore } from './life.js'
import { drained, gate, kindsOf, leaseMs, Rig, stores, until, untilStatus } from './rig.js'

/** A flow of one step that blocks, and the attempts that were made of it. */
function blocking() {
  const attempts: AttemptInfo[] = []
  const gates = [gate<string>(), gate<string>(), gate<string>()]
  const contested = flow({
    name: 'contested',
    version: 1,
    async run(ctx) {
      const result = await ctx.step('work', (attempt) => {
        attempts.push(attempt)
        return gates[attempts.length - 1]!.promise
      })
      return ctx.step('after', () => `after ${result}`)
    },
  })
  return { contested, attempts, gates }
}

describe.each(stores)('on %s', (store) => {
  test('R-C1 of two workers exactly one has a run; the other gets it after the lease, with an epoch and a claim of its own', async () => {
    const rig = new Rig(store)
    const { contested, attempts, gates } = blocking()
    const first = await rig.live([contested])
    const second = await rig.live([contested])
    const run = await second.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'one begins')
    await rig.advance(leaseMs * 5) // Both live: the owner's heart renews its lease.
    expect(attempts).toHaveLength(1)
    const before = await run.row()
    const [owner, other] = before.claim?.worker === 'life-1' ? [first, second] : [second, first]
    await owner.crash()
    await rig.advance(leaseMs - 1)
    other.runtime.start(contested, null, { id: 'look' }).catch(() => undefined)
    await drained()
    expect((await other.runtime.run('r').row()).claim).toEqual(before.claim)
    await rig.advance(2)
    await until(() => attempts.some(({ epoch, key }) => key === 'r/0' && epoch === 2), 'the other takes over')
    const after = await other.runtime.run('r').row()
    expect([before.epoch, after.epoch]).toEqual([1, 2])
    expect(after.claim?.id).not.toBe(before.claim?.id)
    for (const each of gates) each.open('done')
    expect(await other.runtime.run('r').result()).toBe('after done')
  })

  test('R-C3 R-C2 a worker that lost its claim cannot write: its outcome is refused, and its flow goes no further', async () => {
    const rig = new Rig(store)
    const { contested, attempts, gates } = blocking()
    const refused: string[] = []
    const meddle = (real: Store): Store =>
      overStore(real, {
        async append(request) {
          const answer = await real.append(request)
          if (answer.kind !== 'appended') refused.push(answer.kind)
          return answer
        },
      })
    const slow = await rig.live([contested], { meddle, worker: { concurrency: 1 } }) // Full: it takes nothing more, itself included.
    await slow.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'the slow one begins')
    slow.stopHeart()
    await rig.advance(leaseMs - 1)
    const quick = await rig.live([contested])
    await rig.advance(2)
    await until(() => attempts.length === 2, 'the quick one takes over')
    // The slow one writes before it is told.
    gates[0]!.open('slow')
    await until(async () => refused.length > 0, 'the slow one is refused')
    expect(await kindsOf(quick.runtime.run('r'))).toEqual(['FlowStarted'])
    gates[1]!.open('quick')
    expect(await quick.runtime.run('r').result()).toBe('after quick')
    await rig.advance(leaseMs * 3)
    const events = await quick.runtime.run('r').events()
    expect(events.slice(1).every(({ by }) => by.endsWith('@2'))).toBe(true)
    expect(attempts.map(({ epoch }) => epoch)).toEqual([1, 2])
    expect(refused).toEqual(['claim_lost'])
  })

  test('R-C3 a heartbeat that is refused aborts the attempt at once, while its function still runs', async () => {
    const rig = new Rig(store)
    const { contested, attempts, gates } = blocking()
    const slow = await rig.live([contested], { worker: { concurrency: 1 } }) // Full: it takes nothing more, itself included.
    await slow.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'the slow one begins')
    const { signal } = attempts[0]!
    slow.stopHeart()
    await rig.advance(leaseMs - 1)
    const quick = await rig.live([contested])
    await rig.advance(2)
    await until(() => attempts.length === 2, 'the quick one takes over')
    expect(signal.aborted).toBe(false)
    await slow.beat()
    expect(signal.aborted).toBe(true)
    gates[0]!.open('slow')
    gates[1]!.open('quick')
    expect(await quick.runtime.run('r').result()).toBe('after quick')
    expect(slow.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('R-C2 R-C5 a worker whose lease ran out unnoticed and that gets its own run again does not let the old attempt write', async () => {
    const rig = new Rig(store)
    const { contested, attempts, gates } = blocking()
    const life = await rig.live([contested])
    const run = await life.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'it begins')
    const { signal } = attempts[0]!
    life.stopHeart()
    rig.clock.advance(leaseMs + 1)
    await life.runtime.start(contested, null, { id: 'wakes-the-worker' })
    await until(() => attempts.some(({ key, epoch }) => key === 'r/0' && epoch === 2), 'it takes its own run')
    expect(signal.aborted).toBe(true)
    gates[0]!.open('old')
    await drained()
    expect(await kindsOf(run)).toEqual(['FlowStarted'])
    for (const each of gates.slice(1)) each.open('new')
    expect(await run.result()).toBe('after new')
  })

  test('R-C2 R-A1 a worker so slow that its run has ended before it reads the journal does not call the flow', async () => {
    const rig = new Rig(store)
    const reading = gate()
    let calls = 0
    let asked = false
    const quick = flow({
      name: 'quick',
      version: 1,
      async run(ctx) {
        calls += 1
        return ctx.step('work', () => 'done')
      },
    })
    const meddle = (real: Store): Store =>
      overStore(real, {
        async read(stream, range) {
          asked = true
          await reading.promise
          return real.read(stream, range)
        },
      })
    const slow = await rig.live([quick], { meddle, worker: { concurrency: 1 } })
    slow.stopHeart()
    await slow.runtime.start(quick, null, { id: 'r' })
    await until(() => asked, 'it is about to read')
    await rig.advance(leaseMs + 1)
    const other = await rig.live([quick])
    await untilStatus(other.runtime.run('r'), 'completed')
    reading.open()
    for (let spins = 0; spins < 3; spins += 1) await drained()
    expect(calls).toBe(1)
  })

  test('R-C5 R-A4 what the dead one completed is re-read by its successor, and only the rest executes', async () => {
    const rig = new Rig(store)
    const { contested, attempts, gates } = blocking()
    gates[0]!.open('first life')
    const first = await rig.live([contested], { crashAfter: 2 })
    await first.runtime.start(contested, null, { id: 'r' })
    await until(() => first.dead, 'it crashes')
    const second = await rig.succeed(first, [contested])
    expect(await second.runtime.run('r').result()).toBe('after first life')
    expect(attempts).toHaveLength(1)
    const events = await second.runtime.run('r').events()
    const authors = events.slice(1).map(({ by }) => by)
    expect(new Set(authors).size).toBe(2)
    expect(authors[0]).toMatch(/^claim:[0-9a-f]+@1$/)
  })

  test('R-C1 R-A7 a hand-over at every place leaves one history: no event of an older epoch after one of a newer', async () => {
    const rig = new Rig(store)
    const long = flow({
      name: 'long',
      version: 1,
      async run(ctx) {
        const all: number[] = []
        for (let i = 0; i < 6; i += 1) all.push(await ctx.step(`s${i}`, () => i))
        return all
      },
    })
    let life = await rig.live([long], { crashAfter: 2 })
    await life.runtime.start(long, null, { id: 'r' })
    for (let crashAfter = 3; crashAfter < 8; crashAfter += 1) {
      await until(() => life.dead, 'it crashes')
      life = await rig.succeed(life, [long], { crashAfter })
    }
    await until(() => life.dead, 'it crashes')
    life = await rig.succeed(life, [long])
    const run = life.runtime.run('r')
    expect(await run.result()).toEqual([0, 1, 2, 3, 4, 5])
    const epochs = (await run.events()).slice(1).map(({ by }) => Number(by.split('@')[1]))
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b))
    expect(factsOf(await run.events())).toHaveLength(8)
  })

  test('R-C1 a worker claims only flows and versions that it has: the run waits, and the list says for what', async () => {
    const rig = new Rig(store)
    const one = flow({ name: 'versioned', version: 1, run: async () => 'one' })
    const two = flow({ name: 'versioned', version: 2, run: async () => 'two' })
    const old = await rig.live([one], { worker: false })
    await old.runtime.start(one, null, { id: 'r' })
    const life = await rig.live([two])
    await rig.advance(leaseMs * 3)
    const [row] = (await life.runtime.runs()).items
    expect(row).toMatchObject({
      id: 'r',
      status: 'ready',
      epoch: 0,
      waitingFor: [{ kind: 'worker', name: expect.stringContaining('versioned@1') }],
    })
    expect((await old.runtime.runs()).items[0]?.waitingFor).toEqual([])
    const both = await rig.live([one, two])
    expect(await both.runtime.run('r').result()).toBe('one')
  })
})

// Longer than a busy machine takes to start a thread or a process.
const realLeaseMs = 3_000

let rival: ChildProcess | undefined

afterEach(() => {
  rival?.stdin?.end()
  rival?.kill('SIGKILL')
})

/** Starts another process on the file; returns what it says. */
async function startRival(file: string, ms: number): Promise<string[]> {
  const said: string[] = []
  rival = spawn(process.execPath, [fileURLToPath(new URL('rival.mjs', import.meta.url)), file, String(ms)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  rival.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')))
  await until(() => said.includes('up'), 'the rival is up')
  return said
}

// Stopped where it holds no lock on the file, which it has for a moment when it announces itself.
async function stopRival(file: string): Promise<void> {
  rival?.kill('SIGSTOP')
  while (!isWritable(file)) {
    rival?.kill('SIGCONT')
    await pause(7)
    rival?.kill('SIGSTOP')
  }
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe('two real processes and the thread that keeps leases alive', () => {
  test('R-C2 a step that blocks its process for longer than two leases is slow and not dead: the other process does not get the run', async () => {
    const rig = new Rig('SQLite', 'real')
    const ms = realLeaseMs
    await (await rig.live([], { worker: false })).runtime.close()
    const said = await startRival(rig.file, ms)
    // The rival has the flow as well: it must not be the one that takes the run at first.
    await stopRival(rig.file)
    let blockedAt = 0
    const contested = flow({
      name: 'contested',
      version: 1,
      run: (ctx) =>
        ctx.step('work', async ({ epoch, signal }) => {
          await heartIsUp()
          if (signal.aborted) return 'abandoned'
          blockedAt = epoch
          rival?.kill('SIGCONT')
          block(2.25 * ms)
          return 'mine'
        }),
    })
    const life = await rig.live([contested], { worker: { leaseMs: ms } })
    const run = await life.runtime.start(contested, null)
    const heartIsUp = async (): Promise<void> => {
      const leaseUntilMs = async (): Promise<number | undefined> => (await run.row()).claim?.leaseUntilMs
      const before = await leaseUntilMs()
      await until(async () => (await leaseUntilMs()) !== before, 'the lease is renewed')
    }
    expect(await run.result()).toBe('mine')
    expect((await run.row()).epoch).toBe(blockedAt)
    expect(said).toEqual(['up'])
  })

  test('R-C3 a claim that was taken away fires the AbortSignal within a lease, and nothing more is written', async () => {
    const rig = new Rig('SQLite', 'real')
    const { contested, attempts, gates } = blocking()
    const leaseMs = 3 * realLeaseMs // Its heart beats every third of that.
    const life = await rig.live([contested], { worker: { leaseMs } })
    const run = await life.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'it begins')
    const { signal } = attempts[0]!
    const thief = await openAhead(rig.file, 60_000)
    const flows = [{ flow: 'contested', version: 1 }]
    const request = { worker: 'thief', flows, limit: 1, leaseMs: 60_000, lostLeaseCountMax: 5 }
    const [claim] = (await thief.claim(request)).claims
    const takenMs = performance.now()
    expect(claim?.epoch).toBe(2)
    await until(() => signal.aborted, 'it is told')
    expect(performance.now() - takenMs).toBeLessThan(leaseMs)
    gates[0]!.open('too late')
    await drained()
    expect(await kindsOf(run)).toEqual(['FlowStarted'])
    await thief.close()
  })

  test('R-C1 a process that takes over a run whose owner was killed does it once its lease ran out', async () => {
    const rig = new Rig('SQLite', 'real')
    const { contested, attempts } = blocking()
    const life = await rig.live([contested]) // Its lease runs out when this test says so.
    await life.runtime.start(contested, null, { id: 'r' })
    await until(() => attempts.length === 1, 'it begins')
    const said = await startRival(rig.file, realLeaseMs)
    await life.crash()
    await pause(100) // The rival looks every 20 ms.
    expect(said).toEqual(['up'])
    expire(rig.file)
    const idle = await rig.live([], { worker: false })
    await untilStatus(idle.runtime.run('r'), 'completed')
    await until(() => said.length === 2, 'the rival is heard') // What it says is on its way longer than what it writes.
    expect(said).toEqual(['up', 'executed 2'])
    expect((await idle.runtime.run('r').row()).epoch).toBe(2)
  })
})

/** Every lease of the file runs out now. */
function expire(file: string): void {
  const database = rawConnection(file)
  database.exec('PRAGMA busy_timeout = 30000; UPDATE runs SET due_at = 1 WHERE claim_id IS NOT NULL')
  database.close()
}

/** Another handle on the file, whose clock is ahead, so that every lease has run out for it. */
function openAhead(file: string, byMs: number): Promise<Store> {
  const clock = { ...systemClock, now: () => systemClock.now() + byMs }
  return sqlite({ file })({
    clock,
    randomBytes: (count) => randomBytes(count),
    limits: defaultLimits,
    warn: () => undefined,
  })
}
