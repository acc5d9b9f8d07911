import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { exitCodes as commandExitCodes } from '../../constancia/dist/cli/exit-codes.js'
import { type CheckName, verifyBundle } from '../dist/index.js'
import { nodeCrypto } from '../dist/node.js'
import { linesOf, python, type SecondReport } from './second-verifier/both.js'
import { hasVectors, vectorFolder } from './vectors.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const isCampaign = process.env['CONSTANCIA_CAMPAIGN'] === '1'

const integrity = ['format', 'digest', 'origin', 'chain', 'genesis', 'end', 'keys', 'checkpoints', 'consistency']
const coverage = [
  'leaves',
  'coverage',
  'witnesses',
  'seen',
  'epochs',
  'claim',
  'law',
  'actions',
  'approvals',
  'resumes',
  'once',
]
const checks = [...integrity, ...coverage]
/** Those that apply where no key of a witness is given. */
const unasked = checks.filter((check) => check !== 'witnesses')
const { forged, incomplete, unsealed, unverifiable, unreadable } = commandExitCodes
const exitCodes: Record<string, number> = { proven: 0, forged, incomplete, unsealed, unverifiable, unreadable }

interface Sample {
  readonly name: string
  readonly file: string
  readonly key: string
  readonly verdict: string
}

interface Vector {
  readonly require?: readonly CheckName[]
  readonly witnesses?: readonly string[]
  readonly quorum?: number
  readonly allow?: readonly CheckName[]
  readonly name: string
  readonly file: string
  readonly origin: string
  readonly keys: readonly string[]
  readonly authorities?: readonly string[]
  readonly earlier?: string
  readonly verdict: string
  readonly failed: readonly string[]
  readonly notEvaluated?: readonly string[]
}

/** The checks that came to something. */
function those(performed: SecondReport['checks'], result: string): string[] {
  return checks.filter((check) => performed[check] === result)
}

function ask(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('python3', [at('../readers/verify_bundle.py'), ...args], { encoding: 'utf8' })
}

describe('the second verifier', () => {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-samples-'))
  const samples = python('samples.py', [folder]) as Sample[]
  afterAll(() => rmSync(folder, { recursive: true }))

  test.skipIf(!hasVectors)(
    'T18 it decides public vectors as they are published, but for names that occur twice in JSON',
    () => {
      const twice = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']
      expect(python('public_vectors.py', [vectorFolder])).toEqual({
        wycheproof: { count: 151, otherwise: [] },
        cctv: { count: 914, otherwise: [] },
        inclusion: { count: 98, otherwise: [] },
        consistency: { count: 98, otherwise: [] },
        json_parsing: { count: 316, otherwise: twice },
      })
    },
  )

  test('R-G6 it comes to each verdict where it has to', () => {
    const cases = samples.map(({ file, key }) => ({ file: readFileSync(file, 'base64'), keys: [key] }))
    const reports = python('many.py', [], JSON.stringify({ cases })) as SecondReport[]
    const told = samples.map(({ name }, i) => [name, reports[i]?.verdict])
    expect(told).toEqual(samples.map(({ name, verdict }) => [name, verdict]))
    expect(new Set(samples.map(({ verdict }) => verdict))).toEqual(new Set(Object.keys(exitCodes)))
    for (const { checks: performed } of reports) expect(Object.keys(performed)).toEqual(unasked)
  })

  test('R-G6 it says of every vector what the index says, check by check, but for tokens, which it does not evaluate', async () => {
    const index = JSON.parse(readFileSync(at('../vectors/index.json'), 'utf8')) as Vector[]
    const cases = index.map(({ file, ...given }) => ({
      ...given,
      file: readFileSync(at(`../vectors/${file}`), 'base64'),
    }))
    const reports = python('many.py', [], JSON.stringify({ cases })) as SecondReport[]
    const told = reports.map(({ verdict, checks: performed }, i) => {
      const listed = index[i]?.notEvaluated
      return [index[i]?.name, verdict, those(performed, 'failed'), listed && those(performed, 'not evaluated')]
    })
    const expected: unknown[] = []
    for (const one of index) {
      const { name, verdict, failed, notEvaluated } =
        one.authorities === undefined ? one : await withoutCertificates(one)
      expected.push([name, verdict, failed, notEvaluated])
    }
    expect(told).toEqual(expected)
    expect(index.length).toBeGreaterThan(200)
  })

  test('R-G4 its exit codes are those of the command line, and tell apart a question that makes no sense', () => {
    const { file, key } = samples.find(({ verdict }) => verdict === 'forged') as Sample
    const { status, stdout } = ask([file, '--key', key, '--json'])
    expect([(JSON.parse(stdout) as SecondReport).verdict, status]).toEqual(['forged', exitCodes['forged']])
    expect(python('many.py', [], '{"codes":true}')).toEqual(exitCodes)
    expect(ask([file, '--key', `${key}=`]).status).toBe(2)
    expect(ask([file, '--key', key, '--witness', key]).status).toBe(2)
    expect(ask([file, '--key', key, '--quorum', '1']).status).toBe(2)
  })

  test('R-G4 it shows every check and the verdict to people', () => {
    const [{ file, key }] = samples as [Sample]
    const lines = ask([file, '--key', key]).stdout.trim().split('\n')
    const told = unasked.map((check) => `${check.padEnd(12)} passed`)
    expect(lines).toEqual([...told, 'proven'])
  })

  test('R-G5 T19 whatever is done to a bundle, it comes to a verdict, and proven is only what was not changed', () => {
    const count = isCampaign ? 20_000 : 1_000
    const { verdicts, proven } = python('fuzz.py', [String(count), '7']) as Fuzzed
    expect(Object.values(verdicts).reduce((sum, each) => sum + each)).toBe(count)
    expect(proven).toEqual([])
    expect(verdicts['forged']).toBeGreaterThan(count / 5)
    expect(verdicts['unreadable']).toBeGreaterThan(count / 5)
  })

  test('R-G6 T16 T17 on bundles that were changed at random both verifiers come to the same verdict and fail the same checks', async () => {
    const index = JSON.parse(readFileSync(at('../vectors/index.json'), 'utf8')) as Vector[]
    const readable = index.filter(({ verdict, authorities }) => verdict !== 'unreadable' && authorities === undefined)
    const cases = readable.map(({ file, ...given }) => ({
      ...given,
      file: readFileSync(at(`../vectors/${file}`), 'base64'),
    }))
    const count = isCampaign ? 20_000 : 300
    const lines = linesOf('mutants.py', [String(count), '11'], JSON.stringify({ cases }))
    const mutants = lines.map((line) => JSON.parse(line) as Mutant)
    const differing: unknown[] = []
    const compared = { unreadable: 0, readable: 0 }
    for (const { base, file, report } of mutants) {
      const { authorities: _, ...given } = readable[base] as Vector
      const ours = await verifyBundle(pieces(file), { ...given, crypto: nodeCrypto })
      const isUnreadable = ours.verdict === 'unreadable'
      compared[isUnreadable ? 'unreadable' : 'readable'] += 1
      const failed = ours.checks.filter(({ result }) => result === 'failed').map(({ name }) => name)
      const told = [ours.verdict, isUnreadable ? [] : failed]
      const theirs = [report.verdict, isUnreadable ? [] : those(report.checks, 'failed')]
      if (JSON.stringify(told) !== JSON.stringify(theirs)) differing.push({ vector: given.name, told, theirs, file })
    }
    expect(differing).toEqual([])
    expect(mutants.length).toBe(count)
    expect(Math.min(...Object.values(compared))).toBeGreaterThan(count / 5)
  })
})

/** What the first verifier says of a vector where it is given no certificates of authorities, as the second never is. */
async function withoutCertificates({ authorities: _, ...given }: Vector): Promise<Vector> {
  const file = readFileSync(at(`../vectors/${given.file}`), 'base64')
  const { verdict, checks: performed } = await verifyBundle(pieces(file), { ...given, crypto: nodeCrypto })
  const named = (wanted: string) => performed.filter(({ result }) => result === wanted).map(({ name }) => name)
  return { ...given, verdict, failed: named('failed'), notEvaluated: named('not_evaluated') }
}

async function* pieces(base64: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(base64, 'base64')
}

interface Mutant {
  readonly base: number
  readonly file: string
  readonly report: SecondReport
}

interface Fuzzed {
  readonly verdicts: Record<string, number>
  readonly proven: number[]
}
