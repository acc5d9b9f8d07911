import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draftOf, nothingSeen } from '../../dist/journal/index.js'
import type { Claim, ClaimAnswer, ClaimedFlow, ClaimRequest, Store } from '../../dist/store/index.js'
import { type ScriptedClock, scriptedClock } from './scripted-clock.js'
import { idOf, stepped } from './storage.js'
import { makeFolder, partsOf } from './stores.js'

let folder: string
let clock: ScriptedClock
let store: Store

beforeEach(async () => {
  folder = makeFolder()
  clock = scriptedClock(Date.UTC(2026, 0, 1))
  store = await sqlite({ file: join(folder, 'runs.db'), watchPollMs: 0 })(partsOf(clock))
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(on: Store, run: string, key?: string): Promise<unknown> {
  const body = {
    flow: 'f',
    version: 1,
    actor: null,
    contract: null,
    patches: [],
    ...(key === undefined ? {} : { key }),
  }
  return on.create({
    run: idOf(run),
    drafts: [draftOf('FlowStarted', body, '1')],
    by: 'system:test',
    seen: nothingSeen,
  })
}

// Each is due a millisecond after the one before.
async function startAll(keys: readonly (string | undefined)[], prefix: string): Promise<void> {
  for (const [index, key] of keys.entries()) {
    await clock.advance(1)
    await start(store, `${prefix}${index}`, key)
  }
}

const leaseMs = 60_000

function claimOf(on: Store, flow: Partial<ClaimedFlow>, given: Partial<ClaimRequest> = {}): Promise<ClaimAnswer> {
  const flows = [{ flow: 'f', version: 1, ...flow }]
  return on.claim({ worker: 'w', flows, limit: 10, leaseMs, lostLeaseCountMax: 2, ...given })
}

const runsOf = ({ claims }: ClaimAnswer): string[] => claims.map(({ run }) => run)

test('a key at its limit with very many due runs holds up no run behind them, and those are served in their order', async () => {
  await startAll(new Array(300).fill('hog'), 'hog')
  await startAll(['a', undefined, 'b', 'a', undefined, 'hog'], 'r')
  expect(runsOf(await claimOf(store, { runningPerKeyMax: 1 }))).toEqual(['hog0', 'r0', 'r1', 'r2', 'r4'])
  const idle = await claimOf(store, { runningPerKeyMax: 1 })
  expect(idle).toMatchObject({ claims: [], nextDueAtMs: clock.now() + leaseMs, setAside: [] })
})

test('so it is where the keys are very many as well', async () => {
  await startAll(new Array(100).fill('hog'), 'hog')
  await startAll(
    Array.from({ length: 1010 }, (_, index) => `key${index}`),
    'r',
  )
  expect(runsOf(await claimOf(store, { runningPerKeyMax: 1 }, { limit: 3 }))).toEqual(['hog0', 'r0', 'r1'])
  await startAll(['key0', 'key1', undefined, 'new'], 's')
  expect(runsOf(await claimOf(store, { runningPerKeyMax: 1 }, { limit: 2000 }))).toHaveLength(1010)
})

test('R-B9 runs that are set aside do not use up what a claim looks at', async () => {
  await startAll(new Array(5).fill(undefined), 'poison')
  for (let count = 0; count < 2; count++) {
    expect((await claimOf(store, {})).claims).toHaveLength(5)
    await clock.advance(leaseMs)
  }
  await startAll(['a', undefined], 'r')
  const answer = await claimOf(store, {}, { limit: 1 })
  expect([runsOf(answer), answer.setAside.length]).toEqual([['r0'], 5])
  expect(answer.nextDueAtMs).toBe(clock.now())
})

test('R-B9 suspects that are held back, however many, are passed over', async () => {
  await startAll(new Array(200).fill(undefined), 'suspect')
  for (let count = 0; count < 2; count++) {
    expect((await claimOf(store, {}, { limit: 300, lostLeaseCountMax: 9 })).claims).toHaveLength(200)
    await clock.advance(leaseMs)
  }
  await startAll(['a', undefined, 'a'], 'r')
  const limits = { runningMax: 100, runningPerKeyMax: 1 }
  const answer = await claimOf(store, limits, { limit: 5, suspectCountMax: 1, lostLeaseCountMax: 9 })
  expect([runsOf(answer), answer.nextDueAtMs]).toEqual([['suspect0', 'r0', 'r1'], undefined])
  const unlimited = await claimOf(store, {}, { limit: 5, suspectCountMax: 0, lostLeaseCountMax: 9 })
  expect(runsOf(unlimited)).toEqual(['r2'])
})

// The generator of Park and Miller.
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647
    return state % sides
  }
}

interface Pair {
  readonly claims: readonly [Claim, Claim]
}

test('R-A2 both stores take the same runs in the same order, whatever the limits', async () => {
  const other = await memory(memoryDisk())(partsOf(clock))
  for (const seed of [1, 2, 3, 4]) await compare(other, seed)
  await other.close()
})

async function compare(other: Store, seed: number): Promise<void> {
  const roll = dice(seed)
  const held: Pair[] = []
  const both = async <T>(does: (on: Store, place: 0 | 1) => Promise<T>): Promise<[T, T]> => [
    await does(store, 0),
    await does(other, 1),
  ]
  for (let turn = 0; turn < 250; turn++) {
    await clock.advance(1)
    const what = roll(10)
    if (what < 5) await startBoth(both, `s${seed}-${turn}`, ['hog', 'hog', 'hog', 'a', 'b', undefined][roll(6)])
    else if (what < 7) held.push(...(await claimBoth(both, roll, `seed ${seed}, turn ${turn}`)))
    else if (what === 7) await clock.advance(roll(3) === 0 ? leaseMs : 10)
    else if (held.length > 0) await restBoth(both, roll, held.splice(roll(held.length), 1)[0]!)
  }
}

type Both = <T>(does: (on: Store, place: 0 | 1) => Promise<T>) => Promise<[T, T]>

async function startBoth(both: Both, run: string, key: string | undefined): Promise<void> {
  await both((on) => start(on, run, key))
}

async function claimBoth(both: Both, roll: (sides: number) => number, where: string): Promise<Pair[]> {
  const limits = { ...(roll(2) === 0 ? {} : { runningMax: 1 + roll(12) }), runningPerKeyMax: 1 + roll(3) }
  const limit = 1 + roll(5)
  const suspectCountMax = roll(3)
  const [one, two] = await both((on) => claimOf(on, limits, { limit, lostLeaseCountMax: 4, suspectCountMax }))
  const shown = (answer: ClaimAnswer): unknown => [runsOf(answer), answer.setAside, answer.nextDueAtMs]
  expect(shown(one), where).toEqual(shown(two))
  return one.claims.map((claim, index) => ({ claims: [claim, two.claims[index]!] }))
}

async function restBoth(both: Both, roll: (sides: number) => number, { claims }: Pair): Promise<void> {
  const what = roll(3)
  const wakeAtMs = clock.now() + roll(30)
  const outcomes = await both(async (on, place) => {
    const claim = claims[place]
    if (what === 0) return on.release(claim)
    const rest = { kind: 'waiting', wakeAtMs, waitingFor: [] } as const
    if (what === 1) return on.suspend({ claim, head: claim.head, rest, readSignalCount: 0 })
    const appended = { claim, head: claim.head, drafts: [stepped()], seen: nothingSeen, readSignalCount: 0 }
    return (await on.append(appended)).kind
  })
  expect(outcomes[0]).toEqual(outcomes[1])
}
