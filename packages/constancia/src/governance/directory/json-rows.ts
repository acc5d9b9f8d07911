import type { RoleFileMistake, Row, Rows } from './rows.js'

/** Reads an array of flat objects, and remembers the line of each. Stops where the text is no JSON. Pure. */
export function readJsonRows(text: string): Rows {
  const reader = new Reader(text)
  try {
    return { rows: reader.rows(), mistakes: reader.mistakes }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { rows: [], mistakes: [...reader.mistakes, { line: error.line, reason: error.message }] }
  }
}

class Unreadable extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const spacePattern = /[ \t\r\n]*/y
const tokenPattern = /[[\]{},:]|"(?:[^"\\]|\\.)*"|[^\s[\]{},:"]+/y

class Reader {
  readonly mistakes: RoleFileMistake[] = []
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  rows(): readonly Row[] {
    const rows: Row[] = []
    this.#expect('[')
    if (this.#peek() !== ']') {
      do rows.push(this.#row())
      while (this.#takes(','))
    }
    this.#expect(']')
    if (this.#peek() !== undefined) throw this.#unreadable('the end of the file')
    return rows
  }

  #row(): Row {
    this.#peek()
    const line = this.#line
    const fields = new Map<string, string | null>()
    this.#expect('{')
    if (this.#peek() !== '}') {
      do this.#field(fields)
      while (this.#takes(','))
    }
    this.#expect('}')
    return { line, fields }
  }

  #field(fields: Map<string, string | null>): void {
    const name = this.#next('a name in quotes', (token) => token.startsWith('"'))
    const key = this.#decoded(name)
    this.#expect(':')
    const value = this.#next('a text in quotes, or null', (token) => token.startsWith('"') || token === 'null')
    if (fields.has(key))
      this.mistakes.push({ line: this.#line, reason: `The field ${name.slice(0, 80)} stands twice.` })
    fields.set(key, value === 'null' ? null : this.#decoded(value))
  }

  #decoded(token: string): string {
    try {
      return JSON.parse(token) as string
    } catch {
      throw new Unreadable(
        this.#line,
        `There is a character or an escape in ${token.slice(0, 40)} that JSON does not have.`,
      )
    }
  }

  #takes(wanted: string): boolean {
    if (this.#peek() !== wanted) return false
    this.#expect(wanted)
    return true
  }

  #expect(wanted: string): void {
    this.#next(wanted, (token) => token === wanted)
  }

  #next(what: string, fits: (token: string) => boolean): string {
    const token = this.#peek()
    if (token === undefined || !fits(token)) throw this.#unreadable(what)
    this.#at += token.length
    return token
  }

  #peek(): string | undefined {
    spacePattern.lastIndex = this.#at
    const space = spacePattern.exec(this.#text)?.[0] ?? ''
    this.#at += space.length
    this.#line += space.split('\n').length - 1
    tokenPattern.lastIndex = this.#at
    return tokenPattern.exec(this.#text)?.[0]
  }

  #unreadable(what: string): Unreadable {
    const met = this.#text.slice(this.#at, this.#at + 20)
    const found = met === '' ? 'the file ends' : `there is ${JSON.stringify(met)}`
    return new Unreadable(
      this.#line,
      `Here ${found}, where ${what} was expected: an array of objects whose fields are texts.`,
    )
  }
}
