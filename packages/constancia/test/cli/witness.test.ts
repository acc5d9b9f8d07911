import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { flow, keyFile, open, witnessEndpoint } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { expect, test } from 'vitest'
import { logKey, signerOf } from '../../dist/evidence/log/index.js'
import { ToldLog, words } from '../evidence/witness-log.js'
import { give } from './in-process.js'
import { type CommandProcess, type Ended, Project, until } from './project.js'

const origin = 'example.org/books'
const note = flow({ name: 'note', version: 1, run: (ctx, what: string) => ctx.step('write', () => `wrote ${what}`) })

async function urlOf(started: CommandProcess): Promise<string> {
  await until(() => started.stdout.includes('\n') || started.child.exitCode !== null, 'the witness is up')
  if (!started.stdout.includes('\n')) throw new Error(started.stderr)
  return (JSON.parse(started.stdout) as { readonly url: string }).url
}

// Only what serves is a process of its own: a process for each word would cost more than it shows.
function run(project: Project, words: readonly string[]): Promise<Ended> {
  const evidence = { origin, signer: keyFile(join(project.folder, 'log.key')) }
  const config = { store: sqlite({ file: project.database }), flows: [], evidence }
  return give(words, { folder: project.folder, config })
}

async function expectWitnessed(project: Project, { key, witness }: Record<'key' | 'witness', string>): Promise<void> {
  expect((await run(project, ['prove', 'r1', 'r2', '-o', 'both.proof'])).code).toBe(0)
  const proven = await run(project, ['verify', 'both.proof', '--key', key, '--witness', witness])
  const flat = proven.stdout.replaceAll(/\s+/g, ' ')
  expect([proven.code, flat]).toEqual([
    0,
    expect.stringMatching(/witnessed\s+by auditor\.example\/w1, \d+ leaves, .* by its clock/),
  ])
  expect(flat).toMatch(/a witness sees how long the log is/)
  const unasked = await run(project, ['verify', 'both.proof', '--key', key])
  expect(unasked.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /by auditor\.example\/w1\+[0-9a-f]{8}, whose key was not given/,
  )
  expect((await run(project, ['verify', 'both.proof', '--key', key, '--witness', key])).code).toBe(2)
  const stranger = (await run(project, ['witness', 'new', 'other', '--name', 'other.example/w'])).stdout.trim()
  const both = ['verify', 'both.proof', '--key', key, '--witness', witness, '--witness', stranger]
  expect((await run(project, both)).code).toBe(17)
  expect((await run(project, [...both, '--quorum', '1'])).code).toBe(0)
}

// Whoever has the operator's key makes another history as long: refused, and kept as proof.
async function expectForkRefused(project: Project, { url, kept }: Record<'url' | 'kept', string>): Promise<void> {
  const size = Number(kept.split('\n')[1])
  const mine = logKey(origin, signerOf(readFileSync(join(project.folder, 'log.key'), 'utf8')))
  const fork = new ToldLog(mine, words(size + 1, 'another'))
  const post = async (body: string): Promise<number> =>
    (await fetch(`${url}/add-checkpoint`, { method: 'POST', body })).status
  expect(await post(await fork.request(size, size))).toBe(409)
  expect(await post(await fork.request(size, size + 1))).toBe(422)
  const told = await run(project, ['witness', 'auditor', '--json'])
  expect(told.code).toBe(15)
  expect(
    told.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly kind: string }).kind),
  ).toEqual(['cosigned', 'fork', 'unproven'])
}

test('R-G2 R-G4 an auditor runs a witness beside an operator, from the first key to a file that is verified with it', async () => {
  const project = new Project('')
  const key = (await run(project, ['keys', 'new', 'log.key', '--origin', origin])).stdout.trim()
  const made = await run(project, ['witness', 'new', 'auditor', '--name', 'auditor.example/w1'])
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^auditor\.example\/w1\+[0-9a-f]{8}\+B\S+\n$/)])
  const witness = made.stdout.trim()
  expect(statSync(join(project.folder, 'auditor', 'witness.key')).mode & 0o077).toBe(0)
  expect((await run(project, ['witness', 'new', 'auditor', '--name', 'auditor.example/w2'])).code).toBe(5)

  const words1 = ['witness', 'serve', 'auditor', '--log', key, '--port', '0', '--json']
  const first = project.start(words1)
  let url = await urlOf(first)
  const second = await run(project, words1)
  expect([second.code, second.stderr]).toEqual([10, expect.stringMatching(/Another process is the witness/)])

  const evidence = () => ({
    origin,
    signer: keyFile(join(project.folder, 'log.key')),
    witnesses: [witnessEndpoint(url, { key: witness })],
  })
  const store = sqlite({ file: project.database })
  const work = async (id: string): Promise<void> => {
    const runtime = await open({
      store,
      flows: [note],
      evidence: evidence(),
      log: () => undefined,
      worker: { pollMs: 20 },
    })
    await (await runtime.start(note, 'words', { id })).result()
    await runtime.close()
  }
  await work('r1')
  first.child.kill('SIGKILL')
  await first.ended
  const again = project.start(words1)
  url = await urlOf(again)
  await work('r2')

  await expectWitnessed(project, { key, witness })

  // The auditor looks meanwhile, and uses what the witness remembers.
  const shown = await run(project, ['witness', 'auditor'])
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/LOG\s+LEAVES[\s\S]*example\.org\/books\s+\d+/)])
  const kept = await run(project, ['witness', 'auditor', '--checkpoint', origin])
  project.write('kept.checkpoint', kept.stdout)
  expect((await run(project, ['verify', 'both.proof', '--key', key, '--checkpoint', 'kept.checkpoint'])).code).toBe(0)

  await expectForkRefused(project, { url, kept: kept.stdout })
  again.child.kill('SIGTERM')
  expect((await again.ended).code).toBe(0)
}, 180_000)

test('what makes no sense to a witness is refused, and starts nothing', async () => {
  const project = new Project('')
  const key = (await run(project, ['keys', 'new', 'log.key', '--origin', origin])).stdout.trim()
  await run(project, ['witness', 'new', 'auditor', '--name', 'auditor.example/w1'])
  for (const [code, ...given] of [
    [2, 'witness', 'new', 'x'],
    [2, 'witness', 'new', 'x', '--name', 'a name'],
    [2, 'witness', 'serve', 'auditor'],
    [2, 'witness', 'serve', 'auditor', '--log', 'nothing'],
    [2, 'witness', 'serve', 'auditor', '--log', key, '--port', '70000'],
    [2, 'witness', 'serve', 'nowhere', '--log', key],
    [10, 'witness', 'nowhere'],
    [2, 'witness', 'auditor', '--checkpoint', origin],
  ] as const)
    expect([given.join(' '), (await run(project, given)).code]).toEqual([given.join(' '), code])
}, 120_000)
