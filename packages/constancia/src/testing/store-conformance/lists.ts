import { deepStrictEqual, strictEqual } from 'node:assert'
import { type Cases, completed, idOf, parentOf, rejectsWith, started, startedAs, stepped, type World } from './world.js'

/** What `run` and `runs` promise. */
export const listCases: Cases = {
  'a run that does not exist has no row': async (world) => {
    strictEqual(await world.store.run(idOf('nobody')), undefined)
  },

  'runs are listed newest first, in pages without gap or repetition': async (world) => {
    for (let index = 0; index < 5; index++) await world.create(`r${index}`)
    const first = await world.store.runs({ limit: 2 })
    deepStrictEqual(idsOf(first.items), ['r4', 'r3'])
    await world.create('newer')
    const second = await world.store.runs({ limit: 2, ...after(first.next) })
    deepStrictEqual(idsOf(second.items), ['r2', 'r1'])
    const third = await world.store.runs({ limit: 2, ...after(second.next) })
    deepStrictEqual([idsOf(third.items), third.next], [['r0'], undefined])
  },

  'a page that ends with the last run says so': async (world) => {
    await world.create('r0')
    await world.create('r1')
    strictEqual((await world.store.runs({ limit: 2 })).next, undefined)
  },

  'runs are listed by flow and by status, also in pages': async (world) => {
    for (let index = 0; index < 4; index++) await world.create(`a${index}`, [started('a')])
    await world.create('b0', [started('b')])
    await world.create('b1', [started('b'), completed])
    deepStrictEqual(await list(world, { flow: 'b' }), ['b1', 'b0'])
    deepStrictEqual(await list(world, { status: 'completed' }), ['b1'])
    deepStrictEqual(await list(world, { flow: 'b', status: 'ready' }), ['b0'])
    deepStrictEqual(await list(world, { flow: 'nothing' }), [])
    const page = await world.store.runs({ flow: 'a', limit: 3 })
    deepStrictEqual(idsOf(page.items), ['a3', 'a2', 'a1'])
    deepStrictEqual(idsOf((await world.store.runs({ flow: 'a', limit: 3, ...after(page.next) })).items), ['a0'])
  },

  'a list shows each run as its row is': async (world) => {
    await world.owned('r1')
    deepStrictEqual((await world.store.runs({})).items, [await world.row('r1')])
  },

  'a row tells whose child a run is, its key and its root, also after an append': async (world) => {
    const parent = parentOf('p', '0')
    await world.create('p~0', [startedAs({ parent, key: 'customer-7' })])
    const expected = { parent, key: 'customer-7', root: 'p~0', lostLeaseCount: 0, latest: undefined }
    const shown = async () => {
      const { parent: shownParent, key, root, lostLeaseCount, latest } = await world.row('p~0')
      return { parent: shownParent, key, root, lostLeaseCount, latest }
    }
    deepStrictEqual(await shown(), expected)
    await world.appended(await world.claimOne(), [stepped('0')])
    deepStrictEqual(await shown(), expected)
    await world.create('plain')
    const plain = await world.row('plain')
    deepStrictEqual(
      [plain.parent, plain.key, plain.root, plain.isCancelRequested],
      [undefined, undefined, 'plain', false],
    )
  },

  'runs are listed by parent, also in pages': async (world) => {
    for (const op of ['0', '1', '2']) await world.create(`p~${op}`, [startedAs({ parent: parentOf('p', op) })])
    await world.create('q~0', [startedAs({ parent: parentOf('q', '0') })])
    await world.create('p')
    deepStrictEqual(await list(world, { parent: idOf('p') }), ['p~2', 'p~1', 'p~0'])
    deepStrictEqual(await list(world, { parent: idOf('nobody') }), [])
    const page = await world.store.runs({ parent: idOf('p'), limit: 2 })
    deepStrictEqual(idsOf(page.items), ['p~2', 'p~1'])
    deepStrictEqual(idsOf((await world.store.runs({ parent: idOf('p'), limit: 2, ...after(page.next) })).items), [
      'p~0',
    ])
  },

  'runs are listed by how their id begins, letter by letter': async (world) => {
    for (const run of ['a_1', 'a_2', 'ab1', 'A_3', 'ba_4', 'a_']) await world.create(run)
    deepStrictEqual(await list(world, { idPrefix: 'a_' }), ['a_', 'a_2', 'a_1'])
    deepStrictEqual(await list(world, { idPrefix: 'a_1' }), ['a_1'])
    for (const idPrefix of ['%', 'a%', 'a*', 'a?', '[a]', 'a_11']) deepStrictEqual(await list(world, { idPrefix }), [])
    deepStrictEqual(await list(world, { idPrefix: '' }), ['a_', 'ba_4', 'A_3', 'ab1', 'a_2', 'a_1'])
    const page = await world.store.runs({ idPrefix: 'a', limit: 3 })
    deepStrictEqual(idsOf(page.items), ['a_', 'ab1', 'a_2'])
    deepStrictEqual(idsOf((await world.store.runs({ idPrefix: 'a', limit: 3, ...after(page.next) })).items), ['a_1'])
  },

  'runs are listed by whether they ended before a moment': async (world) => {
    const startMs = world.given.nowMs()
    await world.create('open')
    for (const run of ['r0', 'r1', 'r2']) {
      await world.create(run, [started(run), completed])
      await world.given.advance(10)
    }
    deepStrictEqual(await list(world, { endedBeforeMs: startMs }), [])
    deepStrictEqual(await list(world, { endedBeforeMs: startMs + 10 }), ['r0'])
    deepStrictEqual(await list(world, { endedBeforeMs: startMs + 11 }), ['r1', 'r0'])
    deepStrictEqual(await list(world, { endedBeforeMs: startMs + 1000, flow: 'r2' }), ['r2'])
    deepStrictEqual(await list(world, { endedBeforeMs: startMs + 1000, idPrefix: 'r', status: 'completed' }), [
      'r2',
      'r1',
      'r0',
    ])
  },

  'a page holds 100 runs unless told otherwise': async (world) => {
    await Promise.all(Array.from({ length: 101 }, (_, index) => world.create(`r${index}`)))
    const page = await world.store.runs({})
    strictEqual(page.items.length, 100)
    strictEqual((await world.store.runs(after(page.next))).items.length, 1)
  },

  'a page that begins nowhere is refused': async (world) => {
    await rejectsWith('invalid_id', world.store.runs({ after: 'x; drop' }))
  },
}

function after(next: string | undefined): { after?: string } {
  return next === undefined ? {} : { after: next }
}

async function list(world: World, query: Parameters<World['store']['runs']>[0]): Promise<string[]> {
  return idsOf((await world.store.runs(query)).items)
}

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id)
}
