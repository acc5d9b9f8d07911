/**
 * Columns of rows that become arrays of one statement, as PostgreSQL sends arrays itself (`array_send`), all numbers big-endian:
 *
 *     int32 1 (dimensions), int32 1 (there may be nulls), int32 oid of the elements, int32 count, int32 1 (first index),
 *     then each element: int32 length in bytes, or -1 for null; the bytes
 *
 * An empty one has no dimension: `int32 0, int32 0, int32 oid`. No text is escaped and no byte becomes two digits, which is half of
 * the work on either side of a literal.
 */

/** What the elements of a column are; `hex` is bytes that are given as their digits. */
export type ColumnType = 'text' | 'smallint' | 'integer' | 'bigint' | 'boolean' | 'bytea' | 'hex'

/** What an element can be, each of the type of its column. */
export type BinaryElement = null | undefined | string | number | boolean | Uint8Array

const oids: Readonly<Record<ColumnType, number>> = {
  text: 25,
  smallint: 21,
  integer: 23,
  bigint: 20,
  boolean: 16,
  bytea: 17,
  hex: 17,
}

const headerBytes = 20
const emptyBytes = 12

/** Columns of these types, filled row by row. */
export class BinaryColumns {
  readonly #columns: readonly BinaryColumn[]

  constructor(types: readonly ColumnType[]) {
    this.#columns = types.map((type) => new BinaryColumn(type))
  }

  /** Adds a row: an element for each column. */
  add(row: readonly BinaryElement[]): void {
    const columns = this.#columns
    for (let index = 0; index < columns.length; index += 1) columns[index]?.add(row[index])
  }

  /** The arrays, one a column. Nothing may be added any more. */
  arrays(): Buffer[] {
    return this.#columns.map((column) => column.array())
  }
}

class BinaryColumn {
  readonly #type: ColumnType
  #bytes: Buffer | undefined
  #end = headerBytes
  #count = 0

  constructor(type: ColumnType) {
    this.#type = type
  }

  add(element: BinaryElement): void {
    this.#count += 1
    if (element === null || element === undefined) return this.#addNull()
    switch (this.#type) {
      case 'text':
        return this.#addText(element as string)
      case 'smallint':
        return this.#addSmallint(element as number)
      case 'integer':
        return this.#addInteger(element as number)
      case 'bigint':
        return this.#addBigint(element as number)
      case 'boolean':
        return this.#addBoolean(element as boolean)
      case 'bytea':
        return this.#addBytes(element as Uint8Array)
      case 'hex':
        return this.#addHex(element as string)
    }
  }

  array(): Buffer {
    if (this.#bytes === undefined) return emptyOf(this.#type)
    const array = this.#bytes.subarray(0, this.#end)
    for (const [index, value] of [1, 1, oids[this.#type], this.#count, 1].entries())
      array.writeInt32BE(value, index * 4)
    return array
  }

  #addNull(): void {
    this.#end = this.#room(4).writeInt32BE(-1, this.#end)
  }

  #addText(text: string): void {
    const bytes = this.#room(4 + text.length * 3) // No unit of UTF-16 takes more than three.
    const length = bytes.write(text, this.#end + 4, 'utf8')
    bytes.writeInt32BE(length, this.#end)
    this.#end += 4 + length
  }

  #addSmallint(value: number): void {
    const bytes = this.#room(6)
    bytes.writeInt32BE(2, this.#end)
    this.#end = bytes.writeInt16BE(value, this.#end + 4)
  }

  #addInteger(value: number): void {
    const bytes = this.#room(8)
    bytes.writeInt32BE(4, this.#end)
    this.#end = bytes.writeInt32BE(value, this.#end + 4)
  }

  // All of them are exact as numbers: counts and milliseconds.
  #addBigint(value: number): void {
    const bytes = this.#room(12)
    bytes.writeInt32BE(8, this.#end)
    bytes.writeInt32BE(Math.floor(value / 2 ** 32), this.#end + 4)
    this.#end = bytes.writeUInt32BE(((value % 2 ** 32) + 2 ** 32) % 2 ** 32, this.#end + 8)
  }

  #addBoolean(value: boolean): void {
    const bytes = this.#room(5)
    bytes.writeInt32BE(1, this.#end)
    this.#end = bytes.writeUInt8(value ? 1 : 0, this.#end + 4)
  }

  #addBytes(value: Uint8Array): void {
    const bytes = this.#room(4 + value.length)
    bytes.writeInt32BE(value.length, this.#end)
    bytes.set(value, this.#end + 4)
    this.#end += 4 + value.length
  }

  #addHex(digits: string): void {
    const bytes = this.#room(4 + digits.length / 2)
    const length = bytes.write(digits, this.#end + 4, 'hex')
    bytes.writeInt32BE(length, this.#end)
    this.#end += 4 + length
  }

  // The bytes so far, with room for so many more.
  #room(count: number): Buffer {
    const { length = 0 } = this.#bytes ?? {}
    if (this.#bytes !== undefined && this.#end + count <= length) return this.#bytes
    const larger = Buffer.allocUnsafeSlow(Math.max(1024, length * 2, this.#end + count))
    this.#bytes?.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
    return larger
  }
}

const empty = new Map<ColumnType, Buffer>()

function emptyOf(type: ColumnType): Buffer {
  const made = empty.get(type) ?? Buffer.alloc(emptyBytes)
  made.writeInt32BE(oids[type], 8)
  empty.set(type, made)
  return made
}
