import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from 'constancia/sqlite'
import { memory, memoryDisk } from 'constancia/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseRunId, type StreamId } from '../../dist/journal/index.js'
import { makeFolder } from '../store/stores.js'
import { failed, origin, piecesOf, Rig, whole } from './rig.js'

const folder = makeFolder()

/** A file with an end line that fits again. */
function endedAnew(text: string): string {
  const body = text.slice(0, text.lastIndexOf('\nend ') + 1)
  return `${body}end ${createHash('sha256').update(body).digest('hex')}\n`
}
let no = 0

afterEach(() => undefined)

for (const [name, factory] of [
  ['memory', () => memory(memoryDisk())],
  ['SQLite', () => sqlite({ file: join(folder, `${++no}.db`) })],
] as const) {
  describe(`evidence over ${name}:`, () => {
    let rig: Rig

    beforeEach(async () => {
      rig = new Rig(factory())
      await rig.open()
    })

    afterEach(async () => {
      await rig.store.close()
    })

    test('R-G1 R-G2 R-G3 R-G4 what was sealed in many rounds is proven by one file, with every checkpoint that its events name', async () => {
      const sealer = await rig.sealer()
      await rig.run('r1', 2, false)
      await rig.run('other', 1)
      for (let round = 0; round < 5; round += 1) {
        expect((await sealer.sealNow()).kind).toBe('sealed')
        await rig.clock.advance(1_000)
        await rig.signal('r1', `d${round}`)
        if (round === 2) await rig.grant('ann')
      }
      await sealer.sealNow()
      const proof = await rig.prove(['r1', 'other'])
      expect(proof.runs).toEqual([
        { run: 'other', sealedSeq: 2, headSeq: 2 },
        { run: 'r1', sealedSeq: 7, headSeq: 7 },
      ])
      const report = await rig.verify(proof.bytes)
      expect(failed(report)).toEqual([])
      expect(report.verdict).toBe('proven')
      expect(report.runs.map(({ run, eventCount, sealedSeq }) => [run, eventCount, sealedSeq])).toEqual([
        ['other', 3, 2],
        ['r1', 8, 7],
      ])
      // Events name the checkpoint that was the last one: their times are bounded from below.
      const seen = (await rig.store.read('run/r1' as StreamId)).map((event) =>
        Number(/\/(\d+):/.exec(event.seen)?.[1] ?? 0),
      )
      expect(new Set(seen).size).toBe(6)
      await sealer.stop()
    })

    test('what is not sealed yet is not in the file, and it is told how far it is', async () => {
      const sealer = await rig.sealer()
      await expect(rig.prove(['r1'])).rejects.toMatchObject({ code: 'not_sealed' })
      await rig.run('r1', 2, false)
      await sealer.sealNow()
      await expect(rig.prove(['nobody'])).rejects.toMatchObject({ code: 'not_sealed' })
      await rig.signal('r1', 'late')
      const { runs, bytes } = await rig.prove(['r1'])
      expect(runs).toEqual([{ run: 'r1', sealedSeq: 2, headSeq: 3 }])
      const report = await rig.verify(bytes)
      expect([report.verdict, report.runs[0]?.eventCount]).toEqual(['proven', 3])
      await sealer.stop()
    })

    test('R-G7 bodies and data that are left out leave the rest proven', async () => {
      const sealer = await rig.sealer()
      await rig.run('r1')
      await sealer.sealNow()
      const file = await whole((await rig.prove(['r1'], { withhold: { data: true, bodies: ['StepCompleted'] } })).bytes)
      expect(file.toString()).not.toContain('"input"')
      expect(file.toString()).not.toContain('"op"')
      const report = await rig.verify(piecesOf(file))
      expect(failed(report)).toEqual([])
      expect([report.verdict, report.runs[0]?.withheldCount]).toEqual(['proven', 8])
      await sealer.stop()
    })

    test('R-G7 data of some kinds alone is left out, and what was erased is told apart from it', async () => {
      const sealer = await rig.sealer()
      await rig.grant('ada')
      for (const id of ['r1', 'r2']) await rig.run(id)
      const texts = [{ stream: 'run/r1' as StreamId, from: 1, to: 2 }]
      await rig.erase(texts)
      await sealer.sealNow()
      const file = await whole((await rig.prove(['r1', 'r2'], { withhold: { data: ['FlowStarted'] } })).bytes)
      const words = file.toString().match(/^data (withheld|erased|[0-9a-f]{32} )/gm) ?? []
      const counts = ['withheld', 'erased'].map((word) => words.filter((line) => line.includes(word)).length)
      expect([counts, words.length]).toEqual([[2, 2], 10])
      const report = await rig.verify(piecesOf(file))
      expect([report.verdict, failed(report)]).toEqual(['proven', []])
      expect(report.runs.map(({ withheldCount, erasedCount }) => [withheldCount, erasedCount])).toEqual([
        [1, 2],
        [1, 0],
      ])
      // Withheld or erased: whoever makes the file cannot choose.
      const lie = file.toString().replace('data withheld', 'data erased')
      const lied = await rig.verify(piecesOf(Buffer.from(endedAnew(lie))))
      expect([lied.verdict, failed(lied)]).toEqual([
        'forged',
        ['law run/r1 0 its data is said to be erased, and no Erased event of governance names it'],
      ])
      await sealer.stop()
    })

    test('R-G5 a file of which one byte is another is refused, and so is one that is cut', async () => {
      const sealer = await rig.sealer()
      await rig.run('r1')
      await sealer.sealNow()
      const file = await whole((await rig.prove(['r1'])).bytes)
      let refusedCount = 0
      for (let place = 40; place < file.length; place += 97) {
        const bent = Buffer.from(file)
        bent[place] = (bent[place] ?? 0) ^ 1
        const { verdict } = await rig.verify(piecesOf(bent))
        expect(verdict, `byte ${place}`).not.toBe('proven')
        refusedCount += 1
      }
      expect(refusedCount).toBeGreaterThan(20)
      expect((await rig.verify(piecesOf(file.subarray(0, -1)))).verdict).toBe('unreadable')
      await sealer.stop()
    })

    test('R-G2 a file shows that the log goes on from a checkpoint that was kept, and one of another log is not taken for it', async () => {
      const sealer = await rig.sealer()
      await rig.run('r1')
      await sealer.sealNow()
      const earlier = (await rig.store.log.state()).checkpoint!
      await rig.run('r2')
      await rig.clock.advance(5_000)
      await sealer.sealNow()
      const proof = await rig.prove(['r2'], { since: earlier.size })
      const report = await rig.verify(proof.bytes, { earlier: earlier.note, require: ['consistency'] })
      expect(failed(report)).toEqual([])
      expect(report.verdict).toBe('proven')
      await expect(rig.prove(['r2'], { since: 1 })).rejects.toMatchObject({ code: 'invalid_evidence' })
      await sealer.stop()
    })

    test('all runs of an interval come with a claim that these are all, and none where one was purged', async () => {
      const sealer = await rig.sealer()
      const fromMs = rig.clock.now()
      for (const run of ['b', 'a']) {
        await rig.run(run)
        await rig.clock.advance(60_000)
      }
      await rig.run('later')
      await sealer.sealNow()
      const of = { fromMs, beforeMs: fromMs + 120_000, mine: rig.mine }
      const proof = await rig.prove([], { of })
      expect(proof.runs.map(({ run }) => run)).toEqual(['a', 'b'])
      const report = await rig.verify(proof.bytes)
      expect(failed(report)).toEqual([])
      expect([report.verdict, report.scope]).toEqual([
        'proven',
        { kind: 'interval', fromMs, toMs: fromMs + 120_000, count: 2 },
      ])
      await rig.store.purge({ runs: [parseRunId('a')], by: 'principal:bob' })
      await expect(rig.prove([], { of })).rejects.toMatchObject({ code: 'interval_purged' })
      expect(origin).toBe('example.org/books')
      await sealer.stop()
    })

    test('R-G2 a log of more leaves than a tile holds proves the first and the last of them', async () => {
      const sealer = await rig.sealer()
      for (let run = 0; run < 300; run += 1) await rig.run(`r${String(run).padStart(3, '0')}`, 0)
      await sealer.sealNow()
      for (let run = 300; run < 320; run += 1) await rig.run(`r${run}`, 0)
      await sealer.sealNow()
      for (const run of ['r000', 'r255', 'r256', 'r299', 'r319']) {
        const report = await rig.verify((await rig.prove([run], { since: 301 })).bytes)
        expect(failed(report), run).toEqual([])
        expect(report.verdict).toBe('proven')
      }
      await sealer.stop()
    })
  })
}

test('folders of these tests are deleted', () => {
  rmSync(folder, { recursive: true, force: true })
})
