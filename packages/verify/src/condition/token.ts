import { Refusal } from './refusal.js'
import { readText } from './text-literal.js'

/** A piece of a condition's text, and where it begins, in UTF-16 units from 0. */
export type Token =
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'sign'; readonly sign: string; readonly at: number }
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'int'; readonly int: bigint; readonly at: number }
  | { readonly kind: 'double'; readonly double: number; readonly at: number }
  | { readonly kind: 'end'; readonly at: number }

const space = /[\t\n\f\r ]+|\/\/[^\n]*/y
const name = /[A-Za-z_][A-Za-z0-9_]*/y
const double = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y
const int = /0x[0-9a-fA-F]+|[0-9]+/y
const sign = /\|\||&&|==|!=|<=|>=|[<>!?:.,()[\]-]/y

/** Takes a condition's text apart. Throws a {@link Refusal}. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    at = endOf(space, text, at) ?? at
    if (endOf(space, text, at) !== undefined) continue
    if (at === text.length) break
    const [token, end] = tokenAt(text, at)
    tokens.push(token)
    at = end
  }
  tokens.push({ kind: 'end', at })
  return tokens
}

function tokenAt(text: string, at: number): readonly [Token, number] {
  const quote = text[at]
  if (quote === '"' || quote === "'") {
    const { value, end } = readText(text, at)
    return [{ kind: 'text', text: value, at }, end]
  }
  const nameEnd = endOf(name, text, at)
  if (nameEnd !== undefined) return [{ kind: 'name', name: plainName(text, at, nameEnd), at }, nameEnd]
  const doubleEnd = endOf(double, text, at)
  if (doubleEnd !== undefined) return [doubleAt(text.slice(at, doubleEnd), at), endOfNumber(text, doubleEnd)]
  const intEnd = endOf(int, text, at)
  if (intEnd !== undefined) {
    return [{ kind: 'int', int: BigInt(text.slice(at, intEnd)), at }, endOfNumber(text, intEnd)]
  }
  const signEnd = endOf(sign, text, at)
  if (signEnd !== undefined) return [{ kind: 'sign', sign: text.slice(at, signEnd), at }, signEnd]
  throw new Refusal(
    at,
    `${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))} is not part of conditions.`,
  )
}

// `r"…"` and `b"…"` are texts of the whole language.
function plainName(text: string, at: number, end: number): string {
  if (text[end] === '"' || text[end] === "'")
    throw new Refusal(at, 'Conditions have plain texts only, without a prefix.')
  return text.slice(at, end)
}

function doubleAt(written: string, at: number): Token {
  const value = Number(written)
  if (!Number.isFinite(value)) throw new Refusal(at, 'The number is too large.')
  return { kind: 'double', double: value, at }
}

// What follows a number closely would be read as something else by others: `1u`, `1x`.
function endOfNumber(text: string, end: number): number {
  if (endOf(name, text, end) !== undefined) throw new Refusal(end, 'A number ends here; conditions have no suffixes.')
  return end
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
