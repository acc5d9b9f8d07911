import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  keyAdded,
  keyCompromised,
  makeReceipt,
  type Receipt,
  type ReceiptRequest,
  type Sealer,
} from '../../dist/evidence/log/index.js'
import { draftOf, nothingSeen, parseRunId, type StreamId, seenOf } from '../../dist/journal/index.js'
import { makeFolder } from '../store/stores.js'
import { failed, freshKey, origin, piecesOf, Rig, whole } from './rig.js'

const folder = makeFolder()
let no = 0

const started = { flow: 'f', version: 1, actor: 'eve', contract: null, patches: [] }
const pay = { op: '1', verb: 'do', name: 'pay' }
const digest = 'd'.repeat(64)
const voted = { ...pay, voter: 'ann', choice: 'approve', shown: digest, roles: ['cfo'], delivery: 'v1', amended: null }
const done = { ...pay, attempt: 1 }
const payment = [
  draftOf('FlowStarted', started, '{"secret":"input"}'),
  { kind: 'ApprovalVoted', body: JSON.stringify(voted), data: '{"note":"fine with me"}' },
  { kind: 'ActionCompleted', body: JSON.stringify(done), data: '{"paid":4711}' },
  { kind: 'StepCompleted', body: JSON.stringify({ op: '2', name: 'tell', attempt: 1 }), data: '"secret words"' },
  draftOf('FlowCompleted', {}, '"secret end"'),
]

for (const [name, factory] of [
  ['memory', () => memory(memoryDisk())],
  ['SQLite', () => sqlite({ file: join(folder, `${++no}.db`) })],
] as const) {
  describe(`receipts over ${name}:`, () => {
    let rig: Rig
    let sealer: Sealer

    beforeEach(async () => {
      rig = new Rig(factory())
      await rig.open()
      sealer = await rig.sealer()
    })

    afterEach(async () => {
      await sealer.stop()
      await rig.store.close()
    })

    const run = async (id: string, drafts = payment) =>
      rig.store.create({ run: parseRunId(id), drafts, by: 'system:api', seen: nothingSeen })

    const receipt = (id: string, of: ReceiptRequest['of'], more: Partial<ReceiptRequest> = {}): Promise<Receipt> =>
      makeReceipt(rig.store, { run: parseRunId(id), origin, of, ...more })

    test('R-G4 one decision and one effect are proven alone, in words, and nothing else of the run is in the file', async () => {
      await run('r1')
      await rig.run('other')
      await sealer.sealNow()
      const decision = await receipt('r1', { seq: 1 })
      const report = await rig.verify(piecesOf(decision.bytes))
      expect(failed(report)).toEqual([])
      expect(report).toMatchObject({ verdict: 'proven', kind: 'receipt', receipt: { kind: 'ApprovalVoted', seq: 1 } })
      expect(report.receipt?.text).toBe('ann approved pay (op 1) as cfo at 2026-01-01T00:00:00.000Z.')
      expect(report.receipt?.data).toEqual({ kind: 'text', text: '{"note":"fine with me"}' })
      expect(report.notProven.join('\n')).toMatch(
        /was allowed to[\s\S]*one event of the run[\s\S]*key might still sign/,
      )

      const effect = await receipt('r1', { seq: 2 })
      const told = await rig.verify(piecesOf(effect.bytes))
      expect([told.verdict, told.receipt?.text]).toEqual([
        'proven',
        'pay (op 1) was done, at attempt 1, at 2026-01-01T00:00:00.000Z.',
      ])
      for (const { bytes } of [decision, effect]) {
        const text = Buffer.from(bytes).toString()
        expect(text).not.toMatch(/secret|other|KeyAdded/)
        expect(text.match(/^leaf /gm)).toHaveLength(2)
        expect(text.match(/^checkpoint /gm)).toHaveLength(1)
        expect(bytes.length).toBeLessThan(4_096)
      }
      expect(Buffer.from(effect.bytes).toString()).not.toContain('fine with me')
    })

    test('R-G7 what an event carries can be left out; the fact and all the rest are proven as before', async () => {
      await run('r1')
      await sealer.sealNow()
      const { bytes } = await receipt('r1', { seq: 2 }, { withholdsData: true })
      expect(Buffer.from(bytes).toString()).not.toContain('4711')
      const report = await rig.verify(piecesOf(bytes))
      expect([report.verdict, report.receipt?.data]).toEqual(['proven', { kind: 'withheld' }])
      expect(report.notProven[0]).toBe('What the event carries: it is withheld.')
    })

    test('R-G5 a receipt of which one byte is another is refused, and so is one that is cut', async () => {
      await run('r1')
      await sealer.sealNow()
      const { bytes } = await receipt('r1', { seq: 2 })
      let refusedCount = 0
      for (let place = 0; place < bytes.length; place += 29) {
        const bent = Buffer.from(bytes)
        bent[place] = (bent[place] ?? 0) ^ (1 << (place % 8))
        expect((await rig.verify(piecesOf(bent))).verdict, `byte ${place}`).not.toBe('proven')
        refusedCount += 1
      }
      expect(refusedCount).toBeGreaterThan(50)
      expect((await rig.verify(piecesOf(bytes.subarray(0, -1)))).verdict).toBe('unreadable')
    })

    test('the op names the event where it has one decision or effect; else it is told which there are', async () => {
      await run('r1')
      await run('r2', [...payment.slice(0, 2)])
      await sealer.sealNow()
      expect((await receipt('r1', { op: '2' })).kind).toBe('StepCompleted')
      expect((await receipt('r2', { op: undefined })).kind).toBe('ApprovalVoted')
      await expect(receipt('r1', { op: '1' })).rejects.toMatchObject({
        code: 'ambiguous_event',
        message: expect.stringMatching(/ {2}1 {2}ApprovalVoted {2}by system:api\n {2}2 {2}ActionCompleted/),
      })
      await expect(receipt('r1', { op: undefined })).rejects.toMatchObject({ code: 'ambiguous_event' })
      await expect(receipt('r1', { op: '7' })).rejects.toMatchObject({ code: 'unknown_event' })
      await expect(receipt('r1', { seq: 5 })).rejects.toMatchObject({ code: 'unknown_event' })
      await expect(receipt('nobody', { seq: 0 })).rejects.toMatchObject({ code: 'unknown_run' })
      await rig.store.purge({ runs: [parseRunId('r1')], by: 'principal:bob' })
      await expect(receipt('r1', { seq: 0 })).rejects.toMatchObject({ code: 'run_purged' })
    })

    test('what is not sealed yet has no receipt; what follows behind the first leaf is not in it', async () => {
      await rig.run('r1', 2, false)
      await expect(receipt('r1', { seq: 1 })).rejects.toMatchObject({ code: 'not_sealed' })
      await sealer.sealNow()
      const first = await receipt('r1', { seq: 1 })
      await rig.clock.advance(5_000)
      await rig.signal('r1', 'late')
      await expect(receipt('r1', { seq: 3 })).rejects.toMatchObject({ code: 'not_sealed' })
      await sealer.sealNow()
      // Of several leaves and checkpoints it takes the first: the receipt stays the same, byte for byte.
      expect(await receipt('r1', { seq: 1 })).toEqual(first)
      const late = await receipt('r1', { seq: 3 })
      const report = await rig.verify(piecesOf(late.bytes))
      expect([report.verdict, report.receipt?.text]).toEqual([
        'proven',
        'SignalReceived was written by principal:bob at 2026-01-01T00:00:05.000Z.',
      ])
    })

    test('R-G3 C60 a checkpoint that a compromised key signed is passed over: a later one by another key covers the event', async () => {
      await run('r1')
      const last = (await sealer.sealNow()) as { checkpoint?: { size: number } }
      const stream = 'governance' as StreamId
      const next = freshKey()
      const record = async (drafts: Awaited<ReturnType<typeof keyAdded>>[]) => {
        const head = (await rig.store.read(stream)).at(-1)
        const seen = head === undefined ? nothingSeen : seenOf(head)
        await rig.store.record({ stream, head, drafts, by: 'system:evidence', seen })
      }
      await record([await keyAdded(next, rig.mine)])
      await record([keyCompromised(rig.mine.key.text, (last.checkpoint?.size ?? 0) - 1)])
      const other = await rig.sealer([], { mine: next, holder: 'two' })
      await other.sealNow()
      const { bytes, checkpoint } = await receipt('r1', { seq: 2 })
      expect(checkpoint.size).toBeGreaterThan(last.checkpoint?.size ?? 0)
      expect((await rig.verify(piecesOf(bytes), { keys: [next.key.text] })).verdict).toBe('proven')
      expect((await rig.verify(piecesOf(bytes))).verdict).toBe('unverifiable')
      await other.stop()
    })
  })
}

test('a bundle has no receipt in its report, and folders of these tests are deleted', async () => {
  const rig = new Rig(memory(memoryDisk()))
  await rig.open()
  const sealer = await rig.sealer()
  await rig.run('r1')
  await sealer.sealNow()
  const report = await rig.verify(piecesOf(await whole((await rig.prove(['r1'])).bytes)))
  expect([report.kind, report.receipt]).toEqual(['bundle', undefined])
  await sealer.stop()
  await rig.store.close()
  rmSync(folder, { recursive: true, force: true })
})
