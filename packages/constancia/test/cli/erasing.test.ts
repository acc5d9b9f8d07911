import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { flow, keyFile, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Config, openGovernance } from '../../dist/governance/index.js'
import { GovernedProject } from './contracts.js'
import { pay } from './governed.mjs'
import { give } from './in-process.js'
import { type Ended, rests } from './project.js'

const patience = { timeout: 300_000 }
const reader = fileURLToPath(new URL('../../../verify/readers/verify_bundle.py', import.meta.url))

/** Run `p1` was approved with a note, and paid; `p2` waits for an approval. Both act as `ana`. */
async function paid(): Promise<GovernedProject> {
  const project = new GovernedProject()
  await project.settle()
  await project.working(async (runtime) => {
    await runtime.start(pay, { cents: 2_500 }, { id: 'p1', actor: 'ana' })
    await runtime.start(pay, { cents: 700 }, { id: 'p2', actor: 'ana' })
    await rests(runtime, 'p1', 'paused')
    await rests(runtime, 'p2', 'paused')
  })
  const { shown } = JSON.parse((await project.give(['approval', 'p1', '--json'])).stdout)
  await project.give(['approve', 'p1', '--as', 'bo', '--shown', shown, '--note', 'she is a friend'])
  await project.working((runtime) => rests(runtime, 'p1', 'completed'))
  return project
}

describe('constancia erase', patience, () => {
  test('R-G7 shows what would go, asks, erases, and everything that reads journals says that it is erased', async () => {
    const project = await paid()
    const preview = await project.give(['erase', '--run', 'p1', '--preview'])
    expect([preview.code, preview.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Would erase \d+ texts of 1 stream:\n {2}run\/p1 {2}\d+ texts\nWhat stays:\n {2}- [\s\S]*Backups/,
      ),
    ])
    const refused = [
      await project.give(['erase']),
      await project.give(['erase', '--run', 'p1', '--principal', 'ana']),
      await project.give(['erase', '--run', 'p1', '--as', 'ada']),
      await project.give(['erase', '--run', 'p2', '--as', 'ada', '--yes']),
      await project.give(['erase', '--principal', 'ana', '--as', 'ada', '--yes']),
      await project.give(['erase', '--run', 'p1', '--as', 'bo', '--yes']),
      await project.give(['erase', '--run', 'nobody', '--as', 'ada', '--yes']),
    ]
    expect(refused.map(({ code, stderr }) => [code, /\[(\w+)\]/.exec(stderr)?.[1]])).toEqual([
      [2, 'usage'],
      [2, 'usage'],
      [8, 'unconfirmed'],
      [5, 'run_open'],
      [5, 'run_open'],
      [5, 'not_permitted'],
      [3, 'unknown_run'],
    ])
    expect((await project.give(['journal', 'p1'])).stdout).toContain('she is a friend')

    const erased = await project.give([
      'erase',
      '--principal',
      'ana',
      '--leave-open',
      '--as',
      'ada',
      '--reason',
      'letter 7',
      '--yes',
    ])
    expect([erased.code, erased.stdout, erased.stderr]).toEqual([
      0,
      expect.stringMatching(/^Erased \d+ texts of 1 stream:\n[\s\S]*left as they are: p2\./),
      expect.stringMatching(/Recorded in the governance stream: event \d+\./),
    ])
    expect(await project.give(['erase', '--run', 'p1', '--as', 'ada', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('There is nothing to erase.'),
    })
    await answersClearly(project)
    await project.working(async (runtime) => {
      await expect(runtime.run('p1').result()).rejects.toMatchObject({ code: 'data_erased' })
      await expect(runtime.start(pay, { cents: 2_500 }, { id: 'p1', actor: 'ana' })).rejects.toMatchObject({
        code: 'run_exists',
        message: expect.stringContaining('its input was erased'),
      })
      // The other run goes on as if nothing had been.
      await rests(runtime, 'p2', 'paused')
    })
  })
})

async function answersClearly(project: GovernedProject): Promise<void> {
  const words = [
    ['show', 'p1'],
    ['journal', 'p1'],
    ['approval', 'p1'],
    ['approval', 'p1', '--json'],
    ['audit'],
    ['export', 'p1'],
    ['runs'],
    ['approvals', '--all'],
  ]
  // Digits that stand alone: hashes and dates may have the same four by chance.
  const gone = /friend|(?<![\w+/])2500(?![\w+/])|receipt"/
  for (const one of words) {
    const { code, stdout } = await project.give(one)
    expect([one, code, gone.test(stdout)]).toEqual([one, 0, false])
    expect([one, stdout === '']).toEqual([one, false])
  }
  expect((await project.give(['journal', 'p1'])).stdout).toContain('(erased)')
  const audit = await project.give(['audit', 'erasures', '--json'])
  expect(
    audit.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { question: 'erasures', run: 'p1', by: 'ada', subject: 'run/p1, of ana', outcome: 'erased', note: 'letter 7' },
  ])
  const late = await project.give(['reject', 'p1', '--as', 'cy', '--shown', 'ab'.repeat(32)])
  expect([late.code, late.stderr]).toEqual([5, expect.stringContaining('[vote_refused]')])
  expect((await project.give(['rebuild', '--yes'])).code).toBe(0)
  expect((await project.give(['show', 'p1'])).stdout).toContain('completed')
}

describe('evidence of what was erased', patience, () => {
  const origin = 'example.org/books'
  const note = flow({ name: 'note', version: 1, run: (ctx, what: string) => ctx.step('write', () => `wrote ${what}`) })
  let folder: string
  let config: Config
  let key: string

  const run = (...words: string[]): Promise<Ended> => give(words, { folder, config })

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'constancia-erasing-'))
    const evidence = { origin, signer: keyFile(join(folder, 'log.key')) }
    config = { store: sqlite({ file: join(folder, 'app.db') }), flows: [note], evidence }
    key = (await run('keys', 'new', 'log.key')).stdout.trim()
  })

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** Lets a worker with evidence do these runs; it seals everything when it closes. */
  async function work(...ids: string[]): Promise<void> {
    const runtime = await open({ ...config, log: () => undefined, worker: { pollMs: 20 } })
    for (const id of ids) await (await runtime.start(note, 'words', { id })).result()
    await runtime.close()
  }

  test('R-G6 R-G7 a file of the run says so, and both verifiers prove the rest; as soon as the erasure is sealed', async () => {
    await work('r1', 'r2')
    const { governance, close } = await openGovernance(config)
    await governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
    await close()
    expect((await run('prove', 'r1', '-o', 'before.proof')).code).toBe(0)
    const erased = await run('erase', '--run', 'r1', '--as', 'ada', '--yes', '--json')
    expect([erased.code, JSON.parse(erased.stdout)]).toMatchObject([0, { textCount: 3, open: [], seqs: [2] }])
    const early = await run('prove', 'r1', '-o', 'early.proof')
    expect([early.code, early.stderr]).toEqual([18, expect.stringContaining('was erased since the last sealing')])
    await work()
    expect((await run('prove', 'r1', 'r2', '-o', 'after.proof')).code).toBe(0)
    const file = readFileSync(join(folder, 'after.proof'), 'utf8')
    expect(file.match(/^data erased [0-9a-f]{64}$/gm)).toHaveLength(3)
    const required = ['--require', 'chain,leaves,law']
    const report = await run('verify', 'after.proof', '--key', key, '--json', ...required)
    expect([report.code, JSON.parse(report.stdout)]).toMatchObject([
      0,
      {
        verdict: 'proven',
        runs: [
          { run: 'r1', erasedCount: 3 },
          { run: 'r2', erasedCount: 0 },
        ],
      },
    ])
    expect(JSON.parse(report.stdout).notProven.join(' ')).toContain('What 3 texts said that were erased.')
    for (const name of ['before', 'after']) {
      const second = spawnSync('python3', [
        reader,
        join(folder, `${name}.proof`),
        '--key',
        key,
        '--require',
        'law',
        '--json',
      ])
      expect([name, second.status, JSON.parse(String(second.stdout)).verdict]).toEqual([name, 0, 'proven'])
    }
    expect((await run('log')).code).toBe(0)
  })
})
