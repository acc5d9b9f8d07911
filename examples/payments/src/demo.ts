/**
 * The story: a payment that waits for people, and what becomes of it when the world changes meanwhile. `--json` prints what came out as
 * one JSON object, `--keep` leaves the databases. Ends with code 1 if anything that it says does not hold.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrashReport } from 'constancia/testing'
import { goldenTest } from './golden.js'
import { endChildren, Outside } from './processes.js'
import { type Claim, type PlayedScene, playScene, type Scene, scenes } from './scenes.js'
import { paint, say, tell } from './screen.js'
import { showScene } from './show.js'

const isJson = process.argv.includes('--json')
const isKept = process.argv.includes('--keep')
const startMs = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'constancia-payments-'))

process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  process.exitCode = (await story()) ? 0 : 1
} catch (error) {
  process.stderr.write(`\nThe story could not be finished. ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  endChildren() // Whoever is still up would keep this process from its end.
}

async function story(): Promise<boolean> {
  if (!isJson) introduce()
  const outside = await Outside.start()
  const plays = playing(outside)
  const results: Result[] = []
  for (const [index, scene] of scenes.entries()) {
    const played = await plays(index)
    if (!isJson) showScene(index + 1, scene, played)
    results.push(resultOf(scene, played))
  }
  await outside.close()
  const golden = await goldenTest(8)
  const trials = { tried: golden.triedCount, failed: golden.failures.length, pairs: golden.countOf('pair') }
  const ms = Math.round(performance.now() - startMs)
  if (isJson) say(JSON.stringify({ scenes: results, golden: trials, ms }, undefined, 2))
  else conclude(golden)
  return results.every(({ claims }) => claims.every(({ holds }) => holds))
}

interface Result {
  readonly name: string
  readonly firstEnd: string | null
  readonly kinds: readonly string[]
  /** For each payment of the bank: how often it was asked for it. */
  readonly requests: readonly number[]
  readonly claims: readonly Claim[]
}

function resultOf({ name }: Scene, { firstEnd, events, transfers, claims }: PlayedScene): Result {
  const kinds = events.map(({ kind }) => kind)
  return { name, firstEnd, kinds, requests: transfers.map(({ requests }) => requests), claims }
}

// The next scene is played while one is read.
function playing(outside: Outside): (index: number) => ReturnType<typeof playScene> {
  const begun: ReturnType<typeof playScene>[] = []
  return (index) => {
    for (const scene of scenes.slice(begun.length, index + 2)) {
      const play = playScene(scene, { folder, outside })
      play.catch(() => undefined) // It is awaited in its turn.
      begun.push(play)
    }
    return begun[index] as ReturnType<typeof playScene>
  }
}

function introduce(): void {
  say(paint.bold('  A payment that waits for people'))
  say()
  tell(
    'An invoice is read, a payment proposed, released days later by a treasurer, and made. The same six times; each time something ' +
      'else has changed meanwhile. Workers are processes of their own on one SQLite file, and end by SIGKILL. The bank is another ' +
      'process and counts what it is asked for. Only the calendar is scripted.',
  )
  say()
  tell(
    'Every line with the name of an event is read from the journal of the run (·), or from the governance stream (§), ' +
      'which says who may what.',
  )
}

function conclude(golden: CrashReport): void {
  say()
  say(paint.bold(`  ${scenes.length + 1}. The same payment, ended at every place where a process can end`))
  tell(
    'The crash kit, in memory: each trial ends the first scene in one place, or in two, or lets it stand still while another ' +
      'worker takes over; then lets it go on, and compares journal and bank with those of a payment that nothing happened to.',
  )
  say()
  say(golden.table().replaceAll(/^/gm, '  '))
  say()
  say('  The contract, the actions and the flow: examples/payments/src/treasury.ts')
  say('  The contract for people to read:        cd examples/payments')
  say('                                          npx constancia contract show')
  say('  How it is made:                         examples/payments/README.md')
  if (isKept) say(`  The databases:                          ${folder}`)
  say(paint.dim(`  ${((performance.now() - startMs) / 1000).toFixed(1)} s`))
}

function cleanUp(): void {
  endChildren()
  if (!isKept) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
