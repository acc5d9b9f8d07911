import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type CheckName, type Report, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { allCases, type Case } from './cases/index.js'
import { chunks } from './log.js'

const folder = fileURLToPath(new URL('../../vectors/', import.meta.url))
const writes = process.env['CONSTANCIA_WRITE_VECTORS'] === '1'
const cases = await allCases()

function verify({ bytes, keys, origin, earlier, require }: Case): Promise<Report> {
  const options = { crypto: nodeCrypto, keys, origin, ...(earlier && { earlier }), ...(require && { require }) }
  return verifyBundle(chunks(bytes, 1_000), options)
}

const named = (report: Report, wanted: string): CheckName[] =>
  report.checks.filter(({ result }) => result === wanted).map(({ name }) => name)

/** What stands in the list about a case. */
async function entryOf(one: Case): Promise<object> {
  const { name, keys, origin, earlier, require, verdict, check } = one
  const report = await verify(one)
  return { file: `${name}.bundle`, origin, keys, earlier, require, verdict, check, failed: named(report, 'failed') }
}

if (writes) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of cases) writeFileSync(`${folder}/${name}.bundle`, bytes)
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
    const files = readdirSync(folder).filter((name) => name.endsWith('.bundle'))
    expect(files.sort()).toEqual(cases.map(({ name }) => `${name}.bundle`).sort())
    for (const { name, bytes } of cases)
      expect([name, readFileSync(`${folder}/${name}.bundle`).equals(bytes)]).toEqual([name, true])
    const entries = await Promise.all(cases.map(entryOf))
    expect(JSON.parse(readFileSync(`${folder}/index.json`, 'utf8'))).toEqual(JSON.parse(JSON.stringify(entries)))
  })
})
