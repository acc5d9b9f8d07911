/**
 * Strict JSON: RFC 8259 with nothing that two readers could understand differently. Refused are a name twice in one object (compared after escapes
 * are resolved), a surrogate without its partner, a number beyond what a double holds, more than 64 levels or 131,072 values, a byte order mark, and
 * anything but white space after the end.
 */

/** Levels of arrays and objects within each other, at most. */
export const jsonDepthMax = 64
/** Bytes of a text that has to be understood, at most; whoever has the bytes looks at it. */
export const jsonBytesMax = 4_194_304
/** Values, those within others included, at most: what is read takes many times the memory of its text. */
export const jsonValueCountMax = 131_072

/** A value that was read, or why the text is none and at which UTF-16 unit. */
export type StrictJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly at: number; readonly why: string }

/** Reads strict JSON. Objects have the prototype of objects, and `__proto__` is a name like any other. */
export function parseStrictJson(text: string): StrictJson {
  const problem = new Scan(text).problem()
  if (problem !== undefined) return { kind: 'refused', ...problem }
  // What was scanned is JSON without names that occur twice: the platform reads it as everybody would.
  return { kind: 'value', value: JSON.parse(text) as unknown }
}

/** What comes next. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'after'

interface Problem {
  readonly at: number
  readonly why: string
}

const space = /[ \t\n\r]*/y
const backslash = 92
const escapePattern = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

/** One pass over the text, with a stack of its own: no text makes it overflow. */
class Scan {
  readonly #text: string
  #at = 0
  #valueCount = 0
  /** The names of each object that is open; undefined for an array. */
  readonly #open: (Set<string> | undefined)[] = []

  constructor(text: string) {
    this.#text = text
  }

  problem(): Problem | undefined {
    let next: Expected = 'value'
    for (;;) {
      this.#take(space)
      if (next === 'after' && this.#open.length === 0) break
      const result: Expected | Problem =
        next === 'after' ? this.#after() : next.startsWith('name') ? this.#name(next) : this.#value(next)
      if (typeof result === 'object') return result
      next = result
    }
    return this.#at === this.#text.length ? undefined : this.#wrong('there is something after its end')
  }

  #value(next: Expected): Expected | Problem {
    const sign = this.#text[this.#at]
    if (sign === ']' && next === 'value or ]') return this.#close()
    if (++this.#valueCount > jsonValueCountMax) return this.#wrong(`it has more than ${jsonValueCountMax} values`)
    if (sign === '[' || sign === '{') {
      if (this.#open.length === jsonDepthMax) return this.#wrong(`it has more than ${jsonDepthMax} levels`)
      this.#open.push(sign === '{' ? new Set() : undefined)
      this.#at += 1
      return sign === '{' ? 'name or }' : 'value or ]'
    }
    if (sign === '"') return this.#string() ?? 'after'
    const from = this.#at
    if (this.#take(word) !== undefined) return 'after'
    const digits = this.#take(number)
    if (digits === undefined) return this.#wrong('a value should be here')
    if (Number.isFinite(Number(digits))) return 'after'
    return { at: from, why: 'the number is beyond what a double holds' }
  }

  #name(next: Expected): Expected | Problem {
    if (this.#text[this.#at] === '}' && next === 'name or }') return this.#close()
    const from = this.#at
    const wrong = this.#string()
    if (wrong !== undefined) return wrong
    const name = this.#textFrom(from)
    const names = this.#open.at(-1)
    if (names?.has(name)) return { at: from, why: 'a name stands twice in one object' }
    names?.add(name)
    this.#take(space)
    if (this.#text[this.#at] !== ':') return this.#wrong('a colon should be here')
    this.#at += 1
    return 'value'
  }

  #after(): Expected | Problem {
    const isObject = this.#open.at(-1) !== undefined
    const sign = this.#text[this.#at]
    if (sign === (isObject ? '}' : ']')) return this.#close()
    if (sign !== ',') return this.#wrong('a comma or an end should be here')
    this.#at += 1
    return isObject ? 'name' : 'value'
  }

  #close(): Expected {
    this.#open.pop()
    this.#at += 1
    return 'after'
  }

  #string(): Problem | undefined {
    const from = this.#at
    if (this.#text[from] !== '"') return this.#wrong('a text should be here')
    for (this.#at += 1; this.#text[this.#at] !== '"'; ) {
      const length = this.#characterLength()
      if (length === 0) return this.#wrong('a text has a character or an escape that is none, or does not end')
      this.#at += length
    }
    this.#at += 1
    return isWellFormed(this.#textFrom(from)) ? undefined : { at: from, why: 'a surrogate has no partner' }
  }

  /** UTF-16 units of the character or escape that is next in a text; 0 for what is none. */
  #characterLength(): number {
    const unit = this.#text.charCodeAt(this.#at)
    // The end of the text is not a number, which is no character either.
    if (unit !== backslash) return unit >= 32 ? 1 : 0
    return this.#text.slice(this.#at, this.#at + 6).match(escapePattern)?.[0].length ?? 0
  }

  /** The text that was taken from here on, without quotes and escapes. */
  #textFrom(from: number): string {
    const raw = this.#text.slice(from, this.#at)
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #wrong(why: string): Problem {
    return { at: this.#at, why }
  }
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text)
}
