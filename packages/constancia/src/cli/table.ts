import { cut, padEnd, widthOf } from './text.js'

/** One column of a table. */
export interface Column {
  readonly title: string
  /** Never cut: an id that is cut is of no use. Where it leaves no room, the rest of its row gets a line of its own. */
  readonly whole?: boolean
}

const gap = '  '
// Narrower than this, the last column says nothing.
const lastWidthMin = 12

/** What a table is made of. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
  readonly width: number
  /** Colours the title line. */
  readonly title: (text: string) => string
}

/** Lines of a table, none wider than the width unless a whole cell alone is. The last column gets what is left. */
export function tableLines({ columns, rows, width, title }: Table): string[] {
  const widths = columns.map(({ title: name }, index) =>
    Math.max(widthOf(name), ...rows.map((row) => widthOf(row[index] ?? ''))),
  )
  const titles = columns.map((column) => column.title)
  const lines = [titles, ...rows].flatMap((row) => rowLines(row, { columns, widths, width }))
  return lines.map((line, index) => (index === 0 ? title(line) : line))
}

interface Layout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
  readonly width: number
}

function rowLines(row: readonly string[], { columns, widths, width }: Layout): string[] {
  const last = columns.length - 1
  const before = widths.slice(0, last).reduce((sum, columnWidth) => sum + columnWidth + gap.length, 0)
  const isTight = width - before < Math.min(lastWidthMin, widths[last] ?? 0) && columns[0]?.whole === true
  if (!isTight) return [rowLine(row, { widths, width })]
  const rest = rowLine(row.slice(1), { widths: widths.slice(1), width: width - gap.length })
  return [cut(row[0] ?? '', Math.max(width, widthOf(row[0] ?? ''))), gap + rest]
}

function rowLine(row: readonly string[], { widths, width }: Omit<Layout, 'columns'>): string {
  const last = widths.length - 1
  const begin = row.slice(0, last).map((cell, index) => padEnd(cell, widths[index] ?? 0) + gap)
  const room = Math.max(1, width - begin.reduce((sum, cell) => sum + widthOf(cell), 0))
  return (begin.join('') + cut(row[last] ?? '', room)).trimEnd()
}
