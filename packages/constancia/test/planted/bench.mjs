// @ts-check
// One vitest that runs one test file after the other, each in a process of its own: to start it anew for every planted bug
// would take longer than most of the tests. It is started in the folder of the packages that it tests.
import { createVitest } from 'vitest/node'

/**
 * What is to be run: a test file, relative to the folder, a pattern for the names of its tests, how long one may take in
 * milliseconds, if not as long as ever, and where its PostgreSQL is.
 * @typedef {{ readonly file: string, readonly name?: string, readonly patienceMs?: number, readonly database?: string }} Job
 */
/**
 * What came of it: how many tests passed, the names of those that failed, and what went wrong outside of any test.
 * @typedef {{ readonly passed: number, readonly failed: readonly string[], readonly faults: readonly string[] }} Came
 */

const silent = { onInit: () => undefined }
// As in `vitest.config.ts`, but that each file has a process of its own: what is built changes between two of them.
const vitest = await createVitest('test', {
  config: false,
  watch: false,
  root: process.cwd(),
  include: ['packages/*/test/**/*.test.ts'],
  pool: 'forks',
  maxWorkers: 1,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  teardownTimeout: 60_000,
  server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
  bail: 1,
  reporters: [silent],
})

const { config } = vitest.getRootProject()
const { testTimeout, hookTimeout } = config

/** @param {string} name @param {unknown} value */
function setVariable(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = String(value)
}

/** @param {Job} job @returns {Promise<Came>} */
async function examine({ file, name, patienceMs, database }) {
  setVariable('DATABASE_URL', database)
  setVariable('CONSTANCIA_TEST_PATIENCE_MS', patienceMs)
  config.testTimeout = patienceMs ?? testTimeout
  config.hookTimeout = patienceMs ?? hookTimeout
  const files = await vitest.globTestSpecifications([file])
  if (name === undefined) vitest.resetGlobalTestNamePattern()
  else vitest.setGlobalTestNamePattern(name)
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files)
  // What was run before is told again with what was run now.
  const paths = new Set(files.map(({ moduleId }) => moduleId))
  const modules = testModules.filter(({ moduleId }) => paths.has(moduleId))
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const failed = tests.filter((test) => test.result().state === 'failed')
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: failed.map((test) => `${test.fullName} ${Math.round(test.diagnostic()?.duration ?? 0)} ms`),
    faults: [...modules.flatMap((module) => module.errors()), ...unhandledErrors].map((error) =>
      String(Object(error).message),
    ),
  }
}

process.on('message', async (/** @type {Job} */ job) => {
  const came = await examine(job).catch((error) => ({ passed: 0, failed: [], faults: [String(error)] }))
  process.send?.(came)
})
process.once('disconnect', () => void vitest.close().then(() => process.exit()))
