/** Runs vitest and reads what it counted from a report, so that the last line never depends on how it prints. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './prepare.mjs'
import { run } from './terminal.mjs'

/**
 * Runs the tests. Returns the exit code, the counts `passed`, `failed` and `skipped`, and `files`: for each test file its
 * `path`, whether it `failed`, and its `tests`. A file that fails without a failed test counts as one failure.
 */
export async function runTests(args, env = {}) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const report = join(root, '.cache', `vitest-${process.pid}.json`)
  const cli = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'vitest-report.mjs')}`]
  const { code } = await run(process.execPath, [cli, 'run', ...reporters, ...args], {
    cwd: root,
    env: { ...env, CONSTANCIA_REPORT: report },
    quiet: false,
  })
  const files = readFiles(report)
  rmSync(report, { force: true })
  return { code, files, ...countResults(files, namePattern(args)) }
}

function readFiles(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).files
  } catch {
    return [] // vitest did not get as far as a report; its exit code says so.
  }
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

/** Counts the results of test files. With a pattern, what it left out is not called skipped. */
export function countResults(files, pattern) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { failed, tests } of files) {
    if (failed && !tests.some(({ state }) => state === 'failed')) counts.failed += 1
    for (const { state, name } of tests) {
      if (state === 'passed') counts.passed += 1
      else if (state === 'failed') counts.failed += 1
      else if (pattern === undefined || pattern.test(name)) counts.skipped += 1
    }
  }
  return counts
}

/** The plain last line: `N passed, N failed`, and the skipped where there are any. */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
