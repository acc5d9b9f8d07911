import { describe, expect, test } from 'vitest'
import type { Governance } from '../../dist/governance/governance.js'
import {
  draftOf,
  nothingSeen,
  parseRunId,
  type RunId,
  type StoredEvent,
  type StreamId,
} from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'
import { stores } from '../engine/rig.js'
import { refusal, World } from './world.js'

const end = draftOf('FlowCompleted', {}, '"done"')

/** A run that acts as somebody, in which somebody else said something; it has ended unless it is said that it goes on. */
async function spoken(world: World, { id, actor, says, isOpen = false }: Spoken): Promise<RunId> {
  const run = await world.run(actor, id)
  await world.append(run, { kind: 'StepCompleted', body: '{"op":"0","name":"s","attempt":1}', data: `"of ${actor}"` })
  const draft = draftOf('SignalReceived', { name: 'word', delivery: `d-${id}` }, `"said by ${says}"`)
  const decide = () => ({ drafts: [draft], result: undefined })
  await world.store.decide({ run, delivery: `d-${id}`, by: `principal:${says}`, seen: nothingSeen, decide })
  if (!isOpen) await world.append(run, end)
  return run
}

interface Spoken {
  readonly id: string
  readonly actor: string
  readonly says: string
  readonly isOpen?: boolean
}

const dataOf = (events: readonly StoredEvent[]) => events.map(({ data }) => data)
const wholeRun = ['{}', '"of ana"', '"said by tom"', '"done"']
const nothing = [undefined, undefined, undefined, undefined]

describe.each(stores)('R-G7 on %s, erasing', (store) => {
  test('takes what named runs carry, says so in governance without a word of it, and lists what stays', async () => {
    const world = await World.governed(store)
    for (const id of ['r1', 'r2']) await spoken(world, { id, actor: 'ana', says: 'tom' })
    const of = { runs: ['r1'] }
    const preview = await world.governance.previewErasure(of)
    expect(preview).toMatchObject({ texts: [{ stream: 'run/r1', textCount: 4 }], textCount: 4, open: [] })
    expect(dataOf(await world.events(parseRunId('r1')))).toEqual(wholeRun)
    const erased = await world.governance.erase({ of, by: 'ada', reason: 'asked for in letter 7' })
    expect(erased).toEqual({ ...preview, seqs: [expect.any(Number)] })
    expect(preview.remains.join(' ')).toMatch(/Digests of what was erased.*given away before.*Backups/)
    expect(dataOf(await world.events(parseRunId('r1')))).toEqual(nothing)
    expect(dataOf(await world.events(parseRunId('r2')))).toEqual(wholeRun)
    const told = (await world.stream('governance')).at(-1)
    expect(told).toMatchObject({
      kind: 'Erased',
      by: 'principal:ada',
      seq: erased.seqs[0],
      data: '"asked for in letter 7"',
    })
    expect(JSON.parse(told?.body ?? '')).toEqual({ texts: [{ stream: 'run/r1', from: 0, to: 3 }], principal: null })
    // Again there is nothing to do, and nothing is recorded.
    expect(await world.governance.erase({ of, by: 'ada' })).toMatchObject({ textCount: 0, seqs: [] })
    expect((await world.stream('governance')).at(-1)).toEqual(told)
  })

  test('takes what is of a principal: runs that act as them, what they said, reasons; and leaves what others said', async () => {
    const world = await World.governed(store, { tom: ['treasurer'] })
    const { directory } = world.governance
    await directory.grant({ principal: 'ana', role: 'analyst', by: 'ada', reason: 'hired ana' })
    await directory.grant({ principal: 'bob', role: 'analyst', by: 'ada', reason: 'hired bob' })
    await refusal(directory.grant({ principal: 'bob', role: 'cfo', by: 'ana', reason: 'x' }))
    await refusal(directory.grant({ principal: 'bob', role: 'cfo', by: 'tom', reason: 'x' }))
    await directory.link({ principal: 'ana', person: 'ana-at-home', by: 'ada' })
    const law = await world.stream('governance')
    const [hers, his] = [
      await spoken(world, { id: 'hers', actor: 'ana', says: 'tom' }),
      await spoken(world, { id: 'his', actor: 'bob', says: 'ana' }),
    ]
    const erased = await world.governance.erase({ of: { principal: 'ana' }, by: 'ada' })
    expect(erased.textCount).toBe(7)
    expect(erased.remains.join(' ')).toContain(
      'Other identities of the same person, each of which is erased by itself: ana-at-home.',
    )
    expect(dataOf(await world.events(hers))).toEqual(nothing)
    expect(dataOf(await world.events(his))).toEqual(['{}', '"of bob"', undefined, '"done"'])
    const now = await world.store.read('governance' as StreamId)
    const reasons = (events: readonly StoredEvent[]) =>
      events.map(({ data }) => data).filter((data) => data?.startsWith('"hired'))
    expect([reasons(law), reasons(now)]).toEqual([['"hired ana"', '"hired bob"'], ['"hired bob"']])
    expect(dataOf(await world.store.read('refusals' as StreamId))).toEqual([undefined, expect.stringContaining('tom')])
    // Contracts are the law, whoever wanted them.
    expect((await world.governance.erase({ of: { principal: 'ada' }, by: 'ada' })).textCount).toBe(1)
    expect(now.find(({ kind }) => kind === 'ContractActivated')?.data).toContain('bank.transfer')
    expect((await world.governance.contracts()).at(-1)?.contract?.text).toContain('bank.transfer')
  })

  test('refuses runs that go on before anything is erased, or leaves them where that is wanted', async () => {
    const world = await World.governed(store)
    const over = await spoken(world, { id: 'over', actor: 'ana', says: 'tom' })
    await spoken(world, { id: 'open', actor: 'bob', says: 'ana', isOpen: true })
    for (const of of [{ runs: ['over', 'open'] }, { principal: 'ana' }]) {
      expect((await world.governance.previewErasure(of)).open).toEqual(['open'])
      const refused = await refusal(world.governance.erase({ of, by: 'ada' }))
      expect(refused).toMatchObject({ code: 'run_open', message: expect.stringContaining('open is not') })
    }
    expect(dataOf(await world.events(over))).toEqual(wholeRun)
    const left = await world.governance.erase({ of: { principal: 'ana' }, by: 'ada', leaveOpen: true })
    expect(left).toMatchObject({ textCount: 4, open: ['open'] })
    expect(left.remains[0]).toBe('Runs that are not over and were left as they are: open.')
    expect(dataOf(await world.events(parseRunId('open')))).toEqual(['{}', '"of bob"', '"said by ana"'])
    expect(await refusal(world.governance.erase({ of: { runs: ['nobody'] }, by: 'ada' }))).toMatchObject({
      code: 'unknown_run',
    })
    expect(await refusal(world.governance.erase({ of: { runs: [] }, by: 'ada' }))).toMatchObject({
      code: 'invalid_change',
    })
  })

  test('R-F1 R-E11 is for who is an administrator at that moment; whoever else tries is refused, which is recorded', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], eve: ['administrator'] })
    const run = await spoken(world, { id: 'r1', actor: 'ana', says: 'tom' })
    const other = await world.another()
    await other.law() // It knows that eve may.
    await world.revoke('eve', 'administrator')
    const count = (await world.stream('governance')).length
    for (const by of ['tom', 'ana', 'eve']) {
      const refused = await refusal((by === 'eve' ? other : world.governance).erase({ of: { runs: ['r1'] }, by }))
      expect(refused).toMatchObject({ code: 'not_permitted' })
      expect(await world.lastRefusal()).toMatchObject({
        by: `principal:${by}`,
        body: { change: 'erase', code: 'not_permitted', about: { runs: 'r1' } },
      })
    }
    expect(dataOf(await world.events(run))).toEqual(wholeRun)
    expect((await world.stream('governance')).length).toBe(count)
  })

  test('T6 stopped at any call of the store, or with its answer lost, has taken all that an Erased names, or nothing', async () => {
    let [faultCount, took, left] = [0, 0, 0]
    for (let call = 1; ; call += 1) {
      const outcomes: [string, boolean][] = []
      for (const when of ['before', 'after'] as const) {
        const world = await World.governed(store)
        await spoken(world, { id: 'r1', actor: 'ana', says: 'tom' })
        const failing = failingAt(world.store, call, when)
        const outcome = await world
          .governanceOn(failing.store)
          .erase({ of: { runs: ['r1'] }, by: 'ada' })
          .then(
            () => 'done',
            () => 'fault',
          )
        outcomes.push([outcome, failing.hasFailed()])
        const isTold = (await world.store.read('governance' as StreamId)).some(({ kind }) => kind === 'Erased')
        expect(dataOf(await world.events(parseRunId('r1')))).toEqual(isTold ? nothing : wholeRun)
        if (isTold) took += 1
        else left += 1
        await completes(world.governance, world)
      }
      faultCount += outcomes.filter(([, hasFailed]) => hasFailed).length
      if (outcomes.every(([outcome]) => outcome === 'done')) break
    }
    expect(faultCount).toBeGreaterThanOrEqual(8)
    expect([took > 0, left > 0]).toEqual([true, true])
  })
})

/** What was stopped is done by doing it again. */
async function completes(governance: Governance, world: World): Promise<void> {
  await governance.erase({ of: { runs: ['r1'] }, by: 'ada' })
  expect(dataOf(await world.events(parseRunId('r1')))).toEqual(nothing)
}

/** The same store, but for one call of it, which fails before it does anything, or whose answer is lost. */
function failingAt(
  store: Store,
  at: number,
  when: 'before' | 'after',
): { readonly store: Store; hasFailed(): boolean } {
  let count = 0
  const fail = (): never => {
    throw new Error('the line went dead')
  }
  const handler: ProxyHandler<Store> = {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        count += 1
        const isIt = count === at
        if (isIt && when === 'before') return fail()
        const answer = (value as (...all: unknown[]) => unknown).apply(target, given)
        return isIt ? Promise.resolve(answer).then(fail) : answer
      }
    },
  }
  return { store: new Proxy(store, handler), hasFailed: () => count >= at }
}

test('R-G7 many runs are erased in several transactions, each of which says what it took', async () => {
  const world = await World.governed('memory')
  const ids = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, '0')}`)
  for (const id of ids) await spoken(world, { id, actor: 'ana', says: 'tom' })
  const { textCount, seqs } = await world.governance.erase({ of: { principal: 'ana' }, by: 'ada' })
  expect([textCount, seqs.length]).toEqual([480, 3])
  for (const id of ids) expect(dataOf(await world.events(parseRunId(id)))).toEqual(nothing)
  const told = (await world.stream('governance')).filter(({ kind }) => kind === 'Erased')
  const named = told.flatMap(({ body }) =>
    (JSON.parse(body) as { texts: { stream: string }[] }).texts.map(({ stream }) => stream),
  )
  expect(named.sort()).toEqual(ids.map((id) => `run/${id}`))
})
