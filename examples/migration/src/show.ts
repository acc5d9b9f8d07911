/** What the demo shows of its acts. */
import type { JournaledLife, Progress } from './act.js'
import { type Claim, count, type Results, rereadCount, type Totals, totalsOf } from './claims.js'
import { type Cell, paint, say, table, wrap } from './screen.js'
import type { TrapPlace } from './trap.js'

const barWidth = 24

/** The head over the lines of an act. */
export function lifeHead(): string {
  return paint.dim(`   #  ${'all steps, first to last'.padEnd(barWidth)}  re-read  executed  again  ended`)
}

/** One process: how much it took from the journal, how much it executed, how much of that again, and how it ended. */
export function lifeLine(number: number, stepCount: number, at: Progress & { readonly end: string }): string {
  const cells = (steps: number): number => Math.min(barWidth, Math.round((steps * barWidth) / stepCount))
  const reread = cells(at.reread)
  const again = cells(at.reread + at.again)
  const all = Math.min(barWidth, Math.max(cells(at.reread + at.executed), again, reread + 1))
  const bar = [
    paint.dim('·'.repeat(reread)),
    paint.yellow('▒'.repeat(again - reread)),
    paint.cyan('█'.repeat(all - again)),
    ' '.repeat(barWidth - all),
  ].join('')
  const numbers = [count(at.reread).padStart(7), count(at.executed).padStart(8), count(at.again).padStart(5)]
  return `  ${String(number).padStart(2)}  ${bar}  ${numbers.join('  ')}  ${at.end}`
}

/** The line of a process that is gone. */
export function lineOf(life: JournaledLife, number: number, stepCount: number): string {
  const progress = { reread: rereadCount(life), executed: life.executed.length, again: life.againCount }
  return lifeLine(number, stepCount, { ...progress, end: endOf(life) })
}

function endOf({ signal, trap }: JournaledLife): string {
  if (signal === null) return paint.green('by itself: done')
  return paint.red(trap === undefined ? signal : `killed: ${placeOf(trap)}`)
}

function placeOf({ tool, when }: TrapPlace): string {
  if (tool === 'askModel') return 'asking model'
  if (tool === 'openPull') return 'PR just opened'
  return when === 'done' ? 'commit just made' : 'committing'
}

/** What the forge was asked for and what it opened, with a journal and without. */
export function showLedgers({ journaled, bare }: Results): void {
  const titles = [...new Set([...journaled.ledger.forge.pulls, ...bare.ledger.forge.pulls].map(({ title }) => title))]
  const rows = titles.map((title): Cell[] => {
    const kept = journaled.ledger.forge.pulls.filter((pull) => pull.title === title)
    const lost = bare.ledger.forge.pulls.filter((pull) => pull.title === title)
    const requests = kept.reduce((total, pull) => total + pull.requests, 0)
    return [title, String(requests), marked(kept.length, 1), marked(lost.length, 1)]
  })
  say(paint.dim(`  ${'with a journal    without'.padStart(74)}`))
  table([['pull request'.padEnd(45), 'asked for', 'opened', 'opened'], ...rows])
}

/** The totals, beside each other. */
export function showTotals(results: Results): void {
  const [kept, lost] = [totalsOf(results.journaled), totalsOf(results.bare)]
  const row = (what: string, needed: number, key: keyof Totals): Cell[] => {
    return [what, count(needed), marked(kept[key], needed), marked(lost[key], needed)]
  }
  table([
    ['in all'.padEnd(30), 'needed', 'with a journal', 'without'],
    row('pull requests opened', results.packageCount, 'pullsOpened'),
    row('commits made', results.packageCount, 'commits'),
    row('model calls paid', results.fileCount, 'modelCalls'),
    ['tokens paid', '', count(kept.modelTokens), count(lost.modelTokens)],
  ])
}

function marked(number: number, needed: number): Cell {
  const share = number / needed
  return { text: count(number), colour: share <= 1 ? paint.green : share < 1.1 ? paint.yellow : paint.red }
}

/** The claims, with a mark each. */
export function showClaims(claims: readonly Claim[]): void {
  for (const { text, holds } of claims) {
    const [first = '', ...rest] = wrap(holds ? text : `DOES NOT HOLD: ${text}`, 74)
    say(`  ${holds ? paint.green('✓') : paint.red('✗')} ${first}`)
    for (const line of rest) say(`    ${line}`)
  }
}
