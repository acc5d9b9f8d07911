import { expect, test } from 'vitest'
import { BinaryColumns, type BinaryElement, type ColumnType } from '../../dist/store/postgres/binary.js'
import { rawConnection } from './database.js'

const digits = '00ff7f80deadbeef'
const columns: readonly { type: ColumnType; as: string; given: readonly BinaryElement[]; back?: readonly unknown[] }[] =
  [
    { type: 'text', as: 'text[]', given: ['', 'a "text"', '\\', '{NULL}', 'NULL', null, 'ä€😀', 'x'.repeat(70_000)] },
    { type: 'smallint', as: 'smallint[]', given: [-32_768, 0, undefined, 32_767] },
    { type: 'integer', as: 'integer[]', given: [-(2 ** 31), -1, 0, null, 2 ** 31 - 1] },
    {
      type: 'bigint',
      as: 'bigint[]',
      given: [-1, -(2 ** 32), -(2 ** 32) - 1, 0, null, 2 ** 32, Date.UTC(2026, 0, 1), Number.MAX_SAFE_INTEGER],
    },
    { type: 'boolean', as: 'boolean[]', given: [true, null, false] },
    { type: 'bytea', as: 'bytea[]', given: [new Uint8Array(0), new Uint8Array([0, 255, 92]), null] },
    {
      type: 'hex',
      as: 'bytea[]',
      given: ['', digits, null],
      back: [Buffer.alloc(0), Buffer.from(digits, 'hex'), null],
    },
  ]

const plainOf = (element: unknown): unknown =>
  element instanceof Uint8Array ? Buffer.from(element).toString('hex') : (element ?? null)

test.each(columns)(
  'an array of $type comes to the server as it was, with what is null in it',
  async ({ type, as, given, back }) => {
    const raw = await rawConnection()
    const filled = new BinaryColumns([type])
    for (const element of given) filled.add([element])
    const { rows } = await raw.query(`SELECT v FROM unnest($1::${as}) AS v`, filled.arrays())
    const read = rows.map(({ v }) => plainOf(type === 'bigint' && v !== null ? Number(v) : v))
    expect(read).toEqual((back ?? given).map(plainOf))
    const empty = await raw.query(`SELECT cardinality($1::${as}) AS count`, new BinaryColumns([type]).arrays())
    expect(empty.rows).toEqual([{ count: 0 }])
    await raw.end()
  },
)
