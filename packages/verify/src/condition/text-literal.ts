import { Refusal } from './refusal.js'

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}

const lengths: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }

/** Reads the text in quotes that begins at a place; `end` is behind its last quote. Throws a {@link Refusal}. */
export function readText(source: string, at: number): { readonly value: string; readonly end: number } {
  const quote = source[at] as string
  if (source.startsWith(quote.repeat(3), at)) throw new Refusal(at, 'Conditions have no texts in three quotes.')
  let value = ''
  let place = at + 1
  for (;;) {
    const unit = source[place]
    if (unit === undefined || unit === '\n' || unit === '\r') throw new Refusal(at, 'The text has no end on its line.')
    if (unit === quote) return { value, end: place + 1 }
    if (unit === '\\') {
      const escaped = readEscape(source, place)
      value += escaped.value
      place = escaped.end
    } else {
      value += unit
      place++
    }
  }
}

function readEscape(source: string, at: number): { readonly value: string; readonly end: number } {
  const letter = source[at + 1] ?? ''
  const plain = simple[letter]
  if (plain !== undefined) return { value: plain, end: at + 2 }
  const octal = /^[0-3][0-7]{2}/.exec(source.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) return { value: String.fromCharCode(Number.parseInt(octal, 8)), end: at + 4 }
  const length = lengths[letter]
  const digits = length === undefined ? '' : source.slice(at + 2, at + 2 + length)
  if (length === undefined || digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits)) {
    throw new Refusal(at, 'This is no escape that texts know.')
  }
  const point = Number.parseInt(digits, 16)
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) throw new Refusal(at, 'There is no such character.')
  return { value: String.fromCodePoint(point), end: at + 2 + length }
}
