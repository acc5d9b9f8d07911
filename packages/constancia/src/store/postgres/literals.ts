/** What an element of a column can be. */
export type Element = null | undefined | string | number | boolean | Uint8Array

/**
 * Columns of rows that become arrays of one statement. A column is written as PostgreSQL's literal of an array:
 * `{1,"a \"text\"",NULL,"\\x00ff"}`.
 */
export class Columns {
  readonly #columns: string[][]

  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => [])
  }

  /** Adds a row. */
  add(row: readonly Element[]): void {
    for (const [index, column] of this.#columns.entries()) column.push(literalOf(row[index]))
  }

  /** The literals, one a column. */
  literals(): string[] {
    return this.#columns.map((column) => `{${column.join(',')}}`)
  }
}

function literalOf(element: Element): string {
  if (element === null || element === undefined) return 'NULL'
  if (typeof element === 'string') return quote(element)
  if (typeof element === 'object') return `"\\\\x${hexOf(element)}"`
  return String(element)
}

function quote(text: string): string {
  return `"${text.includes('\\') || text.includes('"') ? text.replace(/[\\"]/g, '\\$&') : text}"`
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}

/** Bytes of a text in hex, as an element. */
export function bytesOf(hex: string): Uint8Array
export function bytesOf(hex: string | undefined): Uint8Array | undefined
export function bytesOf(hex: string | undefined): Uint8Array | undefined {
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

/** One column as a literal. */
export function arrayOf(elements: readonly Element[]): string {
  return `{${elements.map(literalOf).join(',')}}`
}
