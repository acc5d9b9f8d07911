import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { isCampaign, keep, limitMs } from '../processes/campaign.js'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'constancia-memory-'))
const peakMax = 256 * 2 ** 20

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** How a verifier did, in a process of its own, with a file that another one has made. */
async function verify(kind: string, byteCount: number): Promise<{ verdict: string; peak: number; size: number }> {
  const file = join(folder, `${kind}.bundle`)
  const words = [at('large-file.mjs'), kind, String(byteCount)]
  const maker = spawn(process.execPath, words, { stdio: ['ignore', openSync(file, 'w'), 'pipe'] })
  let key = ''
  maker.stderr?.setEncoding('utf8').on('data', (part: string) => (key += part))
  const [code] = await once(maker, 'close')
  if (code !== 0) throw new Error(`The file was not made: ${key}`)
  const env = { ...process.env, CONSTANCIA_PEAK_FILE: join(folder, 'peak') }
  const command = ['--import', at('watch-memory.mjs'), at('../../bin/constancia.js'), 'verify', file, '--key', key]
  const { stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8', maxBuffer: 2 ** 28 })
  const size = statSync(file).size
  rmSync(file)
  return {
    verdict: stdout.split('\n')[0] ?? stderr,
    peak: Number(readFileSync(env.CONSTANCIA_PEAK_FILE, 'utf8')),
    size,
  }
}

const kinds: Record<string, string> = {
  texts: 'proven',
  events: 'proven',
  streams: 'proven',
  line: 'unreadable',
  depth: 'unreadable',
  inputs: 'forged',
  amendments: 'unreadable',
  requests: 'unreadable',
  contracts: 'unreadable',
  ops: 'forged',
  votes: 'forged',
  seen: 'forged',
  grants: 'forged',
  keys: 'forged',
  leaves: 'forged',
  checkpoints: 'forged',
  tokens: 'forged',
}

// Only Linux says how much memory a process has had at most.
describe.runIf(process.platform === 'linux')('R-G4 T19 a verifier never takes more than 256 MiB:', () => {
  test('of a file of large texts, which is proven', { timeout: limitMs }, async () => {
    const { verdict, peak, size } = await verify('texts', 100_000_000)
    expect([verdict, size]).toEqual(['proven', expect.any(Number)])
    expect(size).toBeGreaterThan(90_000_000)
    expect(peak).toBeLessThan(peakMax)
    // What was measured is a process that has read the file.
    expect(peak).toBeGreaterThan(2 ** 25)
  })

  test.runIf(isCampaign).each(Object.keys(kinds))('of %s up to 1 GiB', { timeout: limitMs }, async (kind) => {
    const { verdict, peak, size } = await verify(kind, 2 ** 30)
    keep(`memory-${kind}`, { table: () => `${kind}: ${size} bytes, ${verdict}, at most ${peak} bytes resident` })
    expect([verdict, peak < peakMax]).toEqual([kinds[kind], true])
  })
})
