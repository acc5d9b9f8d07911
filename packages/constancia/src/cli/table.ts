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
  const widths = columns.map((column, index) => widest([column.title, ...rows.map((row) => row[index] ?? '')]))
  const room = firstRoom(widths, width)
  // One long id among many short ones must not push all others aside.
  const fitting = rows.map((row) => row[0] ?? '').filter((cell) => widthOf(cell) <= room)
  const layout = { widths: [widest([columns[0]?.title ?? '', ...fitting]), ...widths.slice(1)], width }
  const isWhole = columns[0]?.whole === true
  const lines = rows.flatMap((row) => (isWhole ? rowLines(row, layout, room) : [rowLine(row, layout)]))
  return [
    title(
      rowLine(
        columns.map((column) => column.title),
        layout,
      ),
    ),
    ...lines,
  ]
}

interface Layout {
  readonly widths: readonly number[]
  readonly width: number
}

function widest(cells: readonly string[]): number {
  return Math.max(0, ...cells.map(widthOf))
}

// What the first column may take so that the others find room.
function firstRoom(widths: readonly number[], width: number): number {
  const between = widths.slice(1, -1).reduce((sum, columnWidth) => sum + columnWidth + gap.length, gap.length)
  return width - between - Math.min(lastWidthMin, widths.at(-1) ?? 0)
}

function rowLines(row: readonly string[], layout: Layout, room: number): string[] {
  const [first = '', ...rest] = row
  if (widthOf(first) <= room) return [rowLine(row, layout)]
  return [first, rowLine(['', ...rest], layout)]
}

function rowLine(row: readonly string[], { widths, width }: Layout): string {
  const last = widths.length - 1
  const begin = row.slice(0, last).map((cell, index) => padEnd(cell, widths[index] ?? 0) + gap)
  const room = Math.max(1, width - begin.reduce((sum, cell) => sum + widthOf(cell), 0))
  return (begin.join('') + cut(row[last] ?? '', room)).trimEnd()
}
