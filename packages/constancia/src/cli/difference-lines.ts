import type { DeclaredRule, Json } from '@constancia/verify'
import { type Change, type ChangeClass, plainText, ruleInWords } from '../governance/presentation/index.js'
import type { Paint } from './paint.js'
import { printable, wrap } from './text.js'

/** What differs between two contracts, in lines: what kind of change, where, and both sides. */
export function differenceLines(changes: readonly Change[], paint: Paint, width: number): string[] {
  return changes.flatMap((change) => [
    `${colourOf(change.class, paint)(change.class.padEnd(12))}${printable(`${change.place} ${change.what}`)}`,
    ...sidesOf(change).map(({ sign, text }) => sideLine(sign, text, { paint, width })),
  ])
}

/** The colour that a kind of change has. */
export function colourOf(kind: ChangeClass, paint: Paint): (text: string) => string {
  if (kind === 'breaking') return paint.bad
  return kind === 'behavioural' ? paint.warn : paint.good
}

type Sign = '-' | '+' | ' '

interface Side {
  readonly sign: Sign
  readonly text: string
}

function sideLine(
  sign: Sign,
  text: string,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): string {
  const line = `    ${sign} ${wrap(printable(text), width - 6, '      ')}`
  if (sign === ' ') return line
  return sign === '-' ? paint.bad(line) : paint.good(line)
}

function sidesOf({ place, before, after }: Change): Side[] {
  if (place.startsWith('rules for ')) return sentences(rulesOf(before), rulesOf(after))
  if (before === undefined || after === undefined) return []
  return leavesOf(before, after, '').flatMap(({ path, sides: [one, other] }) => {
    const name = path === '' ? '' : `${path}: `
    return [
      ...(one === undefined ? [] : [{ sign: '-' as const, text: `${name}${JSON.stringify(one)}` }]),
      ...(other === undefined ? [] : [{ sign: '+' as const, text: `${name}${JSON.stringify(other)}` }]),
    ]
  })
}

function rulesOf(value: Json | undefined): string[] {
  return ((value ?? []) as unknown as readonly DeclaredRule[]).map((rule) => plainText(ruleInWords(rule)))
}

// All of them where only their order differs, for the first one that fits decides.
function sentences(before: readonly string[], after: readonly string[]): Side[] {
  const gone = before.filter((sentence) => !after.includes(sentence))
  const come = after.filter((sentence) => !before.includes(sentence))
  if (gone.length + come.length === 0) {
    return [{ sign: ' ', text: 'in another order:' }, ...after.map((text): Side => ({ sign: '+', text }))]
  }
  return [
    ...before.map((text): Side => ({ sign: gone.includes(text) ? '-' : ' ', text })),
    ...come.map((text): Side => ({ sign: '+', text })),
  ]
}

interface Leaf {
  readonly path: string
  readonly sides: readonly [Json | undefined, Json | undefined]
}

// The innermost places at which two values differ.
function leavesOf(before: Json | undefined, after: Json | undefined, path: string): Leaf[] {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, sides: [before, after] }]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => leavesOf(before[name], after[name], path === '' ? name : `${path}.${name}`))
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
