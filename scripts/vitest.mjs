/** Runs vitest and reads what it counted from its report, so that the last line never depends on how it prints. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'
import { run } from './terminal.mjs'

/**
 * Runs the tests. Returns the exit code and the counts `passed`, `failed`, `skipped`, and `files`, the test files' own
 * results as vitest reports them. A file that could not be loaded counts as one failure.
 */
export async function runTests(args, env = {}) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const report = join(root, '.cache', `vitest-${process.pid}.json`)
  const cli = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run(process.execPath, [cli, 'run', ...reporters, ...args], { cwd: root, env, quiet: false })
  const counts = readCounts(report, namePattern(args))
  rmSync(report, { force: true })
  return { code, ...counts }
}

/** The pattern that `-t` or `--testNamePattern` gave, or undefined. */
export function namePattern(args) {
  const at = args.findIndex((arg) => arg === '-t' || arg === '--testNamePattern')
  const value = at >= 0 ? args[at + 1] : args.map(inlinePattern).find((pattern) => pattern !== undefined)
  return value === undefined ? undefined : new RegExp(value)
}

function inlinePattern(arg) {
  return /^(?:-t=?|--testNamePattern=)(?=.)(?<pattern>.*)$/.exec(arg)?.groups.pattern
}

function readCounts(path, pattern) {
  let files
  try {
    files = JSON.parse(readFileSync(path, 'utf8')).testResults
  } catch {
    return { passed: 0, failed: 0, skipped: 0, files: [] }
  }
  return { ...countResults(files, pattern), files }
}

/** Counts the results of test files. With a pattern, what it left out is not called skipped. */
export function countResults(files, pattern) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of files) {
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) counts.failed += 1
    for (const { status, fullName } of file.assertionResults) {
      if (status === 'passed') counts.passed += 1
      else if (status === 'failed') counts.failed += 1
      else if (pattern === undefined || pattern.test(fullName)) counts.skipped += 1
    }
  }
  return counts
}

/** The plain last line: `N passed, N failed`, and the skipped where there are any. */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
