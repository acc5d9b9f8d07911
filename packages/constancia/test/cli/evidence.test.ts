import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkpointFolder, flow, keyFile, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../dist/governance/index.js'
import { openGovernance } from '../../dist/governance/index.js'
import { rawConnection } from '../store/raw.js'
import { give } from './in-process.js'
import type { Ended } from './project.js'

interface Vector {
  readonly name: string
  readonly file: string
  readonly keys: readonly string[]
  readonly authorities?: readonly string[]
}

const pemOf = (base64: string) =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
const origin = 'example.org/books'
const note = flow({ name: 'note', version: 1, run: (ctx, what: string) => ctx.step('write', () => `wrote ${what}`) })

let folder: string
let config: Config
let key: string

function run(...words: string[]): Promise<Ended> {
  return give(words, { folder, config })
}

/** Lets a worker with evidence do these runs; it seals them when it closes. */
async function work(...ids: string[]): Promise<void> {
  const runtime = await open({ ...config, log: () => undefined, worker: { pollMs: 20 } })
  for (const id of ids) await (await runtime.start(note, 'words', { id })).result()
  await runtime.close()
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constancia-evidence-'))
  const evidence = {
    origin,
    signer: keyFile(join(folder, 'log.key')),
    outside: [checkpointFolder(join(folder, 'kept'))],
  }
  config = { store: sqlite({ file: join(folder, 'app.db') }), flows: [note], evidence }
  const made = await run('keys', 'new', 'log.key')
  expect(made.code).toBe(0)
  key = made.stdout.trim()
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('evidence on the command line:', () => {
  test('R-G4 C50 what a worker did is proven by a file and a public key; exit codes tell what is wrong with another one', async () => {
    expect(statSync(join(folder, 'log.key')).mode & 0o077).toBe(0)
    expect((await run('keys', 'new', 'log.key')).code).toBe(5)
    await work('r1', 'r2')
    expect(await run('prove', 'r1', '-o', 'r1.proof')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Proves 1 run by/),
    })
    const proven = await run('verify', 'r1.proof', '--key', key, '--require', 'chain,leaves')
    expect([proven.code, proven.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^proven\n {2}What this file says [^\n]*\n[^\n]*\n {2}ok +format, [\s\S]*run r1: 3 events, sealed up to event 2; FlowCompleted\n {2}Was the approval real\?/,
      ),
    ])
    const json = await run('verify', 'r1.proof', '--key', key, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict: 'proven', kind: 'bundle', runs: [{ run: 'r1' }] })

    const file = readFileSync(join(folder, 'r1.proof'))
    writeFileSync(join(folder, 'bent.proof'), file.toString().replace('wrote words', 'wrote wards'))
    const bent = await run('verify', 'bent.proof', '--key', key)
    expect([bent.code, bent.stdout]).toEqual([
      15,
      expect.stringMatching(
        /^forged\n {2}Something in this file [^\n]*\n[^\n]*\n {2}FAILED +digest, chain\n[\s\S]* chain: run\/r1 event 1:[\s\S]*\nNothing that it says is proven\.\n$/,
      ),
    ])
    writeFileSync(join(folder, 'cut.proof'), file.subarray(0, 500))
    expect((await run('verify', 'cut.proof', '--key', key)).code).toBe(19)
    const other = await run('keys', 'new', 'other.key')
    expect((await run('verify', 'r1.proof', '--key', other.stdout.trim())).code).toBe(16)
    expect((await run('verify', 'r1.proof')).code).toBe(2)
    expect((await run('verify', 'nowhere.proof', '--key', key)).code).toBe(2)
    expect((await run('prove', 'nobody', '-o', 'x')).code).toBe(18)
    expect((await run('prove', '-o', 'x')).code).toBe(2)
  })

  test('R-G4 R-G7 a file whose questions could not all be answered is incomplete, unless the auditor says that the rest is enough', async () => {
    const vectors = new URL('../../../verify/vectors/', import.meta.url)
    const index = JSON.parse(readFileSync(new URL('index.json', vectors), 'utf8')) as { name: string; keys: string[] }[]
    const trusted = index.find(({ name }) => name === 'withheld-vote-body')?.keys[0] ?? ''
    const words = ['verify', fileURLToPath(new URL('withheld-vote-body.bundle', vectors)), '--key', trusted]
    const asked = await run(...words)
    expect([asked.code, asked.stdout]).toEqual([
      17,
      expect.stringMatching(
        /^incomplete\n {2}What was evaluated [^\n]*\n[^\n]*\n {2}not evaluated +actions, approvals\n[\s\S]*--allow actions,approvals[\s\S]*real\? not shown\n[\s\S]*once\? yes/,
      ),
    ])
    expect((await run(...words, '--allow', 'approvals')).code).toBe(17)
    const allowed = await run(...words, '--allow', 'approvals,actions')
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringMatching(/real\? not shown\n/)])
    expect((await run(...words, '--allow', 'everything')).code).toBe(2)
  })

  test('R-G4 R-G7 a receipt of one effect is verified by the command that verifies bundles, and says what it proves and what not', async () => {
    await work('r1')
    const made = await run('receipt', 'r1', '-o', 'r1.receipt')
    const size = statSync(join(folder, 'r1.receipt')).size
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        new RegExp(`Receipt of event 1 \\(StepCompleted\\) of run r1: ${size} bytes, by the checkpoint of`),
      ),
    })
    const shown = await run('verify', 'r1.receipt', '--key', key)
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^proven\n[\s\S]*\nreceipt of event 1 of run r1 \(StepCompleted\)\n {2}write \(op 0\) was done, at attempt 1, at 2\S+\n {2}It carries "wrote words"\nnot proven\n[\s\S]*allowed to[\s\S]*one event of the run/,
      ),
    ])
    const bent = readFileSync(join(folder, 'r1.receipt'), 'utf8').replace('wrote words', 'wrote wards')
    writeFileSync(join(folder, 'bent.receipt'), bent)
    const refused = await run('verify', 'bent.receipt', '--key', key)
    expect([refused.code, refused.stdout]).toEqual([15, expect.stringMatching(/Nothing that it says is proven\.\n$/)])
    expect((await run('receipt', 'r1', '--seq', '1', '--withhold', 'data', '-o', 'short')).code).toBe(0)
    expect(readFileSync(join(folder, 'short'), 'utf8')).not.toContain('words')
    const codes = async (...words: string[]) => (await run('receipt', ...words, '-o', 'x')).code
    expect(await codes('r1', '--op', '5')).toBe(3)
    expect(await codes('nobody')).toBe(3)
    expect(await codes('r1', '--op', '0', '--seq', '1')).toBe(2)
    expect(await codes('r1', '--withhold', 'bodies:StepCompleted')).toBe(2)
  })

  test('R-G2 a token of an authority is evaluated with its certificate, and listed as not evaluated without', async () => {
    // A log that the vectors hold: its token was made by `openssl ts`.
    const vectors = fileURLToPath(new URL('../../../verify/vectors/', import.meta.url))
    const index = JSON.parse(readFileSync(join(vectors, 'index.json'), 'utf8')) as Vector[]
    const { file, keys, authorities = [] } = index.find(({ name }) => name === 'token-good')!
    writeFileSync(join(folder, 'tsa.pem'), pemOf(authorities[0] ?? ''))
    const verify = (...more: string[]) => run('verify', join(vectors, file), '--key', keys[0] ?? '', ...more)
    const dated = await verify('--tsa-certificate', 'tsa.pem', '--require', 'tokens')
    expect([dated.code, dated.stdout]).toEqual([
      0,
      expect.stringMatching(/\n {2}dated +by Time, stamps: the first \d+ leaves[\s\S]*give\s+or\s+take\s+1500\s+ms/),
    ])
    const bare = await verify()
    expect([bare.code, bare.stdout]).toEqual([
      0,
      expect.stringMatching(/\n {2}dated +not evaluated: a token over \d+ leaves/),
    ])
    expect((await verify('--require', 'tokens')).code).toBe(17)
    writeFileSync(join(folder, 'none.pem'), 'nothing')
    expect((await verify('--tsa-certificate', 'none.pem')).code).toBe(2)
    expect((await verify('--tsa-certificate', 'nowhere.pem')).code).toBe(2)
  })

  test('R-G2 R-G7 an interval, an earlier checkpoint and what is left out', async () => {
    await work('r1')
    const kept = readFileSync(join(folder, 'kept', readdirSync(join(folder, 'kept'))[0] ?? ''), 'utf8')
    writeFileSync(join(folder, 'kept.note'), kept)
    await work('r2')
    const words = [
      '--from',
      '2020-01-01',
      '--before',
      '2100-01-01',
      '--since',
      kept.split('\n')[1] ?? '',
      '--withhold',
      'data',
    ]
    expect((await run('prove', ...words, '-o', 'all.proof')).code).toBe(0)
    expect(readFileSync(join(folder, 'all.proof'), 'utf8')).not.toContain('wrote words')
    const report = await run(
      'verify',
      'all.proof',
      '--key',
      key,
      '--checkpoint',
      'kept.note',
      '--require',
      'consistency',
      '--json',
    )
    expect(JSON.parse(report.stdout)).toMatchObject({ verdict: 'proven', scope: { kind: 'interval', count: 2 } })
    expect((await run('prove', 'r1', '--withhold', 'names', '-o', 'x')).code).toBe(2)
  })

  test('R-G3 R-F1 keys are added and retired by administrators, and what either signed is proven by the first', async () => {
    await work('r1')
    const { governance, close } = await openGovernance(config)
    await governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
    await close()
    const next = (await run('keys', 'new', 'next.key')).stdout.trim()
    expect((await run('keys', 'rotate', 'next.key', '--as', 'eve')).code).toBe(5)
    expect(await run('keys', 'rotate', 'next.key', '--as', 'ada')).toMatchObject({ code: 0, stdout: `${next}\n` })
    expect((await run('keys', 'rotate', 'next.key', '--as', 'ada')).code).toBe(2)
    await work('r2')
    const first = config.evidence
    config = { ...config, evidence: { origin, signer: keyFile(join(folder, 'next.key')) } }
    await work('r3')
    expect((await run('keys', 'retire', key, '--as', 'ada')).code).toBe(0)
    expect((await run('keys', 'retire', next, '--as', 'ada')).code).toBe(2)
    await work('r4')
    const listed = (await run('keys', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(listed).toMatchObject([
      { key, state: 'retired' },
      { key: next, state: 'active' },
    ])
    await run('prove', 'r1', 'r2', 'r3', 'r4', '-o', 'all.proof')
    const report = await run('verify', 'all.proof', '--key', key)
    expect([report.code, report.stdout]).toEqual([0, expect.stringContaining(next.split('+').slice(0, 2).join('+'))])
    // Whoever still has the old key is told, and nothing starts.
    config = { ...config, ...(first === undefined ? {} : { evidence: first }) }
    await expect(work('r5')).rejects.toMatchObject({ code: 'key_not_active' })
    expect((await run('keys', 'retire', next, '--as', 'ada', '--compromised', '3')).code).toBe(0)
    expect((await run('keys')).stdout).toMatch(/compromised, good up to 3/)
  })

  test('R-G5 constancia log finds what was edited', async () => {
    await work('r1')
    const whole = await run('log')
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/All of it fits/)])
    const raw = rawConnection(join(folder, 'app.db'))
    raw.exec(`DROP TRIGGER events_no_update; UPDATE events SET body = '{}' WHERE seq = 1 AND stream > 1`)
    raw.close()
    const edited = await run('log', '--json')
    expect(edited.code).toBe(15)
    expect(JSON.parse(edited.stdout).findings).toMatchObject([{ kind: 'journal', stream: 'run/r1' }])
  })

  test('without evidence in the configuration it is said what is missing', async () => {
    const { evidence: _, ...plain } = config
    config = plain
    for (const words of [['log'], ['prove', 'r1'], ['keys', 'rotate', 'next.key']])
      expect((await run(...words)).code).toBe(9)
  })
})
