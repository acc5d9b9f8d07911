import { flow, open } from 'constancia'
import { postgres } from 'constancia/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inspectLog, makeReceipt, proveRuns } from '../../dist/evidence/log/index.js'
import { openGovernance } from '../../dist/governance/index.js'
import { parseRunId } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { failed, freshKey, origin, piecesOf, Rig } from '../evidence/rig.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema } from './database.js'

let schema: string
let url: string
let store: Store

beforeEach(async () => {
  schema = newSchema()
  url = await databaseUrl()
  store = await postgres({ url, schema })(partsOf(systemClock))
})

afterEach(async () => {
  await store.close()
  await dropSchema(schema)
})

test('R-G2 R-G3 what two workers wrote and sealed at once, under two keys, is proven by one file and the first key', async () => {
  const mine = freshKey()
  const next = freshKey()
  const rig = new Rig(postgres({ url, schema }), mine)
  const work = flow({ name: 'work', version: 1, run: (ctx, what: string) => ctx.step('do', () => `did ${what}`) })
  const config = {
    store: postgres({ url, schema }),
    flows: [work],
    log: () => undefined,
    evidence: { origin, signer: mine.signer },
  }
  const runtimes = [await open(config), await open(config)]
  const { governance, close } = await openGovernance(config)
  await governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
  const ids = Array.from({ length: 24 }, (_, no) => `r${String(no).padStart(2, '0')}`)
  const half = async (some: readonly string[]): Promise<void> => {
    const runs = await Promise.all(some.map((id, no) => runtimes[no % 2]!.start(work, id, { id })))
    await Promise.all(runs.map((run) => run.result()))
  }
  await half(ids.slice(0, 12))
  await governance.keys.add({ added: next, endorser: mine, by: 'ada' })
  await half(ids.slice(12, 18))
  await Promise.all(runtimes.map((runtime) => runtime.close()))
  await close()
  runtimes.splice(0, 2, await open({ ...config, evidence: { origin, signer: next.signer } }), await open(config))
  await half(ids.slice(18))
  await Promise.all(runtimes.map((runtime) => runtime.close()))

  const { findings, unsealedCount, checkpointCount } = await inspectLog(store, origin)
  expect([findings, unsealedCount]).toEqual([[], 0])
  expect(checkpointCount).toBeGreaterThanOrEqual(2)
  const proof = await proveRuns(store, { of: { runs: ids.map(parseRunId) }, origin })
  expect(proof.runs.every(({ sealedSeq, headSeq }) => sealedSeq === 2 && headSeq === 2)).toBe(true)
  const report = await rig.verify(proof.bytes)
  expect(failed(report)).toEqual([])
  expect([report.verdict, report.runs.length]).toEqual(['proven', 24])

  // One effect of the first run alone: by the first key, and without the others.
  const { bytes } = await makeReceipt(store, { run: parseRunId('r00'), origin, of: { op: '0' } })
  const alone = await rig.verify(piecesOf(bytes))
  expect([alone.verdict, alone.receipt?.data]).toEqual(['proven', { kind: 'text', text: '"did r00"' }])
  expect(Buffer.from(bytes).toString()).not.toContain('r01')
})

test('R-G2 whichever of two sealers a database hears first, the log has one history, 20 times', async () => {
  const rig = new Rig(postgres({ url, schema }))
  await rig.open()
  const other = await postgres({ url, schema })(partsOf(systemClock))
  const one = await rig.sealer([], { holder: 'one' })
  const two = await rig.sealer([], { holder: 'two', store: other })
  const kinds: string[] = []
  for (let round = 0; round < 20; round += 1) {
    await rig.run(`r${round}`, 1)
    const outcomes = await Promise.all([one.sealNow(), two.sealNow()])
    kinds.push(...outcomes.map(({ kind }) => kind))
    // Whoever came late has nothing left to do, or was told that the other one was faster.
    expect(outcomes.filter(({ kind }) => kind === 'sealed')).toHaveLength(1)
  }
  expect(kinds.filter((kind) => kind === 'sealed')).toHaveLength(20)
  for (const sealer of [one, two]) await sealer.stop()
  const { findings, leafCount, checkpointCount } = await inspectLog(rig.store, origin)
  expect([findings, leafCount, checkpointCount]).toEqual([[], 40, 20])
  for (const opened of [other, rig.store]) await opened.close()
})
