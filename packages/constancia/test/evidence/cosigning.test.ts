import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CosigningWitness, witnessEndpoint } from '../../dist/evidence/index.js'
import { keyOf, knownWitness, makeReceipt, newKey, type Sealer, signerOf } from '../../dist/evidence/log/index.js'
import { serveWitness, Witness, type WitnessEndpoint } from '../../dist/evidence/witness/index.js'
import { parseRunId } from '../../dist/journal/index.js'
import type { WitnessState } from '../../dist/store/index.js'
import { makeWitnessFile, openWitnessFile } from '../../dist/store/sqlite/index.js'
import { makeFolder } from '../store/stores.js'
import { failed, origin, piecesOf, Rig, whole } from './rig.js'

const name = 'auditor.example/w1'
const signer = signerOf(newKey(name).signerKey)
const key = keyOf(name, signer)

let folder: string
let rig: Rig
let state: WitnessState
let witness: Witness
let endpoint: WitnessEndpoint
const sealers: Sealer[] = []

beforeEach(async () => {
  folder = makeFolder()
  rig = new Rig(memory(memoryDisk()))
  await rig.open()
  makeWitnessFile(join(folder, 'cosigned.db'))
  state = openWitnessFile(join(folder, 'cosigned.db'))
  witness = await Witness.of({ key, signer, logs: [rig.mine.key.text], state, clock: rig.clock })
  endpoint = await serveWitness(witness, { host: '127.0.0.1', port: 0, onFault: () => undefined })
})

afterEach(async () => {
  for (const sealer of sealers.splice(0)) await sealer.stop()
  await rig.store.close()
  await endpoint.close()
  state.close()
  rmSync(folder, { recursive: true, force: true })
})

async function begun(asked: CosigningWitness, at = rig): Promise<Sealer> {
  const sealer = await at.sealer([], { witnesses: [await knownWitness(origin, asked)] })
  sealers.push(sealer)
  return sealer
}

async function look(sealer: Sealer, at = rig): Promise<void> {
  at.clock.advance(5_000)
  await sealer.settled()
  await sealer.settled()
}

test('R-G2 R-G4 each checkpoint is cosigned, and bundles and receipts carry it, with when it was there at the latest', async () => {
  const sealer = await begun(witnessEndpoint(`${endpoint.url}/`, { key: witness.key }))
  for (const run of ['r1', 'r2', 'r3']) {
    await rig.run(run)
    await look(sealer)
  }
  await sealer.stop()
  const said = await rig.store.log.attestations({ fromSize: 0, limit: 99 })
  const sizes = (await rig.store.log.checkpoints({ fromSize: 0, limit: 99 })).map(({ size }) => size)
  expect(said.map(({ size, kind, by }) => [size, kind, by])).toEqual(
    sizes.map((size) => [size, 'cosignature', witness.key]),
  )
  expect(state.last(origin)?.size).toBe(sizes.at(-1))
  expect(rig.told).toEqual([])

  const bytes = await whole((await rig.prove(['r1'])).bytes)
  const report = await rig.verify(piecesOf(bytes), { witnesses: [witness.key] })
  expect([report.verdict, failed(report)]).toEqual(['proven', []])
  expect(report.witnesses).toMatchObject([{ name, size: sizes.at(-1) }])
  // The run was sealed first: it was there when the first checkpoint was cosigned.
  const [first] = state.all()
  const [run] = report.runs
  expect(run?.witnessed).toEqual([{ name, seconds: run?.sealedSeconds }])
  expect(run?.witnessed[0]?.seconds).toBeLessThan(first?.seconds ?? 0)
  const unasked = await rig.verify(piecesOf(bytes))
  expect([unasked.verdict, unasked.unknownSigners]).toEqual(['proven', [`${name}+${key.cosignatureKeyId}`]])

  const receipt = await makeReceipt(rig.store, { run: parseRunId('r2'), origin, of: { seq: 1 } })
  expect(await rig.verify(piecesOf(receipt.bytes), { witnesses: [witness.key] })).toMatchObject({ verdict: 'proven' })
})

test('R-G2 a witness that is away, or does not answer, holds up no sealing; the newest checkpoint is cosigned once it is back', async () => {
  const asked = witnessEndpoint(endpoint.url, { key: witness.key })
  let how: 'away' | 'silent' | 'up' = 'away'
  let isAsked = (): void => undefined
  let release = (): void => undefined
  const silent = new Promise<void>((resolve) => {
    release = resolve
  })
  const sealer = await begun({
    ...asked,
    ask: async (body) => {
      isAsked()
      if (how === 'silent') await silent
      if (how !== 'up') throw new Error('no route')
      return asked.ask(body)
    },
  })
  await rig.run('r1')
  await look(sealer)
  await rig.run('r2')
  await look(sealer)
  expect(rig.told).toEqual([
    expect.stringMatching(/^warn: the witness auditor\.example\/w1 does not cosign .*no route/),
  ])
  how = 'silent'
  const wasAsked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  rig.clock.advance(5_000)
  await wasAsked
  await rig.run('r3')
  // Sealing goes on while the witness has not answered.
  expect(await sealer.sealNow()).toMatchObject({ kind: 'sealed' })
  const { size, checkpoint } = await rig.store.log.state()
  expect((await rig.store.log.checkpoints({ fromSize: 0, limit: 9 })).length).toBe(3)
  expect(await rig.store.log.attestations({ fromSize: 0, limit: 9 })).toEqual([])
  how = 'up'
  release()
  await look(sealer)
  await look(sealer)
  expect((await rig.store.log.attestations({ fromSize: 0, limit: 9 })).at(-1)).toMatchObject({ size })
  expect(state.last(origin)).toMatchObject({ size, root: checkpoint?.root })
  expect(rig.told.at(-1)).toBe('info: the witness auditor.example/w1 cosigns checkpoints again.')
  const report = await rig.verify((await rig.prove(['r1', 'r3'])).bytes, { witnesses: [witness.key] })
  expect(report.verdict).toBe('proven')
})

test('a witness that knows more than the sealer is asked from where it is; an answer that was lost is asked for again', async () => {
  const asked = witnessEndpoint(endpoint.url, { key: witness.key })
  let losesAnswers = true
  const bodies: string[] = []
  const sealer = await begun({
    ...asked,
    ask: async (body) => {
      bodies.push(body.split('\n')[0] ?? '')
      const answer = await asked.ask(body)
      if (losesAnswers) throw new Error('cut off')
      return answer
    },
  })
  await rig.run('r1')
  await look(sealer)
  const { size: first } = await rig.store.log.state()
  expect(state.last(origin)?.size).toBe(first)
  expect(await rig.store.log.attestations({ fromSize: 0, limit: 9 })).toEqual([])
  losesAnswers = false
  await rig.run('r2')
  await look(sealer)
  const { size } = await rig.store.log.state()
  expect(await rig.store.log.attestations({ fromSize: 0, limit: 9 })).toMatchObject([{ size }])
  expect(bodies.slice(-2)).toEqual(['old 0', `old ${first}`])
})

test('R-G2 a database that was put back, or another one under the same key, is not cosigned, and that is told as an error', async () => {
  const asked = witnessEndpoint(endpoint.url, { key: witness.key })
  const sealer = await begun(asked)
  for (const run of ['r1', 'r2', 'r3']) {
    await rig.run(run)
    await look(sealer)
  }
  const kept = state.last(origin)
  const other = new Rig(sqlite({ file: join(folder, 'other.db') }), rig.mine)
  other.clock.advance(60_000)
  await other.open()
  await other.run('x')
  const second = await begun(asked, other)
  await look(second, other)
  expect(other.told.at(-1)).toMatch(
    /^error: .*it has cosigned 6 leaves, and this log has 2: the database lost its newest part/,
  )
  for (const run of ['y', 'z']) {
    await other.run(run)
    await look(second, other)
  }
  // As long as the first one now, and another: that is a fork, and the witness has it in hand.
  expect((await other.store.log.state()).size).toBe(6)
  await other.run('more')
  await look(second, other)
  expect(await other.store.log.attestations({ fromSize: 0, limit: 9 })).toEqual([])
  expect(state.last(origin)).toEqual(kept)
  expect(state.contradictions().map(({ kind, size }) => [kind, size])).toEqual([
    ['fork', 6],
    ['unproven', 8],
  ])
  await second.stop()
  await other.store.close()
})

test('what a witness answers is kept only if it is its cosignature', async () => {
  const asked = witnessEndpoint(endpoint.url, { key: witness.key })
  const stranger = keyOf(name, signerOf(newKey(name).signerKey))
  const answers: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {
    nothing: { status: 200, body: '' },
    'a page': { status: 200, body: '<html>hello</html>\n' },
    'a line by nobody known': {
      status: 200,
      body: `— ${name} ${Buffer.from(`${stranger.cosignatureKeyId}00`, 'hex').toString('base64')}\n`,
    },
    'a line that is wrong': {
      status: 200,
      body: `— ${name} ${Buffer.concat([Buffer.from(key.cosignatureKeyId, 'hex'), Buffer.alloc(72)]).toString('base64')}\n`,
    },
    'no size': { status: 409, body: 'many\n' },
    'another size each time': { status: 409, body: '' },
    'a fault': { status: 500, body: 'sorry' },
    'a redirect': { status: 302, body: '' },
  }
  let now = { status: 200, body: '' }
  let count = 0
  const sealer = await begun({
    ...asked,
    ask: async () => {
      count += 1
      return now.status === 409 && now.body === '' ? { status: 409, body: `${count % 2}\n` } : now
    },
  })
  for (const [what, answer] of Object.entries(answers)) {
    now = answer
    const before = count
    await rig.run(what.replaceAll(' ', '-'))
    await look(sealer)
    expect([what, count > before]).toEqual([what, true])
  }
  expect(await rig.store.log.attestations({ fromSize: 0, limit: 99 })).toEqual([])
  expect(count).toBeLessThan(30)
})

test('a witness without a right key, or with the name of the log, is refused at the start', async () => {
  const own = keyOf(origin, signer)
  for (const text of [
    'nothing',
    key.text,
    `${origin}+${own.cosignatureKeyId}+${witness.key.split('+').slice(2).join('+')}`,
  ])
    await expect(knownWitness(origin, witnessEndpoint(endpoint.url, { key: text }))).rejects.toMatchObject({
      code: 'invalid_evidence',
    })
})
