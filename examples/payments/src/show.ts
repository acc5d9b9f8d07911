/** What the story shows of a scene. */
import type { StoredEvent } from 'constancia'
import { amount, turnOf, wordsOf, writerOf } from './journal.js'
import type { PlayedScene, Scene } from './scenes.js'
import { paint, say, tell, wrap } from './screen.js'
import type { Played } from './stage.js'

interface Line {
  readonly atMs: number
  /** Where it comes among lines of the same moment. */
  readonly rank: number
  readonly text: string[]
}

/** Prints a scene: what it is about, what happened when, what the user and the bank say of it, and what that shows. */
export function showScene(number: number, scene: Scene, played: PlayedScene): void {
  say()
  say(paint.bold(`  ${number}. ${scene.title}`))
  tell(scene.about)
  say()
  for (const { text } of linesOf(played)) for (const line of text) say(line)
  say()
  for (const line of [...turnLines(played), ...bankLines(played)]) say(line)
  for (const { text, holds } of played.claims) say(`  ${holds ? paint.green('✓') : paint.red('✗ NOT SO:')} ${text}`)
}

function linesOf({ events, law, marks, treasury }: Played): Line[] {
  const lines: Line[] = [
    ...marks.map(({ atMs, isFirst, text }) => ({ atMs, rank: isFirst ? 0 : 3, text: [markLine(atMs, text)] })),
    ...law.map((change) => ({
      atMs: change.atMs,
      rank: 1,
      text: rowOf({ ...change, sign: '§', by: writerOf(change) }),
    })),
    ...events.map((event) => ({ atMs: event.at, rank: 2, text: eventRow(event, wordsOf(event, treasury.contract)) })),
  ]
  return lines.sort((a, b) => a.atMs - b.atMs || a.rank - b.rank)
}

function markLine(atMs: number, text: string): string {
  return `  ${paint.dim(dayOf(atMs))}    ${paint.cyan(`── ${text}`)}`
}

function eventRow(event: StoredEvent, text: string): string[] {
  return rowOf({ sign: '·', atMs: event.at, by: writerOf(event), kind: event.kind, text })
}

interface Row {
  readonly sign: '·' | '§'
  readonly atMs: number
  readonly by: string
  readonly kind: string
  readonly text: string
}

function rowOf({ sign, atMs, by, kind, text }: Row): string[] {
  const [first = '', ...rest] = wrap(text, 34)
  const colour = sign === '§' ? paint.yellow : /Denied|Failed/.test(kind) ? paint.red : paint.plain
  const head = `  ${paint.dim(dayOf(atMs))}  ${sign} ${by.padEnd(8)}  ${colour(kind.padEnd(17))}  ${first}`
  return [head, ...rest.map((line) => `${' '.repeat(46)}${line}`)]
}

function dayOf(atMs: number): string {
  const date = new Date(atMs)
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()]
  return `${day} ${date.getUTCDate()} ${date.toISOString().slice(11, 16)}`
}

function turnLines({ events, treasury }: Played): string[] {
  const turns = events.filter(({ kind }) => kind === 'MessageSent')
  return turns.flatMap((event) => {
    const [english, spanish] = ['en', 'es'].map((language) => turnOf(event, treasury.contract, language))
    return [...said('The user', `${english}`), ...said('', `${spanish}`)]
  })
}

function bankLines({ transfers }: Played): string[] {
  if (transfers.length === 0) return said('The bank', 'was asked for nothing, and paid nothing.')
  return transfers.flatMap(({ key, to, cents, requests }) => {
    const often = requests === 1 ? 'once' : `${requests} times`
    return said('The bank', `was asked ${often} with key ${key}, and paid ${amount(cents)} to ${to}, once.`)
  })
}

function said(who: string, text: string): string[] {
  return wrap(text, 66).map((line, index) => `  ${(index === 0 ? who : '').padEnd(10)}  ${line}`)
}
