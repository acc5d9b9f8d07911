import { setTimeout as pause } from 'node:timers/promises'
import { type Flow, flow, type StoredEvent } from 'constancia'
import { type Fact, factsOf } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import type { Parts } from '../../dist/engine/index.js'
import { Rig, type StoreName, stores, until } from './rig.js'

type Pace = 'scripted' | 'none' | 'reversed'

interface Told {
  readonly called: string[]
  pace: Pace
}

const sequences = { a: [16, 2, 16], b: [2, 16, 2] }

/** Two branches of three steps, whose steps end in another order than they begin. */
function twoByThree(told: Told): Flow<null, unknown> {
  return flow<null, unknown>({
    name: 'two-by-three',
    version: 1,
    run: (ctx) =>
      ctx.map(['a', 'b'] as const, async (side, branch) => {
        let sum = side as string
        for (const [index, ms] of sequences[side].entries()) {
          const name = `${side}${index}`
          sum += await branch.step(name, () => act(told, name, ms))
        }
        return sum
      }),
  })
}

/** Two outer and five inner branches each, every inner step followed by one more. */
function nested(told: Told): Flow<null, unknown> {
  return flow<null, unknown>({
    name: 'nested',
    version: 1,
    run: (ctx) =>
      ctx.map([0, 1], (outer, branch) =>
        branch.map([0, 1, 2, 3, 4], async (inner, leaf) => {
          const ms = ((inner * 7 + outer * 3) % 5) * 2
          const first = await leaf.step(`first ${outer}${inner}`, () => act(told, `first ${outer}${inner}`, ms))
          return first + (await leaf.step(`then ${outer}${inner}`, () => act(told, `then ${outer}${inner}`, 8 - ms)))
        }),
      ),
  })
}

async function act(told: Told, name: string, ms: number): Promise<string> {
  told.called.push(name)
  if (told.pace !== 'none') await pause(told.pace === 'scripted' ? ms : 18 - ms)
  return `<${name}>`
}

/** The facts of each branch, without their places in the journal. */
function byBranch(facts: readonly Fact[]): Record<string, string[]> {
  const branches: Record<string, string[]> = {}
  for (const { kind, body, data } of facts) {
    const { op } = JSON.parse(body) as { op?: string }
    const branch = op?.replace(/\.?\d+$/, '') ?? 'run'
    branches[branch] = [...(branches[branch] ?? []), `${kind} ${body} ${data}`]
  }
  return branches
}

/** Holds outcomes back so that they come in the order of another journal. */
function inOrderOf(reference: readonly StoredEvent[], alreadyStored: number): Parts['hold'] {
  const order = reference.slice(alreadyStored).map(({ body }) => (JSON.parse(body) as { op?: string }).op)
  const waiting = new Map<string, () => void>()
  const release = (): void => {
    for (let next = order[0]; next !== undefined && waiting.has(next); next = order[0]) {
      order.shift()
      waiting.get(next)?.()
    }
  }
  return (_run, draft) => {
    const { op } = JSON.parse(draft.body) as { op: string }
    queueMicrotask(release) // Once whoever asks listens.
    return new Promise((pass) => waiting.set(op, pass))
  }
}

type Make = (told: Told) => Flow<null, unknown>

async function reference(store: StoreName, make: Make): Promise<readonly StoredEvent[]> {
  const told: Told = { called: [], pace: 'scripted' }
  const rig = new Rig(store)
  const made = make(told)
  const run = await (await rig.live([made])).runtime.start(made, null, { id: 'r' })
  await run.result()
  return run.events()
}

async function crashed(store: StoreName, make: Make, crashAfter: number) {
  const told: Told = { called: [], pace: 'scripted' }
  const rig = new Rig(store)
  const made = make(told)
  const life = await rig.live([made], { crashAfter })
  life.runtime.start(made, null, { id: 'r' }).catch(() => undefined)
  await until(() => life.dead, 'it crashes')
  return { told, rig, made, life }
}

const shapes = [
  ['two branches of three steps', twoByThree, 8],
  ['two outer branches of five inner ones', nested, 22],
] as const

describe.each(stores)('on %s', (store) => {
  test.each(shapes)(
    'C01 R-B7 R-A6 %s finish in another order on resume: no mismatch, nothing executed twice, the same facts a branch',
    async (_name, make, eventCount) => {
      const expected = await reference(store, make)
      expect(expected).toHaveLength(eventCount)
      for (let crashAfter = 1; crashAfter < eventCount; crashAfter += 1) {
        for (const pace of ['none', 'reversed'] as const) {
          const { told, rig, made, life } = await crashed(store, make, crashAfter)
          told.pace = pace
          const kept = life.lines.length
          told.called.length = 0
          const next = await rig.succeed(life, [made])
          const run = next.runtime.run('r')
          await run.result()
          const events = await run.events()
          expect(byBranch(factsOf(events))).toEqual(byBranch(factsOf(expected)))
          expect([kept, next.lines]).toEqual([0, []])
          const stored = events
            .filter(({ by }) => by !== events.at(-1)?.by)
            .map(({ body }) => (JSON.parse(body) as { name?: string }).name)
          expect(told.called.filter((name) => stored.includes(name))).toEqual([])
          expect(new Set(told.called).size).toBe(told.called.length)
          await rig.dispose()
        }
      }
    },
  )

  test.each(shapes)(
    'C01 R-A5 %s come out with the same journal when outcomes are released in the order of the reference',
    async (_name, make, eventCount) => {
      const expected = await reference(store, make)
      for (let crashAfter = 2; crashAfter < eventCount; crashAfter += store === 'memory' ? 1 : 4) {
        const told: Told = { called: [], pace: 'reversed' }
        const rig = new Rig(store)
        const made = make(told)
        const life = await rig.live([made], { crashAfter, hold: inOrderOf(expected, 1) })
        life.runtime.start(made, null, { id: 'r' }).catch(() => undefined)
        await until(() => life.dead, 'it crashes')
        const stored = await (await rig.live([made], { worker: false })).runtime.run('r').events()
        const next = await rig.succeed(life, [made], { hold: inOrderOf(expected, stored.length) })
        const run = next.runtime.run('r')
        await run.result()
        expect(factsOf(await run.events())).toEqual(factsOf(expected))
        await rig.dispose()
      }
    },
  )

  test('R-B7 a number of branches that only an earlier step tells is the same on replay', async () => {
    const rig = new Rig(store)
    const asked: number[] = []
    const dynamic = flow({
      name: 'dynamic',
      version: 1,
      async run(ctx) {
        const count = await ctx.step('count', () => {
          asked.push(0)
          return 3 + asked.length
        })
        const items = Array.from({ length: count }, (_, index) => index)
        const all = await Promise.all(items.map((item) => ctx.step(`item ${item}`, () => item * 10)))
        await ctx.signal('go')
        return all
      },
    })
    const life = await rig.live([dynamic])
    const run = await life.runtime.start(dynamic, null, { id: 'r' })
    expect(await rig.rest(run)).toMatchObject({ status: 'waiting' })
    const next = await rig.succeed(life, [dynamic])
    await next.runtime.run('r').signal('go')
    expect(await next.runtime.run('r').result()).toEqual([0, 10, 20, 30])
    expect(asked).toHaveLength(1)
  })

  test('R-B7 map runs at most as many branches at once as it is told, and gives results in the order of the items', async () => {
    const rig = new Rig(store)
    let now = 0
    let most = 0
    const limited = flow({
      name: 'limited',
      version: 1,
      run: (ctx) =>
        ctx.map(
          [5, 1, 4, 2, 3],
          (item, branch) =>
            branch.step(`item ${item}`, async () => {
              now += 1
              most = Math.max(most, now)
              await pause(item * 2)
              now -= 1
              return item
            }),
          { concurrency: 2 },
        ),
    })
    const life = await rig.live([limited])
    expect(await (await life.runtime.start(limited, null)).result()).toEqual([5, 1, 4, 2, 3])
    expect(most).toBe(2)
  })

  test.each([0, -1, Number.NaN, 0.5])(
    'R-B7 a map with concurrency %s is refused at the call, and the flow can catch it',
    async (concurrency) => {
      const rig = new Rig(store)
      const refused = flow({
        name: 'refused',
        version: 1,
        run: (ctx) => ctx.map([1], async () => 1, { concurrency }).catch((error: { code: string }) => error.code),
      })
      const life = await rig.live([refused])
      expect(await (await life.runtime.start(refused, null)).result()).toBe('invalid_option')
    },
  )
})
