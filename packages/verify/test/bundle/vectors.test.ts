import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type CheckName, checkNames, type Report, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { allCases, type Case } from './cases/index.js'
import { chunks } from './log.js'

const folder = fileURLToPath(new URL('../../vectors/', import.meta.url))
const writes = process.env['CONSTANCIA_WRITE_VECTORS'] === '1'
const cases = await allCases()

const reports = new Map<string, Promise<Report>>()

function verify({ name, bytes, authorities = [], ...options }: Case): Promise<Report> {
  const given = { ...options, authorities: authorities.map((text) => Buffer.from(text, 'base64')) }
  const report = reports.get(name) ?? verifyBundle(chunks(bytes, 1_000), { ...given, crypto: nodeCrypto })
  reports.set(name, report)
  return report
}

const named = (report: Report, wanted: string): CheckName[] =>
  report.checks.filter(({ result }) => result === wanted).map(({ name }) => name)

/** The name of the file that has these bytes: several cases may be about one. */
const fileNames = new Map<string, string>()
function fileOf({ name, bytes }: Case): string {
  const text = Buffer.from(bytes).toString('latin1')
  const file = fileNames.get(text) ?? `${name}.bundle`
  fileNames.set(text, file)
  return file
}
const files = new Map(cases.map((one) => [fileOf(one), one.bytes]))

/** What stands in the list about a case. */
async function entryOf(one: Case): Promise<object> {
  const { name, keys, origin, earlier, require, allow, authorities, witnesses, quorum, verdict, check } = one
  const report = await verify(one)
  const failed = named(report, 'failed')
  const notEvaluated = named(report, 'not_evaluated')
  const given = { origin, keys, earlier, require, allow, authorities, witnesses, quorum }
  return { name, file: fileOf(one), ...given, verdict, check, failed, notEvaluated }
}

if (writes) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, bytes] of files) writeFileSync(`${folder}/${file}`, bytes)
  const entries = await Promise.all(cases.map(entryOf))
  writeFileSync(`${folder}/index.json`, `${JSON.stringify(entries, undefined, 1)}\n`)
}

describe('R-G5 R-G6 T16 the vectors for verifiers', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const report = await verify(one)
    const failed = named(report, 'failed')
    expect({ verdict: report.verdict, failed }).toMatchObject({ verdict: one.verdict })
    if (one.check === undefined) expect(failed).toEqual([])
    else expect(failed).toContain(one.check)
  })

  test('are the files in the folder of vectors, byte for byte', async () => {
    const present = readdirSync(folder).filter((name) => name.endsWith('.bundle'))
    expect(present.sort()).toEqual([...files.keys()].sort())
    for (const [file, bytes] of files)
      expect([file, readFileSync(`${folder}/${file}`).equals(bytes)]).toEqual([file, true])
    const entries = await Promise.all(cases.map(entryOf))
    expect(JSON.parse(readFileSync(`${folder}/index.json`, 'utf8'))).toEqual(JSON.parse(JSON.stringify(entries)))
  })

  test('there are enough of them, and every check fails in one at least', () => {
    expect(cases.length).toBeGreaterThan(200)
    const checks = new Set(cases.map(({ check }) => check))
    expect(checkNames.filter((name) => !checks.has(name))).toEqual([])
  })
})
