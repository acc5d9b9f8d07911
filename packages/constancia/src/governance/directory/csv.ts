import type { RoleFileMistake, Row, Rows } from './rows.js'

interface Cells {
  readonly line: number
  readonly cells: readonly string[]
}

/** Reads comma-separated values as RFC 4180 has them; the first line names the columns. Pure. */
export function readCsv(text: string): Rows {
  const { records, mistakes } = recordsOf(text)
  const [head, ...rest] = records
  if (head === undefined) return { rows: [], mistakes: [...mistakes, { line: 1, reason: 'There is no head line.' }] }
  const names = head.cells.map((name) => name.trim().toLowerCase())
  const missing = ['principal', 'role'].filter((name) => !names.includes(name))
  const reasons = [
    ...missing.map((name) => `There is no column ${name}.`),
    ...(new Set(names).size < names.length ? ['A column is named twice.'] : []),
  ]
  if (reasons.length > 0) return { rows: [], mistakes: reasons.map((reason) => ({ line: head.line, reason })) }
  const odd = rest.filter(({ cells }) => cells.length !== names.length)
  const uneven = odd.map(({ line, cells }) => ({
    line,
    reason: `It has ${cells.length} fields where ${names.length} are named.`,
  }))
  const rows = rest.filter(({ cells }) => cells.length === names.length).map((record) => rowOf(names, record))
  return { rows, mistakes: [...mistakes, ...uneven] }
}

function rowOf(names: readonly string[], { line, cells }: Cells): Row {
  return { line, fields: new Map(names.map((name, index) => [name, (cells[index] ?? '').trim()])) }
}

// A cell in quotes, or one without any; then what ends it.
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y

function recordsOf(text: string): {
  readonly records: readonly Cells[]
  readonly mistakes: readonly RoleFileMistake[]
} {
  const records: Cells[] = []
  const mistakes: RoleFileMistake[] = []
  let line = 1
  let begun: { line: number; cells: string[] } = { line, cells: [] }
  for (let at = 0; at < text.length; ) {
    cellPattern.lastIndex = at
    const match = cellPattern.exec(text)
    if (match === null) {
      mistakes.push({ line, reason: 'A quote stands where none may be, or is not closed.' })
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
      begun = { line: ++line, cells: [] }
      continue
    }
    const [whole, quoted, plain = '', end] = match
    begun.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.split(/\r\n|\n|\r/).length - 1
    at += whole.length
    if (end === ',' && at < text.length) continue
    if (end === ',') begun.cells.push('')
    if (begun.cells.length > 1 || begun.cells[0] !== '') records.push(begun)
    begun = { line, cells: [] }
  }
  return { records, mistakes }
}
