import { describe, expect, test } from 'vitest'
import { stores } from '../engine/rig.js'
import { refusal, treasury, World } from './world.js'

const fourEyes = treasury({ version: '2', activation: { roles: ['cfo', 'treasurer'], quorum: 2 } })
const third = treasury({ version: '3', more: 'auditor' })

describe.each(stores)('on %s, a contract', (store) => {
  test('R-F1 is put in force by an administrator before the first, stored whole, and again changes nothing', async () => {
    const world = await World.of(store)
    const { governance } = world
    expect(await refusal(governance.activate({ contract: treasury(), by: 'tom' }))).toMatchObject({
      code: 'not_permitted',
    })
    expect(await world.lastRefusal()).toEqual({
      kind: 'ChangeRefused',
      by: 'principal:tom',
      body: { change: 'activate', code: 'not_permitted', about: { digest: treasury().digest } },
    })
    const activated = await governance.activate({ contract: treasury(), by: 'ada', reason: 'the first' })
    expect(activated).toEqual({ kind: 'activated', digest: treasury().digest, seq: 2, approvedBy: ['ada'] })
    expect(await governance.activate({ contract: treasury(), by: 'tom' })).toEqual({
      kind: 'in_force',
      digest: treasury().digest,
      seq: 2,
    })
    const stored = (await world.stream('governance')).at(-1)
    expect(stored).toMatchObject({ kind: 'ContractActivated', by: 'principal:ada', data: treasury().text })
    expect((await world.stream('governance')).length).toBe(3)
    const elsewhere = await (await world.another()).law()
    expect(elsewhere.inForce?.digest).toBe(treasury().digest)
    expect(elsewhere.inForce?.declared).toEqual(treasury().declared)
  })

  test('takes as many different people as the contract in force says, each of whom may', async () => {
    const world = await World.governed(store, {
      tom: ['treasurer'],
      cleo: ['cfo'],
      ana: ['analyst'],
      tim: ['treasurer'],
    })
    const { governance } = world
    await governance.directory.link({ principal: 'tim', person: 'tom', by: 'ada' })
    await governance.activate({ contract: fourEyes, by: 'ada' })
    const { digest } = third
    const proposed = await governance.activate({ contract: third, by: 'tom', reason: 'an auditor' })
    expect(proposed).toEqual({ kind: 'proposed', digest, confirmedBy: ['tom'], quorum: 2 })
    const before = (await world.stream('governance')).length
    expect(await governance.activate({ contract: third, by: 'tom' })).toEqual(proposed)
    expect((await world.stream('governance')).length).toBe(before)
    // The same person under another identity.
    expect(await governance.activate({ contract: third, by: 'tim' })).toMatchObject({
      kind: 'proposed',
      confirmedBy: ['tom'],
    })
    for (const by of ['ana', 'ada']) {
      expect(await refusal(governance.activate({ contract: third, by }))).toMatchObject({ code: 'not_permitted' })
    }
    expect((await governance.law()).inForce?.digest).toBe(fourEyes.digest)
    expect(await governance.activate({ contract: third, by: 'cleo', reason: 'agreed' })).toMatchObject({
      kind: 'activated',
      approvedBy: ['tom', 'cleo'],
    })
    const history = (await governance.contracts()).filter((change) => change.digest === digest)
    expect(history.map(({ kind, by, reason }) => [kind, by, reason])).toEqual([
      ['proposed', 'principal:tom', undefined],
      ['confirmed', 'principal:tom', 'an auditor'],
      ['confirmed', 'principal:tim', undefined],
      ['confirmed', 'principal:cleo', 'agreed'],
      ['activated', 'principal:cleo', undefined],
    ])
    expect(history.at(-1)).toMatchObject({ contract: { version: '3', text: third.text }, approvedBy: ['tom', 'cleo'] })
  })

  test('R-E8 is not put in force by the voice of somebody who may not any more', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], cleo: ['cfo'], eve: ['cfo'] })
    const { governance } = world
    await governance.activate({ contract: fourEyes, by: 'ada' })
    await governance.activate({ contract: third, by: 'tom' })
    await world.revoke('tom', 'treasurer')
    expect(await governance.activate({ contract: third, by: 'cleo' })).toMatchObject({ confirmedBy: ['cleo'] })
    expect(await governance.activate({ contract: third, by: 'eve' })).toMatchObject({
      kind: 'activated',
      approvedBy: ['cleo', 'eve'],
    })
  })

  test('closes what else was proposed', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], cleo: ['cfo'] })
    const { governance } = world
    await governance.activate({ contract: fourEyes, by: 'ada' })
    const other = treasury({ version: '4', activation: { roles: ['cfo', 'treasurer'], quorum: 2 } })
    await governance.activate({ contract: third, by: 'tom' })
    await governance.activate({ contract: other, by: 'tom' })
    expect((await governance.law()).proposals.map(({ digest }) => digest)).toEqual([third.digest, other.digest])
    await governance.activate({ contract: other, by: 'cleo' })
    expect((await governance.law()).proposals).toEqual([])
    expect(await governance.activate({ contract: third, by: 'cleo' })).toMatchObject({
      kind: 'proposed',
      confirmedBy: ['cleo'],
    })
  })

  test('that is not what its digest says is refused', async () => {
    const world = await World.of(store)
    const made = treasury()
    const forged = [
      { ...made, digest: third.digest },
      { ...made, text: third.text },
      { ...made, declared: { ...made.declared, version: '9' } },
      { ...made, text: `${made.text} ` },
    ]
    for (const contract of forged) {
      expect(await refusal(world.governance.activate({ contract, by: 'ada' }))).toMatchObject({
        code: 'invalid_contract',
      })
    }
    expect((await world.governance.law()).inForce).toBeUndefined()
  })

  test('is activated once, however many want it at once', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], cleo: ['cfo'] })
    await world.governance.activate({ contract: fourEyes, by: 'ada' })
    const [here, there] = await Promise.all([world.another(), world.another()])
    const wishes = [here.activate({ contract: third, by: 'tom' }), there.activate({ contract: third, by: 'cleo' })]
    const kinds = (await Promise.all(wishes)).map(({ kind }) => kind).sort()
    expect(kinds).toEqual(['activated', 'proposed'])
    const history = (await world.governance.contracts()).filter(({ digest }) => digest === third.digest)
    expect(history.map(({ kind }) => kind)).toEqual(['proposed', 'confirmed', 'confirmed', 'activated'])
  })
})
