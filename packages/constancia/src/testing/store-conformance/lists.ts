import { deepStrictEqual, strictEqual } from 'node:assert'
import { type Cases, completed, idOf, rejectsWith, started, type World } from './world.js'

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
