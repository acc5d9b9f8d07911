import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GovernedRuntime, Run } from 'constancia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { firstScreen, ledger, ownTest } from './pay-invoice.js'
import { account, asked, untilAsked } from './treasury.js'

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

it('R-D1 R-D2 R-E2 R-F4 the contract of the README lets an analyst pay what a treasurer has approved', async () => {
  const { app, run } = await untilAsked()
  try {
    await approve(app, run)
    expect(await run.result()).toEqual({ paid: true, receipt: 'receipt invoice-2026-118/2' })
    expect([...asked.values()]).toEqual([{ to: 'vendor of 2026-118', cents: 250_000 }])
  } finally {
    await app.close()
  }
})

it('R-E10 the contract of the README does not pay to an account that was closed meanwhile', async () => {
  asked.clear()
  const { app, run } = await untilAsked()
  account.isOpen = false
  try {
    await approve(app, run)
    await expect(run.result()).rejects.toThrow('the account was closed')
    expect(asked.size).toBe(0)
  } finally {
    account.isOpen = true
    await app.close()
  }
})

it.each([
  ['pay-invoice.ts', 1],
  ['treasury.ts', 2],
])('the code of %s is what the README shows as its example %d', async (file, place) => {
  const shown = linesOf(await block(place))
  const tested = linesOf(regions(await readFile(join(import.meta.dirname, file), 'utf8')))
  expect(tested.length).toBeGreaterThan(10)
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

async function block(place: number): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  return readme.split('```ts\n')[place]?.split('```')[0] ?? ''
}

async function approve({ governance }: GovernedRuntime, run: Run<unknown>): Promise<void> {
  await vi.waitUntil(async () => (await run.row()).status === 'paused', { timeout: 60_000 })
  const request = (await run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
  const { op, shown } = JSON.parse(request?.body ?? '{}') as { readonly op: string; readonly shown: string }
  await governance.vote({ run: run.id, op, shown, voter: 'tom', choice: 'approve' })
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
