import { describe, expect, test } from 'vitest'
import type { Store } from '../../dist/store/index.js'
import { stores } from '../engine/rig.js'
import { refusal, World } from './world.js'

/** A store to which something else happens once, after all was read and right before a call of this name. */
function inTheGap(store: Store, call: 'decide' | 'record', happens: () => Promise<unknown>): Store {
  let isOver = false
  const before = async (): Promise<void> => {
    if (isOver) return
    isOver = true
    await happens()
  }
  return new Proxy(store, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (typeof found !== 'function') return found
      const bound = found.bind(target) as (...given: unknown[]) => unknown
      return name === call ? async (...given: unknown[]) => before().then(() => bound(...given)) : bound
    },
  })
}

describe.each(stores)('on %s, in the gap between reading and writing', (store) => {
  const governed = (): Promise<World> => World.governed(store, { tom: ['treasurer'], eve: ['treasurer'] })

  test('R-E11 a revocation wins over a vote, which is refused under the law that then holds', async () => {
    const world = await governed()
    const asked = await world.asked()
    const late = world.governanceOn(inTheGap(world.store, 'decide', () => world.revoke('tom', 'treasurer')))
    const refused = await refusal(late.vote({ ...asked, voter: 'tom', choice: 'approve' }))
    expect(refused).toMatchObject({ details: { reason: 'role_missing', stands: 'open' } })
    const revoked = (await world.stream('governance')).at(-1)
    expect((await world.stream('refusals')).at(-1)?.seen).toBe(`${revoked?.seq}:${revoked?.hash}/-`)
    expect(await world.kinds(asked.run)).toEqual(['FlowStarted', 'ApprovalRequested'])
  })

  test('R-E11 a grant lets a vote count, which names the law that then holds', async () => {
    const world = await governed()
    const asked = await world.asked()
    const late = world.governanceOn(inTheGap(world.store, 'decide', () => world.grant('dan', 'treasurer')))
    expect(await late.vote({ ...asked, voter: 'dan', choice: 'approve' })).toMatchObject({ resolution: 'approved' })
    const granted = (await world.stream('governance')).at(-1)
    const seen = (await world.events(asked.run)).slice(2).map((event) => event.seen)
    expect(seen).toEqual(Array(2).fill(`${granted?.seq}:${granted?.hash}/-`))
  })

  test('R-D6 somebody else decides first, and the vote is told which', async () => {
    const world = await governed()
    const asked = await world.asked()
    const first = () => world.governance.vote({ ...asked, voter: 'eve', choice: 'reject' })
    const late = world.governanceOn(inTheGap(world.store, 'decide', first))
    const refused = await refusal(late.vote({ ...asked, voter: 'tom', choice: 'approve' }))
    expect(refused).toMatchObject({ details: { reason: 'resolved_already', stands: 'rejected' } })
  })

  test('R-D8 an approval is asked for anew, and the changes are checked against that', async () => {
    const world = await governed()
    const run = await world.run()
    let shown = ''
    const asks = async (): Promise<void> => {
      shown = (await world.ask(run, { amendable: true })).shown
    }
    const late = world.governanceOn(inTheGap(world.store, 'decide', asks))
    const vote = { run, op: '0', voter: 'tom', choice: 'approve' as const, amended: { to: 'acme', cents: -1 } }
    const refused = await refusal(
      late.vote({
        ...vote,
        get shown() {
          return shown
        },
      }),
    )
    // It was sent before anything was shown.
    expect(refused).toMatchObject({ details: { reason: 'other_digest', stands: 'open' } })
  })

  test('R-E11 a revocation wins over whatever its holder wanted to change', async () => {
    const world = await World.governed(store, { eve: ['administrator'] })
    const late = world.governanceOn(inTheGap(world.store, 'record', () => world.revoke('eve', 'administrator')))
    const wanted = late.directory.grant({ principal: 'tom', role: 'treasurer', by: 'eve' })
    expect(await refusal(wanted)).toMatchObject({ code: 'not_permitted' })
    expect(await world.governance.directory.holdersOf('treasurer')).toEqual([])
  })
})
