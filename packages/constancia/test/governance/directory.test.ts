import { describe, expect, test } from 'vitest'
import { stores } from '../engine/rig.js'
import { day, refusal, treasury, World } from './world.js'

describe.each(stores)('on %s, the directory', (store) => {
  test('R-G3 grants, and says who did it, why, and until when', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    const untilMs = world.clock.now() + day
    const granted = await directory.grant({
      principal: 'tom',
      role: 'treasurer',
      untilMs,
      by: 'ada',
      reason: 'on call',
    })
    expect(granted.changed).toBe(true)
    expect(await directory.rolesOf('tom')).toEqual({
      granted: [{ role: 'treasurer', untilMs, source: 'direct' }],
      delegated: [],
      person: 'tom',
    })
    const [change] = await directory.history('tom')
    expect(change).toMatchObject({ seq: granted.seq, by: 'principal:ada', kind: 'RoleGranted', reason: 'on call' })
    expect((await world.stream('governance')).at(-1)?.seen).toMatch(/^\d+:[0-9a-f]{64}\/-$/)
    await world.given.advance(day)
    expect((await directory.rolesOf('tom')).granted).toEqual([])
    expect(await directory.holdersOf('treasurer')).toEqual([])
  })

  test('lets only administrators change roles, and records who else tried', async () => {
    const world = await World.governed(store, { tom: ['treasurer'] })
    const { directory } = world.governance
    const before = (await world.stream('governance')).length
    const attempts = {
      grant: () => directory.grant({ principal: 'tom', role: 'administrator', by: 'tom' }),
      revoke: () => directory.revoke({ principal: 'ada', role: 'administrator', by: 'tom' }),
      link: () => directory.link({ principal: 'tom', person: 'ada', by: 'tom' }),
      delegate: () => directory.delegate({ from: 'ada', to: 'tom', roles: ['cfo'], untilMs: 9e12, by: 'tom' }),
      undelegate: () => directory.undelegate({ from: 'ada', to: 'tom', by: 'tom' }),
      import: () => directory.importRoles({ source: 'hr', grants: [], mode: 'replace', by: 'tom' }),
      bootstrap: () => directory.bootstrap({ principal: 'tom', by: 'tom' }),
    }
    for (const [change, attempt] of Object.entries(attempts)) {
      expect(await refusal(attempt())).toMatchObject({ code: 'not_permitted' })
      expect(await world.lastRefusal()).toMatchObject({
        kind: 'ChangeRefused',
        by: 'principal:tom',
        body: { change, code: 'not_permitted' },
      })
    }
    expect((await world.stream('refusals')).length).toBe(Object.keys(attempts).length)
    expect((await world.stream('governance')).length).toBe(before)
  })

  test('R-E11 asks at the moment of the write: an administrator of before is none', async () => {
    const world = await World.governed(store, { eve: ['administrator'] })
    const other = await world.another()
    await other.law() // It knows that eve may.
    await world.revoke('eve', 'administrator')
    const late = other.directory.grant({ principal: 'tom', role: 'treasurer', by: 'eve' })
    expect(await refusal(late)).toMatchObject({ code: 'not_permitted' })
  })

  test('has a first administrator once, and knows the same wish again', async () => {
    const world = await World.of(store)
    const { directory } = world.governance
    expect(await directory.bootstrap({ principal: 'ada', by: 'ada' })).toEqual({ changed: false, seq: undefined })
    expect(await directory.holdersOf('administrator')).toEqual([
      { principal: 'ada', role: 'administrator', untilMs: null, source: 'bootstrap' },
    ])
    expect(await refusal(directory.bootstrap({ principal: 'eve', by: 'eve' }))).toMatchObject({ code: 'not_permitted' })
    expect((await world.stream('governance')).length).toBe(1)
  })

  test('has one first administrator, whoever wants to be it at once', async () => {
    const world = await World.bare(store)
    const many = await Promise.all([world.another(), world.another(), world.another()])
    const answers = await Promise.allSettled(
      many.map(({ directory }, n) => directory.bootstrap({ principal: `p${n}`, by: `p${n}` })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await world.governance.directory.holdersOf('administrator')).toHaveLength(1)
    expect(await world.stream('refusals')).toHaveLength(2)
  })

  test('keeps an administrator: the last one is neither revoked nor given an end', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    const last = { principal: 'ada', role: 'administrator', by: 'ada' }
    expect(await refusal(directory.revoke(last))).toMatchObject({ code: 'last_administrator' })
    await directory.grant(last) // Besides the one of the beginning.
    await world.grant('eve', 'administrator', world.clock.now() + day)
    expect(await refusal(directory.revoke(last))).toMatchObject({ code: 'last_administrator' })
    expect(await world.lastRefusal()).toMatchObject({ body: { change: 'revoke', code: 'last_administrator' } })
    await world.grant('eve', 'administrator')
    await directory.revoke({ ...last, by: 'eve' })
    const end = directory.grant({
      principal: 'eve',
      role: 'administrator',
      untilMs: world.clock.now() + day,
      by: 'eve',
    })
    expect(await refusal(end)).toMatchObject({ code: 'last_administrator' })
    expect((await directory.holdersOf('administrator')).map(({ principal }) => principal)).toEqual(['eve'])
  })

  test('adds nothing where it holds already', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    const untilMs = world.clock.now() + day
    const changes = [
      () => directory.grant({ principal: 'tom', role: 'treasurer', by: 'ada' }),
      () => directory.grant({ principal: 'eve', role: 'treasurer', untilMs, by: 'ada' }),
      () => directory.delegate({ from: 'tom', to: 'dan', roles: ['treasurer'], untilMs, by: 'tom' }),
      () => directory.link({ principal: 'tom', person: 'thomas', by: 'ada' }),
      () => directory.undelegate({ from: 'tom', to: 'dan', by: 'ada' }),
      () => directory.revoke({ principal: 'tom', role: 'treasurer', by: 'ada' }),
    ]
    for (const change of changes) {
      expect((await change()).changed).toBe(true)
      expect(await change()).toEqual({ changed: false, seq: undefined })
    }
    expect((await directory.link({ principal: 'thomas', person: 'tom', by: 'ada' })).changed).toBe(false)
    expect(await directory.history()).toHaveLength(changes.length + 1)
  })

  test('R-D7 delegates with an end, by whoever delegates or an administrator, and nothing that is not held', async () => {
    const world = await World.governed(store, { tom: ['treasurer'] })
    const { directory } = world.governance
    const untilMs = world.clock.now() + day
    await directory.delegate({ from: 'tom', to: 'dan', roles: ['treasurer'], untilMs, by: 'tom' })
    expect((await directory.rolesOf('dan')).delegated).toEqual([{ role: 'treasurer', from: 'tom', untilMs }])
    const odd = [
      { from: 'tom', to: 'dan', roles: ['cfo'] },
      { from: 'tom', to: 'tom', roles: ['treasurer'] },
      { from: 'ada', to: 'dan', roles: ['administrator'] },
      { from: 'tom', to: 'dan', roles: [] },
      { from: 'tom', to: 'dan', roles: ['treasurer'], untilMs: world.clock.now() },
    ]
    for (const wanted of odd) {
      expect(await refusal(directory.delegate({ untilMs, by: 'ada', ...wanted }))).toMatchObject({
        code: 'invalid_change',
      })
    }
    await world.given.advance(day)
    expect((await directory.rolesOf('dan')).delegated).toEqual([])
  })

  test('knows the roles of the contract in force, and lists them to whoever names another', async () => {
    const world = await World.of(store)
    const { directory } = world.governance
    const none = await refusal(directory.grant({ principal: 'tom', role: 'treasurer', by: 'ada' }))
    expect(none).toMatchObject({ code: 'invalid_change' })
    expect(none.message).toContain('"treasurer": the contract in force knows administrator.')
    await world.governance.activate({ contract: treasury(), by: 'ada' })
    const typo = await refusal(directory.grant({ principal: 'tom', role: 'tresurer', by: 'ada' }))
    expect(typo.message).toContain('administrator, analyst, cfo, treasurer')
    const odd = [{ principal: 'to m' }, { principal: '' }, { by: 'a/b' }]
    for (const change of odd) {
      const wanted = { principal: 'tom', role: 'treasurer', by: 'ada', ...change }
      expect(await refusal(directory.grant(wanted))).toMatchObject({ code: 'invalid_id' })
    }
    for (const untilMs of [Number.NaN, 0.5, -1, world.clock.now(), 8.64e15 + 1]) {
      const wanted = { principal: 'tom', role: 'treasurer', untilMs, by: 'ada' }
      expect(await refusal(directory.grant(wanted))).toMatchObject({ code: 'invalid_change' })
    }
    expect(await directory.holdersOf('treasurer')).toEqual([])
  })

  test('takes every one of many changes at once, in one order', async () => {
    const world = await World.governed(store)
    const others = await Promise.all([world.another(), world.another()])
    const principals = Array.from({ length: 20 }, (_, n) => `p${n}`)
    await Promise.all(
      principals.map((principal, n) => others[n % 2]?.directory.grant({ principal, role: 'analyst', by: 'ada' })),
    )
    const held = await world.governance.directory.holdersOf('analyst')
    expect(held.map(({ principal }) => principal).sort()).toEqual([...principals].sort())
  })
})
