import { describe, expect, test } from 'vitest'
import { stores } from '../engine/rig.js'
import { day, refusal, World } from './world.js'

const pairs = (grants: readonly { principal: string; role: string }[]): string[] =>
  grants.map(({ principal, role }) => `${principal} ${role}`)

describe.each(stores)('on %s, an import of a directory', (store) => {
  test('R-G3 is one event a difference, in one record, with its source', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    const first = { source: 'hr', mode: 'replace' as const, by: 'ada', reason: 'nightly' }
    const untilMs = world.clock.now() + day
    const grants = [
      { principal: 'tom', role: 'treasurer' },
      { principal: 'eve', role: 'analyst', untilMs },
      { principal: 'old', role: 'analyst', untilMs: world.clock.now() },
    ]
    const before = (await world.stream('governance')).length
    expect(pairs((await directory.previewImport({ ...first, grants })).granted)).toEqual([
      'tom treasurer',
      'eve analyst',
    ])
    expect((await world.stream('governance')).length).toBe(before)
    expect((await directory.importRoles({ ...first, grants })).changed).toBe(true)
    const added = await world.stream('governance', before)
    expect(added.map(({ kind }) => kind)).toEqual(['RoleGranted', 'RoleGranted'])
    expect(new Set(added.map(({ at, by, seen, data }) => JSON.stringify([at, by, seen, data]))).size).toBe(1)
    expect((await directory.importRoles({ ...first, grants })).changed).toBe(false)
    const next = await directory.importRoles({ ...first, grants: [{ principal: 'eve', role: 'analyst' }] })
    expect(pairs(next.difference.revoked)).toEqual(['tom treasurer'])
    expect(next.difference.granted).toEqual([{ principal: 'eve', role: 'analyst', untilMs: null, source: 'hr' }])
    const [revoked] = await directory.history('tom').then((changes) => changes.slice(-1))
    expect(revoked).toMatchObject({ kind: 'RoleRevoked', body: { source: 'hr' }, reason: 'nightly' })
  })

  test('leaves alone what others granted, and adds only where it is told to add', async () => {
    const world = await World.governed(store, { tom: ['treasurer'] })
    const { directory } = world.governance
    const hr = { source: 'hr', by: 'ada' }
    await directory.importRoles({ ...hr, mode: 'replace', grants: [{ principal: 'tom', role: 'treasurer' }] })
    expect((await directory.rolesOf('tom')).granted.map(({ source }) => source)).toEqual(['direct', 'hr'])
    const added = await directory.importRoles({ ...hr, mode: 'add', grants: [{ principal: 'eve', role: 'analyst' }] })
    expect(added.difference.revoked).toEqual([])
    await directory.importRoles({ ...hr, source: 'crm', mode: 'replace', grants: [] })
    await directory.importRoles({ ...hr, mode: 'replace', grants: [] })
    expect((await directory.rolesOf('tom')).granted.map(({ source }) => source)).toEqual(['direct'])
    expect(await directory.holdersOf('analyst')).toEqual([])
  })

  test('gives nothing back that was revoked here by hand, until it is granted by hand', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    const nightly = {
      source: 'hr',
      by: 'ada',
      mode: 'replace' as const,
      grants: [{ principal: 'tom', role: 'treasurer' }],
    }
    await directory.importRoles(nightly)
    await world.revoke('tom', 'treasurer')
    const held = await directory.importRoles(nightly)
    expect([held.changed, pairs(held.difference.heldBack)]).toEqual([false, ['tom treasurer']])
    const other = await directory.importRoles({ ...nightly, source: 'crm' })
    expect([other.changed, pairs(other.difference.heldBack)]).toEqual([false, ['tom treasurer']])
    expect((await directory.rolesOf('tom')).granted).toEqual([])
    await world.grant('tom', 'treasurer')
    expect((await directory.importRoles(nightly)).changed).toBe(true)
  })

  test('that makes no sense, or takes the last administrator, changes nothing', async () => {
    const world = await World.governed(store)
    const { directory } = world.governance
    await directory.importRoles({
      source: 'hr',
      by: 'ada',
      mode: 'replace',
      grants: [
        { principal: 'eve', role: 'administrator' },
        { principal: 'tom', role: 'treasurer' },
      ],
    })
    await directory.revoke({ principal: 'ada', role: 'administrator', by: 'eve' })
    const before = (await world.stream('governance')).length
    const hr = { source: 'hr', mode: 'replace' as const, by: 'eve', grants: [{ principal: 'tom', role: 'treasurer' }] }
    const fine = [...hr.grants, { principal: 'eve', role: 'administrator' }]
    expect(await refusal(directory.importRoles(hr))).toMatchObject({ code: 'last_administrator' })
    const ended = [...hr.grants, { principal: 'eve', role: 'administrator', untilMs: world.clock.now() + day }]
    expect(await refusal(directory.importRoles({ ...hr, grants: ended }))).toMatchObject({ code: 'last_administrator' })
    const odd = [
      { source: 'direct' },
      { source: 'bootstrap' },
      { mode: 'merge' as 'add' },
      { grants: [...fine, { principal: 'tom', role: 'captain' }] },
      { grants: [...fine, ...fine] },
      { grants: [...fine, { principal: 'x', role: 'analyst', untilMs: Number.NaN }] },
      { grants: Array.from({ length: 10_001 }, (_, n) => ({ principal: `p${n}`, role: 'analyst' })) },
    ]
    for (const change of odd) {
      const wanted = { ...hr, grants: fine, ...change }
      expect(await refusal(directory.importRoles(wanted))).toMatchObject({ code: 'invalid_change' })
    }
    const id = directory.importRoles({ ...hr, source: 'h/r' })
    expect(await refusal(id)).toMatchObject({ code: 'invalid_id' })
    expect((await world.stream('governance')).length).toBe(before)
  })
})
