/**
 * A minute of real use in one second, on every version of Node.js that the package promises: loads each of its subpaths,
 * runs a flow on a file, closes, opens the file again with the flow as it would be after a restart, and goes on where it
 * was. Prints one line; fails with what went wrong.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const { exports: subpaths } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const names = Object.keys(subpaths).filter((subpath) => subpath !== './package.json')
for (const subpath of names) await import(`constancia${subpath.slice(1)}`)

const { flow, open } = await import('constancia')
const { sqlite } = await import('constancia/sqlite')

let executedCount = 0
const greet = flow({
  name: 'greet',
  version: 1,
  async run(ctx, who) {
    const greeting = await ctx.step('greet', () => {
      executedCount += 1
      return `Hello, ${who}`
    })
    await ctx.sleep(20)
    const mark = await ctx.signal('mark')
    return `${greeting}${mark}`
  },
})

async function tooLate(run) {
  await setTimeout(10_000, undefined, { ref: false })
  const { status, stuck } = await run.row()
  throw new Error(`The run did not end within 10 s: it is ${status}. ${stuck?.message ?? ''}`)
}

const folder = mkdtempSync(join(tmpdir(), 'constancia-smoke-'))
const options = { store: sqlite({ file: join(folder, 'smoke.db') }), flows: [greet] }
try {
  const first = await open(options)
  const started = await first.start(greet, 'World', { id: 'one' })
  while (!(await started.events()).some(({ kind }) => kind === 'StepCompleted')) await new Promise(setImmediate)
  await first.close()

  const second = await open(options)
  const run = await second.start(greet, 'World', { id: 'one' })
  await run.signal('mark', '!')
  assert.equal(await Promise.race([run.result(), tooLate(run)]), 'Hello, World!')
  assert.equal(executedCount, 1, 'the step was executed again instead of re-read')
  await second.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

process.stdout.write(`${names.length} subpaths load, a run goes on after a restart`)
