import { Refusal } from './refusal.js'
import { type Token, tokensOf } from './token.js'

/**
 * A condition, taken apart. The language is a part of CEL (Common Expression Language):
 *
 *   expression = or [ "?" or ":" expression ]
 *   or         = and { "||" and }
 *   and        = relation { "&&" relation }
 *   relation   = unary { ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" ) unary }
 *   unary      = { "!" } member | "-" number
 *   member     = primary { "." name [ "(" [ arguments ] ")" ] | "[" expression "]" }
 *   primary    = name [ "(" [ arguments ] ")" ] | "(" expression ")" | "[" [ arguments ] "]" | literal
 *   literal    = int | double | text | "true" | "false" | "null"
 *
 * No arithmetic, no loops, no maps, bytes, unsigned numbers or regular expressions: what a condition computes ends soon, and
 * means the same to everybody.
 */
export type Condition =
  | { readonly kind: 'literal'; readonly value: null | boolean | bigint | number | string; readonly at: number }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'member'; readonly of: Condition; readonly name: string; readonly at: number }
  | { readonly kind: 'index'; readonly of: Condition; readonly index: Condition; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Condition[]; readonly at: number }
  | { readonly kind: 'has'; readonly of: Condition; readonly name: string; readonly at: number }
  | { readonly kind: 'call'; readonly name: CallName; readonly given: readonly Condition[]; readonly at: number }
  | { readonly kind: 'not'; readonly of: Condition; readonly at: number }
  | { readonly kind: 'relation'; readonly sign: RelationSign; readonly sides: Sides; readonly at: number }
  | { readonly kind: 'and' | 'or'; readonly sides: Sides; readonly at: number }
  | { readonly kind: 'choice'; readonly test: Condition; readonly sides: Sides; readonly at: number }

/** What stands left and right of a sign. */
export type Sides = readonly [Condition, Condition]

/** What a relation compares by. */
export type RelationSign = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in'

/** Functions that a condition may call, `size` also on its own, the others on a text. */
export type CallName = 'size' | 'startsWith' | 'endsWith' | 'contains'

/** What becomes of a text that is to be a condition. `at` counts UTF-16 units from 0. */
export type Parsed =
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'refused'; readonly at: number; readonly reason: string }

/** The longest text of a condition, in UTF-16 units. */
export const conditionLengthMax = 4_096

/** How deep parts of a condition may be nested. */
export const conditionDepthMax = 40

const relations = new Set<string>(['==', '!=', '<', '<=', '>', '>=', 'in'])
const calls: Readonly<Record<string, number>> = { size: 0, startsWith: 1, endsWith: 1, contains: 1 }
const literals = new Map<string, null | boolean>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const reserved = new Set(
  'as break const continue else for function if import in let loop package namespace return var void while'.split(' '),
)
const intMax = 2n ** 63n - 1n

/** Reads a condition. It never throws: a text that is none is refused with the place and the reason. */
export function parseCondition(text: string): Parsed {
  if (text.length > conditionLengthMax) {
    const reason = `A condition has at most ${conditionLengthMax} characters, not ${text.length}.`
    return { kind: 'refused', at: conditionLengthMax, reason }
  }
  try {
    return { kind: 'condition', condition: new Parser(tokensOf(text)).whole() }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', at: error.at, reason: error.message }
    throw error
  }
}

class Parser {
  readonly #tokens: readonly Token[]
  #place = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Condition {
    const condition = this.#expression()
    if (this.#next.kind !== 'end') throw this.#unexpected()
    return condition
  }

  #expression(): Condition {
    if (++this.#depth > conditionDepthMax) {
      throw new Refusal(this.#next.at, `A condition is nested at most ${conditionDepthMax} deep.`)
    }
    const test = this.#chain('or')
    const { at } = this.#next
    const isChoice = this.#takes('?')
    if (!isChoice) {
      this.#depth--
      return test
    }
    const first = this.#chain('or')
    this.#expect(':')
    const second = this.#expression()
    this.#depth--
    return { kind: 'choice', test, sides: [first, second], at }
  }

  #chain(kind: 'and' | 'or'): Condition {
    const part = (): Condition => (kind === 'or' ? this.#chain('and') : this.#relation())
    let left = part()
    for (let { at } = this.#next; this.#takes(kind === 'or' ? '||' : '&&'); { at } = this.#next) {
      left = { kind, sides: [left, part()], at }
    }
    return left
  }

  #relation(): Condition {
    let left = this.#unary()
    for (;;) {
      const { at } = this.#next
      const sign = this.#relationSign()
      if (sign === undefined) return left
      left = { kind: 'relation', sign, sides: [left, this.#unary()], at }
    }
  }

  #relationSign(): RelationSign | undefined {
    const token = this.#next
    const word = token.kind === 'sign' ? token.sign : token.kind === 'name' ? token.name : ''
    if (!relations.has(word)) return
    this.#place++
    return word as RelationSign
  }

  #unary(): Condition {
    const { at } = this.#next
    if (this.#takes('-')) return this.#negative(at)
    let notCount = 0
    while (this.#takes('!')) notCount++
    let condition = this.#member()
    for (; notCount > 0; notCount--) condition = { kind: 'not', of: condition, at }
    return condition
  }

  #negative(at: number): Condition {
    const token = this.#next
    if (token.kind !== 'int' && token.kind !== 'double') {
      throw new Refusal(token.at, 'A minus stands before a number only: conditions have no arithmetic.')
    }
    this.#place++
    if (token.kind === 'double') return { kind: 'literal', value: -token.double, at }
    if (token.int > intMax + 1n) throw new Refusal(at, 'The number is too small.')
    return { kind: 'literal', value: -token.int, at }
  }

  #member(): Condition {
    let condition = this.#primary()
    for (;;) {
      const { at } = this.#next
      if (this.#takes('.')) condition = this.#named(condition, at)
      else if (this.#takes('[')) {
        const index = this.#expression()
        this.#expect(']')
        condition = { kind: 'index', of: condition, index, at }
      } else return condition
    }
  }

  #named(of: Condition, at: number): Condition {
    const token = this.#next
    if (token.kind !== 'name') throw this.#unexpected()
    this.#place++
    if (!this.#takes('(')) return { kind: 'member', of, name: token.name, at }
    return this.#call(token, [of, ...this.#given()], 1)
  }

  #primary(): Condition {
    const token = this.#next
    const { at } = token
    if (token.kind === 'text') return this.#literal(token.text)
    if (token.kind === 'double') return this.#literal(token.double)
    if (token.kind === 'int') {
      if (token.int > intMax) throw new Refusal(at, 'The number is too large.')
      return this.#literal(token.int)
    }
    if (token.kind === 'name') return this.#name(token)
    if (this.#takes('(')) {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    if (this.#takes('[')) return { kind: 'list', items: this.#items(']'), at }
    throw this.#unexpected()
  }

  #literal(value: bigint | number | string): Condition {
    const { at } = this.#next
    this.#place++
    return { kind: 'literal', value, at }
  }

  #name(token: Token & { kind: 'name' }): Condition {
    this.#place++
    const { name, at } = token
    const literal = literals.get(name)
    if (literal !== undefined) return { kind: 'literal', value: literal, at }
    if (reserved.has(name)) throw new Refusal(at, `${name} is a word that the language keeps for itself.`)
    if (!this.#takes('(')) return { kind: 'name', name, at }
    const given = this.#given()
    if (name !== 'has') return this.#call(token, given, 0)
    const [of] = given
    if (given.length !== 1 || of?.kind !== 'member')
      throw new Refusal(at, 'has takes one path, such as has(input.note).')
    return { kind: 'has', of: of.of, name: of.name, at }
  }

  #call({ name, at }: Token & { kind: 'name' }, given: readonly Condition[], receiverCount: 0 | 1): Condition {
    const count = calls[name]
    if (count === undefined || (receiverCount === 0 && name !== 'size')) {
      const known = 'has(path), size(value) and, on texts, .size(), .startsWith(text), .endsWith(text), .contains(text)'
      throw new Refusal(at, `Conditions have no function ${name}; they have ${known}.`)
    }
    if (given.length !== count + 1) throw new Refusal(at, `${name} takes another number of values.`)
    return { kind: 'call', name: name as CallName, given, at }
  }

  #given(): readonly Condition[] {
    return this.#items(')')
  }

  #items(end: ')' | ']'): readonly Condition[] {
    const items: Condition[] = []
    if (this.#takes(end)) return items
    do {
      // A list may end with a comma, as in the whole language.
      if (end === ']' && items.length > 0 && this.#takes(end)) return items
      items.push(this.#expression())
    } while (this.#takes(','))
    this.#expect(end)
    return items
  }

  get #next(): Token {
    return this.#tokens[this.#place] as Token
  }

  #takes(sign: string): boolean {
    const token = this.#next
    if (token.kind !== 'sign' || token.sign !== sign) return false
    this.#place++
    return true
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw new Refusal(this.#next.at, `${JSON.stringify(sign)} is expected here.`)
  }

  #unexpected(): Refusal {
    const token = this.#next
    if (token.kind === 'end') return new Refusal(token.at, 'The condition ends where a value is expected.')
    return new Refusal(token.at, 'A value or a sign that fits is expected here.')
  }
}
