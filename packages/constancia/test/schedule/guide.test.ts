import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { configured, declaredInCode } from './guide.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'constancia-guide-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

it('C18 the examples of the guide to schedules do what it says', async () => {
  expect(await declaredInCode(join(folder, 'app.db'))).toEqual({
    next: '2026-03-29T01:00:00.000Z',
    schedules: ['schedule:nightly-report'],
  })
  expect(configured()).toMatchObject({ schedules: [{ name: 'half-hourly' }] })
})

it('the examples of the guide to schedules are the code that is tested here', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/schedules.md'), 'utf8')
  const shown = guide
    .split('```ts\n')
    .slice(1)
    .map((part) => part.split('```')[0] ?? '')
  const tested = (await readFile(join(import.meta.dirname, 'guide.ts'), 'utf8'))
    .split('// <guide>\n')
    .slice(1)
    .map((part) => part.split('// </guide>')[0] ?? '')
  expect(linesOf(shown.join('\n'))).toEqual(linesOf(tested.join('\n')))
})

function linesOf(code: string): string[] {
  return code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
