import type { Call } from './command.js'
import { tableLines } from './table.js'
import { wrap } from './text.js'

/** A row of a table, and words that are too long for a column. */
export interface NotedRow {
  readonly cells: readonly string[]
  /** Plain text on lines below; nothing where it is empty. */
  readonly note: string
}

/** Prints a table whose rows have words below them. */
export async function printNoted(
  { terminal }: Call,
  titles: readonly string[],
  rows: readonly NotedRow[],
): Promise<void> {
  const { paint, width } = terminal
  const columns = titles.map((title) => ({ title }))
  const cells = rows.map((row) => row.cells)
  const [title = '', ...lines] = tableLines({ columns, rows: cells, width, title: paint.faint })
  await terminal.print(title)
  for (const [index, { note }] of rows.entries()) {
    await terminal.print(lines[index] ?? '')
    if (note !== '') await terminal.print(`  ${wrap(note, width - 2, '  ')}`)
  }
}
