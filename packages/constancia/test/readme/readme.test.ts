import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { firstScreen, ledger, ownTest } from './pay-invoice.js'

const before = process.cwd()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'constancia-readme-'))
  process.chdir(folder)
  ledger.reset()
})

afterEach(async () => {
  process.chdir(before)
  await rm(folder, { recursive: true, force: true })
})

it('the first example of the README does what it says', async () => {
  expect(await firstScreen()).toEqual({ paid: true, receipt: 'receipt invoice-2026-118/2' })
  expect(ledger.requestCount).toBe(1)
})

it('R-A7 the first example of the README survives a crash at every place', async () => {
  expect(await ownTest()).toContain('between an effect and its append')
})

it('the first example of the README is the code that is tested here', async () => {
  const here = join(import.meta.dirname, 'pay-invoice.ts')
  const shown = linesOf(await firstBlock())
  const tested = linesOf(regions(await readFile(here, 'utf8')))
  expect(shown.map((line) => line.replace(/^return await run/, 'await run'))).toEqual(
    tested.map((line) => line.replace(/^return await run/, 'await run')),
  )
})

it('the README shows code before its thirtieth line, and both commands', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  expect(readme.split('\n').slice(0, 30).join('\n')).toContain('```ts')
  expect(readme).toContain('npm run demo')
  expect(readme).toContain('npm test')
})

async function firstBlock(): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  return readme.split('```ts\n')[1]?.split('```')[0] ?? ''
}

function regions(source: string): string {
  return source
    .split('// <readme>\n')
    .slice(1)
    .map((part) => part.split('// </readme>')[0])
    .join('')
}

function linesOf(code: string): string[] {
  return code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
