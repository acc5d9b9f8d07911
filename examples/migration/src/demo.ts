/**
 * The demo: an agent at its work, killed over and over, with a journal and without one. `--json` prints what came out
 * as one JSON object, `--keep` leaves the repositories and the journal where they are. Ends with code 1 if anything that it
 * says does not hold.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Act, play, traps } from './act.js'
import { claimsOf, type Results, rereadCount, totalsOf } from './claims.js'
import { goldenTest } from './golden.js'
import { endChildren } from './lives.js'
import { Repository } from './repository.js'
import { paint, say, show, tell } from './screen.js'
import { lifeHead, lifeLine, lineOf, showClaims, showLedgers, showTotals } from './show.js'
import { copySources, type SourcePackage } from './sources.js'

const isJson = process.argv.includes('--json')
const isKept = process.argv.includes('--keep')
const startMs = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'constancia-demo-'))

process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  process.exitCode = (await demo()) ? 0 : 1
} catch (error) {
  process.stderr.write(`\nThe demo could not be finished. ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function demo(): Promise<boolean> {
  const template = new Repository(join(folder, 'template'))
  const packages = copySources(template.folder)
  await template.create()
  const fileCount = packages.reduce((sum, item) => sum + item.fileCount, 0)
  if (!isJson) introduce(packages, fileCount)
  const journaled = await act({ template, packages, withJournal: true })
  const bare = await act({ template, packages, withJournal: false })
  const golden = await goldenTest()
  const results: Results = { fileCount, packageCount: packages.length, journaled, bare, golden }
  const claims = claimsOf(results)
  if (isJson) process.stdout.write(`${JSON.stringify(jsonOf(results), undefined, 2)}\n`)
  else conclude(results)
  return claims.every(({ holds }) => holds)
}

async function act(input: {
  template: Repository
  packages: readonly SourcePackage[]
  withJournal: boolean
}): Promise<Act> {
  const { template, packages, withJournal } = input
  const actFolder = join(folder, withJournal ? 'with-journal' : 'without-journal')
  mkdirSync(actFolder)
  // Each file is asked about; each package is listed, committed, and made a pull request of.
  const stepCount = packages.reduce((sum, { fileCount }) => sum + fileCount + 3, 0)
  if (!isJson) announce(withJournal)
  let number = 1
  return play({
    folder: actFolder,
    template,
    packages: packages.map(({ name }) => name),
    withJournal,
    onStep: (progress) => {
      if (!isJson) show(() => lifeLine(number, stepCount, { ...progress, end: paint.dim('at work') }))
    },
    onLife: (life) => {
      if (!isJson) say(lineOf(life, number, stepCount))
      number += 1
    },
  })
}

function introduce(packages: readonly SourcePackage[], fileCount: number): void {
  say(paint.bold('  An agent that is killed in the middle of its work'))
  say()
  tell(
    `The work: ${fileCount} real source files of ${packages.length} npm packages, copied into a new git repository, are to ` +
      'become modern JavaScript. For each package the agent lists the files, asks a model about each (scripted here, but ' +
      'counted like a paid one), commits the changes to a branch, and opens a pull request at a forge. Forge and model ' +
      'are in a process of their own and count what reaches them.',
  )
  say()
  tell(
    `The trouble: SIGKILL ends the agent's process ${traps.length} times, each time where it hurts: while the model is answering, ` +
      'right after a commit was made or a pull request was opened, before the agent heard of it.',
  )
}

function announce(withJournal: boolean): void {
  say()
  say(paint.bold(withJournal ? '  1. With Constancia' : '  2. The same code without a journal'))
  const kept = 'Each process goes on where the one before was killed.'
  tell(withJournal ? kept : 'Killed in the same places; each process begins again.')
  say(
    `  ${paint.dim('·')} re-read from the journal   ${paint.cyan('█')} executed   ${paint.yellow('▒')} executed again`,
  )
  say()
  say(lifeHead())
}

function conclude(results: Results): void {
  say()
  say(paint.bold('  3. What the forge, the model and git have counted'))
  showLedgers(results)
  say()
  showTotals(results)
  say()
  say(paint.bold('  4. The same flow, ended at every place where a process can end'))
  tell(
    'The crash kit, with four small files and in memory: each trial ends the run in one place, or in two, or lets it ' +
      'stand still while another process takes over; then lets it go on, and compares its journal and its effects ' +
      'with those of a run that nothing happened to.',
  )
  say()
  say(results.golden.table().replaceAll(/^/gm, '  '))
  say()
  say(paint.bold('  What you have seen'))
  showClaims(claimsOf(results))
  say()
  say('  The agent, 40 lines of plain code:    examples/migration/src/flow.ts')
  say('  How it is made:                       examples/migration/README.md')
  if (isKept) say(`  Repositories and journal:             ${folder}`)
  else say('  To keep the repositories and journal: npm run demo -- --keep')
  say(paint.dim(`  ${((performance.now() - startMs) / 1000).toFixed(1)} s`))
}

function jsonOf(results: Results): unknown {
  const { fileCount, packageCount, journaled, bare, golden } = results
  const actOf = (act: Act): unknown => ({
    lives: act.lives.map((life) => ({
      signal: life.signal,
      trap: life.trap,
      reread: rereadCount(life),
      executed: life.executed.length,
    })),
    totals: totalsOf(act),
    pulls: act.ledger.forge.pulls,
    ms: Math.round(act.ms),
  })
  return {
    fileCount,
    packageCount,
    withJournal: actOf(journaled),
    withoutJournal: actOf(bare),
    golden: { tried: golden.triedCount, failed: golden.failures.length, events: golden.eventCount },
    claims: claimsOf(results),
    ms: Math.round(performance.now() - startMs),
  }
}

function cleanUp(): void {
  endChildren()
  if (!isKept) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
