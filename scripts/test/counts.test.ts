import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { whyInstall } from '../prepare.mjs'
import { countResults, countsLine, namePattern } from '../vitest.mjs'

function result(state: string, name: string): { state: string; name: string } {
  return { state, name }
}

it('the last line counts passed and failed, and skipped only where there are any', () => {
  expect(countsLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
  expect(countsLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
})

it('a test file that cannot be loaded counts as one failure', () => {
  const files = [
    { failed: true, tests: [] },
    { failed: true, tests: [result('failed', 'a'), result('passed', 'b')] },
  ]
  expect(countResults(files, undefined)).toEqual({ passed: 1, failed: 2, skipped: 0 })
})

it('what a pattern leaves out is not called skipped, what it names is', () => {
  const files = [{ failed: false, tests: [result('skipped', 'R-A7 a'), result('skipped', 'R-B1 b')] }]
  expect(countResults(files, /R-A7/)).toEqual({ passed: 0, failed: 0, skipped: 1 })
  expect(countResults(files, undefined)).toEqual({ passed: 0, failed: 0, skipped: 2 })
})

it.each([[['-t', 'R-A7']], [['-t=R-A7']], [['--testNamePattern', 'R-A7']], [['--testNamePattern=R-A7']]])(
  '%j is a pattern of names',
  (args) => {
    expect(namePattern(args)?.source).toBe('R-A7')
  },
)

it('other arguments are no pattern of names', () => {
  expect(namePattern(['packages/constancia', '--bail=1'])).toBeUndefined()
})

it('packages are installed where none are, one is missing, or one is another version, and not otherwise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'constancia-install-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, packages: object): void =>
    writeFileSync(join(folder, path), JSON.stringify({ packages }))
  const wanted = { '': {}, 'packages/own': {}, 'node_modules/a': { version: '1.0.0' } }
  write('package-lock.json', { ...wanted, 'node_modules/b': { version: '1.0.0', optional: true } })
  expect(whyInstall(folder)).toContain('none are installed')

  mkdirSync(join(folder, 'node_modules', 'a'), { recursive: true })
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } })
  expect(whyInstall(folder)).toBeUndefined()

  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '0.9.0' } })
  expect(whyInstall(folder)).toContain('node_modules/a is another version')

  write('node_modules/.package-lock.json', {})
  expect(whyInstall(folder)).toContain('node_modules/a is missing')
})
