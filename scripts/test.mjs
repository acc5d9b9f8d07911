/**
 * `npm test`: installs what is missing, then everything that has to hold. `npm run check` is the same without installing.
 * Arguments go to vitest; with any, only what the tests need is done besides: `npm test -- -t R-A7`.
 */
import { join } from 'node:path'
import { build, checkNode, install, root } from './prepare.mjs'
import { bold, red, run, say, stage } from './terminal.mjs'
import { countsLine, namePattern, runTests } from './vitest.mjs'

const given = process.argv.slice(2)
const args = given.filter((arg) => arg !== '--no-install')
const narrowed = args.length > 0

checkNode()
if (!given.includes('--no-install')) await install()

const bin = (path) => join(root, 'node_modules', ...path.split('/'))
const node = (path, ...rest) => run(process.execPath, [path, ...rest], { cwd: root })

const failures = []
async function check(name, work) {
  if (!(await stage(name, work))) failures.push(name)
}

const others = narrowed ? [] : (await import('./nodes.mjs')).otherNodes()

say(bold('Checks'))
if (!narrowed) {
  await check('format and lint', () => node(bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'))
}
const built = await build()
if (!built) failures.push('build')
if (built) await check('types of tests', () => node(bin('typescript/bin/tsc'), '-p', 'tsconfig.test.json'))
if (!narrowed) await check('tidy', () => node(join(root, 'scripts', 'tidy.mjs')))
if (built) for (const { name, work } of others) await check(name, work)

let counts = { passed: 0, failed: 0, skipped: 0 }
if (built) counts = await test()

if (failures.length > 0) say(red(`Failed: ${failures.join(', ')}.`))
if (!built) say('No test was run: what does not compile cannot be tested.')
say(countsLine(counts))
process.exitCode = failures.length > 0 ? 1 : 0

async function test() {
  say(`\n${bold('Tests')}`)
  const result = await runTests(args)
  if (result.code !== 0) failures.push(result.failed > 0 ? 'tests' : `tests (vitest ended with code ${result.code})`)
  if (result.code === 0 && result.passed + result.skipped === 0) {
    failures.push(`tests (no test is named like ${namePattern(args) ?? args.join(' ')})`)
  }
  return result
}
