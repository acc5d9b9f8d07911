import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isCampaign } from '../processes/campaign.js'
import type { MemoryOrder, MemoryReport } from './memory-words.js'

const program = fileURLToPath(new URL('./memory-process.mjs', import.meta.url))
const counts = isCampaign
  ? { shortCount: 20_000, parkedCount: 50_000, cancelledCount: 2_000 }
  : { shortCount: 3_200, parkedCount: 1_500, cancelledCount: 250 }
const folder = mkdtempSync(join(tmpdir(), 'constancia-scale-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Less than the id of a run and a place in a map take. So much may differ in all, for code is compiled on and on.
const keptBytesMax = 60
const noiseBytes = 300_000

describe('one process that works through many runs', () => {
  let report: MemoryReport
  beforeAll(async () => {
    const order: MemoryOrder = { file: join(folder, 'runs.db'), ...counts }
    const child = fork(program, [JSON.stringify(order)], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const [told] = (await once(child, 'message')) as [MemoryReport]
    report = told
    await once(child, 'exit')
    if (isCampaign) console.log(JSON.stringify(report, undefined, 2))
  }, 600_000)

  const grownBytes = (from: keyof MemoryReport, to: keyof MemoryReport): number => heap(report, to) - heap(report, from)

  test('C40 nothing is kept of runs that have ended', () => {
    const { shortCount } = counts
    expect(grownBytes('quarter', 'whole')).toBeLessThan(noiseBytes + (keptBytesMax * 3 * shortCount) / 4)
    expect(grownBytes('half', 'whole')).toBeLessThan(noiseBytes + (keptBytesMax * shortCount) / 2)
  })

  test('C40 R-B1 runs that are parked cost rows and no memory', () => {
    expect(grownBytes('whole', 'parked')).toBeLessThan(noiseBytes + keptBytesMax * counts.parkedCount)
  })

  test('C40 nothing is kept of runs that were cancelled', () => {
    expect(report.cancelledCount).toBe(counts.cancelledCount)
    expect(grownBytes('parked', 'cancelled')).toBeLessThan(noiseBytes + keptBytesMax * counts.cancelledCount)
  })

  test('C40 timers, handles and listeners are as many as at the beginning, also while runs are parked', () => {
    const moments = ['quarter', 'half', 'whole', 'parked', 'cancelled'] as const
    for (const moment of moments) {
      expect(report[moment].resources, moment).toEqual(report.begun.resources)
      expect(report[moment].listenerCount, moment).toBe(report.begun.listenerCount)
    }
    expect(report.closed.resources).toEqual(report.unopened.resources)
    expect(report.closed.listenerCount).toBe(report.unopened.listenerCount)
  })
})

function heap(report: MemoryReport, moment: keyof MemoryReport): number {
  const held = report[moment]
  return typeof held === 'number' ? Number.NaN : held.heapBytes
}
