/** What the demo shows of its acts. */
import type { JournaledLife } from './act.js'
import { type Claim, count, type Results, rereadCount, totalsOf } from './claims.js'
import { paint, say, table, tell } from './screen.js'
import type { TrapPlace } from './trap.js'

const barWidth = 28

/** The head over the lines of an act. */
export function lifeHead(): string {
  return paint.dim(`  process  ${'from the first step to the last'.padEnd(barWidth + 2)}re-read  executed  ended`)
}

/** One process: how much it took from the journal, how much it executed, and how it ended. */
export function lifeLine(
  number: number,
  stepCount: number,
  at: { reread: number; executed: number; end: string },
): string {
  const scale = barWidth / stepCount
  const from = Math.round(at.reread * scale)
  const to = Math.min(barWidth, Math.max(Math.round((at.reread + at.executed) * scale), from + 1))
  const bar = paint.dim('·'.repeat(from)) + paint.cyan('█'.repeat(to - from)) + ' '.repeat(barWidth - to)
  return `  ${String(number).padStart(7)}  ${bar}  ${count(at.reread).padStart(7)}  ${count(at.executed).padStart(8)}  ${at.end}`
}

/** How a process ended, in words. */
export function endOf({ signal, trap }: JournaledLife): string {
  if (signal === null) return paint.green('done')
  return paint.red(signal === 'SIGKILL' ? `killed ${trap === undefined ? '' : placeOf(trap)}` : signal)
}

function placeOf({ tool, when }: TrapPlace): string {
  if (tool === 'askModel') return 'asking'
  if (tool === 'openPull') return 'after its PR'
  return when === 'done' ? 'after commit' : 'in commit'
}

/** The line of a process that is gone. */
export function lineOf(life: JournaledLife, number: number, stepCount: number): string {
  return lifeLine(number, stepCount, { reread: rereadCount(life), executed: life.executed.length, end: endOf(life) })
}

/** The forge's ledgers, beside each other. */
export function showLedgers({ journaled, bare }: Results): void {
  const rows = journaled.ledger.forge.pulls.map(({ title, branch, requests }) => {
    const doubles = bare.ledger.forge.pulls.filter((pull) => pull.branch === branch).length
    const opened = journaled.ledger.forge.pulls.filter((pull) => pull.branch === branch).length
    return [title, String(requests), String(opened), String(doubles)]
  })
  table([['pull request', 'asked for', 'opened', 'opened without'], ...rows])
}

/** The totals, beside each other. */
export function showTotals(results: Results): void {
  const [kept, lost] = [totalsOf(results.journaled), totalsOf(results.bare)]
  const row = (what: string, needed: number | undefined, key: keyof typeof kept): string[] => [
    what,
    needed === undefined ? '' : count(needed),
    count(kept[key]),
    count(lost[key]),
  ]
  table([
    ['', 'needed', 'with journal', 'without'],
    row('processes killed', undefined, 'kills'),
    row('pull requests opened', results.packageCount, 'pullsOpened'),
    row('commits', results.packageCount, 'commits'),
    row('model calls paid', results.fileCount, 'modelCalls'),
    row('tokens paid', undefined, 'modelTokens'),
  ])
}

/** The claims, with a mark each. */
export function showClaims(claims: readonly Claim[]): void {
  for (const { text, holds } of claims) {
    const first = holds ? paint.green('  ✓') : paint.red('  ✗ DOES NOT HOLD:')
    const lines = wrapped(text)
    say(`${first} ${lines[0]}`)
    for (const line of lines.slice(1)) tell(line, '    ')
  }
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length > 73) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
