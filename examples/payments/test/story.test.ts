import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Scene {
  readonly name: string
  /** How the first worker ended, as the operating system says. */
  readonly firstEnd: string | null
  readonly kinds: readonly string[]
  /** For each payment of the bank: how often it was asked for it. */
  readonly requests: readonly number[]
  readonly claims: readonly { readonly text: string; readonly holds: boolean }[]
}

interface Output {
  readonly scenes: readonly Scene[]
  readonly golden: { readonly tried: number; readonly failed: number; readonly pairs: number }
}

const demo = fileURLToPath(new URL('../dist/demo.js', import.meta.url))
const proof = fileURLToPath(new URL('../dist/proof.js', import.meta.url))
const command = fileURLToPath(new URL('../../../packages/constancia/bin/constancia.js', import.meta.url))
const project = fileURLToPath(new URL('..', import.meta.url))
const timeoutMs = 600_000
const asked = ['FlowStarted', 'ActionAuthorized', 'ActionCompleted', 'ApprovalRequested']
const approved = [...asked, 'ApprovalVoted', 'ApprovalResolved']
const paid = ['ResumeAuthorized', 'ActionAuthorized', 'ActionCompleted', 'MessageSent', 'FlowCompleted']
const denied = ['ResumeAuthorized', 'ActionDenied', 'MessageSent', 'FlowFailed']

async function output(file: string, args: readonly string[], options: { cwd?: string; TMPDIR?: string } = {}) {
  const { cwd, TMPDIR } = options
  const env = TMPDIR === undefined ? process.env : { ...process.env, TMPDIR, TMP: TMPDIR, TEMP: TMPDIR }
  const child = spawn(process.execPath, [file, ...args], { env, cwd })
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  return out
}

describe('the story of a payment', () => {
  let folder = ''
  let scenes: ReadonlyMap<string, Scene>
  let golden: Output['golden']
  const sceneOf = (name: string): Scene => scenes.get(name)!

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'constancia-payments-test-'))
    const out = JSON.parse(await output(demo, ['--json'], { TMPDIR: folder })) as Output
    golden = out.golden
    scenes = new Map(out.scenes.map((scene) => [scene.name, scene]))
  }, timeoutMs)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('R-A11 has six scenes, and every sentence that it shows holds', () => {
    expect([...scenes.keys()]).toEqual(['approved', 'actor', 'approver', 'contract', 'situation', 'workers'])
    const claims = [...scenes.values()].flatMap((scene) => scene.claims)
    expect(claims.filter(({ holds }) => !holds)).toEqual([])
    expect(claims.length).toBeGreaterThanOrEqual(2 * scenes.size)
    expect([...scenes.values()].map(({ firstEnd }) => firstEnd)).toEqual(Array(6).fill('SIGKILL'))
  })

  it('R-D1 R-D2 R-D4 R-E2 an invoice is read, a payment proposed, approved four days later, and made by another process', () => {
    expect(sceneOf('approved').kinds).toEqual([...approved, ...paid])
    expect(sceneOf('approved').requests).toEqual([1])
  })

  it('R-E3 R-E12 C24 when the actor has lost the role during the pause, the run fails and the user is told', () => {
    expect(sceneOf('actor').kinds).toEqual([...approved, 'MessageSent', 'FlowFailed'])
    expect(sceneOf('actor').requests).toEqual([])
  })

  it('R-D7 R-E8 the vote of somebody who lost the role before the quorum does not count', () => {
    expect(sceneOf('approver').kinds).toEqual([
      ...asked,
      'ApprovalVoted',
      'ApprovalVoted',
      'ApprovalResolved',
      'ResumeAuthorized',
      'MessageSent',
      'FlowCompleted',
    ])
    expect(sceneOf('approver').requests).toEqual([])
  })

  it('R-E9 what the contract in force no longer allows is denied, although the one that the run started with allowed it', () => {
    expect(sceneOf('contract').kinds).toEqual([...approved, ...denied])
    expect(sceneOf('contract').requests).toEqual([])
  })

  it('R-E10 what somebody else has paid meanwhile is not paid again', () => {
    expect(sceneOf('situation').kinds).toEqual([...approved, ...denied])
    expect(sceneOf('situation').requests).toEqual([])
  })

  it('R-A8 R-C3 R-C4 two workers that hold one resume for theirs pay once, and the journal has it once', () => {
    expect(sceneOf('workers').kinds).toEqual([...approved, ...paid])
    expect(sceneOf('workers').requests).toEqual([2])
  })

  it('R-A7 T1 wherever its process ends, once or twice, journal and bank come out the same', () => {
    expect(golden.failed).toBe(0)
    expect(golden.pairs).toBeGreaterThan(30)
    expect(golden.tried).toBeGreaterThan(100)
  })

  it('leaves nothing behind', () => {
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the contract of the example', () => {
  it(
    'R-F1 R-F6 is shown to people, with its messages in both languages',
    async () => {
      const shown = await output(command, ['contract', 'show'], { cwd: project })
      expect(shown).toContain('| `payment-released` | en | Invoice {invoice} is paid to {vendor}. Receipt {receipt}. |')
      expect(shown).toContain('| `payment-released` | es | La factura {invoice} está pagada a {vendor}.')
      expect(shown).toContain('2 different people who are `treasurer`')
      expect(readdirSync(project)).not.toContain('payments.db')
    },
    timeoutMs,
  )
})

describe('the proof of a payment', () => {
  it('R-G4 R-G5 is proven as the operator wrote it, and forged with one byte changed, whether or not its chain was made anew', {
    timeout: timeoutMs,
  }, async () => {
    const { codes, claims } = JSON.parse(await output(proof, ['--json'])) as {
      readonly codes: readonly number[]
      readonly claims: Scene['claims']
    }
    expect(codes).toEqual([0, 15, 15])
    expect(claims.filter(({ holds }) => holds)).toHaveLength(3)
  })
})
