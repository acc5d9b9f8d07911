import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Act {
  readonly lives: readonly { readonly signal: string | null; readonly reread: number; readonly executed: number }[]
  readonly totals: Readonly<Record<string, number>>
  readonly pulls: readonly { readonly branch: string; readonly key?: string; readonly requests: number }[]
}

interface Output {
  readonly fileCount: number
  readonly packageCount: number
  readonly withJournal: Act
  readonly withoutJournal: Act
  readonly golden: { readonly tried: number; readonly failed: number }
  readonly claims: readonly { readonly text: string; readonly holds: boolean }[]
}

const demo = fileURLToPath(new URL('../dist/demo.js', import.meta.url))
const timeoutMs = 600_000
let folder = ''

function start(args: readonly string[]) {
  return spawn(process.execPath, [demo, ...args], {
    env: { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder },
  })
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'constancia-demo-test-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the demo', () => {
  let output: Output

  beforeAll(async () => {
    const child = start(['--json'])
    const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    output = JSON.parse(out) as Output
  }, timeoutMs)

  it('R-A11 works offline on a few hundred real files, and every sentence that it shows holds', () => {
    expect(output.fileCount).toBeGreaterThan(200)
    expect(output.claims.filter(({ holds }) => !holds)).toEqual([])
    expect(output.claims.length).toBeGreaterThan(5)
  })

  it('R-A6 SIGKILL ends at least five processes, and the last one goes on from where they stopped', () => {
    const signals = output.withJournal.lives.map(({ signal }) => signal)
    expect(signals.filter((signal) => signal === 'SIGKILL').length).toBeGreaterThanOrEqual(5)
    expect(signals.at(-1)).toBe(null)
    expect(output.withoutJournal.lives.map(({ signal }) => signal)).toEqual(signals)
    const last = output.withJournal.lives.at(-1)!
    const stepCount = output.fileCount + 3 * output.packageCount
    expect(last.reread + last.executed).toBe(stepCount)
  })

  it('R-A4 each process re-reads all that was done before it and executes only the rest', () => {
    const { lives, totals } = output.withJournal
    for (const [index, { reread }] of lives.entries()) if (index > 0) expect(reread).toBeGreaterThan(0)
    expect(totals.reread).toBeGreaterThan(totals.executed!)
    expect(totals.executed).toBeLessThan(output.withoutJournal.totals.executed! / 2)
  })

  it('R-A8 the forge accepts every pull request once, also those that it was asked for again with the same key', () => {
    const { pulls, totals } = output.withJournal
    expect(pulls).toHaveLength(output.packageCount)
    expect(new Set(pulls.map(({ branch }) => branch)).size).toBe(output.packageCount)
    expect(pulls.every(({ key }) => key?.startsWith('spring-cleaning/'))).toBe(true)
    expect(Math.max(...pulls.map(({ requests }) => requests))).toBeGreaterThan(1)
    expect(totals.commits).toBe(output.packageCount)
  })

  it('R-A8 the same agent without a journal opens pull requests twice and pays for answers twice', () => {
    expect(output.withoutJournal.totals.pullsDuplicate).toBeGreaterThan(0)
    expect(output.withoutJournal.totals.modelCalls).toBeGreaterThan(output.withJournal.totals.modelCalls!)
  })

  it('R-A4 no answer of the model is paid for again once it is in the journal', () => {
    const { modelCalls, modelCallsAgain } = output.withJournal.totals
    expect(modelCalls! - modelCallsAgain!).toBe(output.fileCount)
    expect(modelCallsAgain).toBeLessThan(output.fileCount / 10)
  })

  it('R-A7 every crash point of its flow, and every pair of them, comes out the same', () => {
    expect(output.golden.tried).toBeGreaterThan(200)
    expect(output.golden.failed).toBe(0)
  })

  it('leaves nothing behind', () => {
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the demo, interrupted', () => {
  it.skipIf(process.platform === 'win32')(
    'leaves no file and no process behind',
    async () => {
      const child = start([])
      const closed = once(child, 'close') // Only when no descendant holds its output any more.
      for await (const chunk of child.stdout) if (String(chunk).includes('killed:')) break
      child.kill('SIGINT')
      expect(await once(child, 'exit')).toEqual([130, null])
      await closed
      expect(readdirSync(folder)).toEqual([])
    },
    timeoutMs,
  )
})
