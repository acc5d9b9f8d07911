/** How the demo prints: at most 80 columns, colour only where somebody can see it, lines that are rewritten only on a terminal. */

const isTerminal = process.stdout.isTTY === true
const wanted = process.env['FORCE_COLOR'] !== undefined || (isTerminal && process.env['TERM'] !== 'dumb')
const colour = wanted && !process.env['NO_COLOR']

/** Text in a colour, where there are colours. */
export const paint = {
  bold: (text: string) => painted(1, text),
  dim: (text: string) => painted(2, text),
  red: (text: string) => painted(31, text),
  green: (text: string) => painted(32, text),
  yellow: (text: string) => painted(33, text),
  cyan: (text: string) => painted(36, text),
}

function painted(code: number, text: string): string {
  return colour && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** Prints a line. */
export function say(text = ''): void {
  process.stdout.write(`${isTerminal ? '\r\u001b[K' : ''}${text}\n`)
}

let shownAtMs = 0

/** Shows a line that the next one replaces, ten times a second at most; nothing where it would not be replaced. */
export function show(text: () => string): void {
  if (!isTerminal || performance.now() - shownAtMs < 100) return
  shownAtMs = performance.now()
  process.stdout.write(`\r\u001b[K${text()}`)
}

/** Breaks prose into lines of so many characters at most. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Prints prose, indented, within 80 columns. */
export function tell(text: string): void {
  for (const line of wrap(text, 76)) say(`  ${line}`)
}

/** A cell of a table: its text and, where it has one, its colour. */
export type Cell = string | { readonly text: string; readonly colour: (text: string) => string }

/** Prints rows in columns: the first to the left, the others to the right. The first row is the head. */
export function table(rows: readonly (readonly Cell[])[]): void {
  const textOf = (cell: Cell = ''): string => (typeof cell === 'string' ? cell : cell.text)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textOf(row[column]).length)))
  for (const [index, row] of rows.entries()) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      const padded = column === 0 ? textOf(cell).padEnd(width) : textOf(cell).padStart(width)
      return typeof cell === 'string' ? padded : cell.colour(padded)
    })
    const line = `  ${cells.join('   ')}`
    say(index === 0 ? paint.dim(line) : line)
  }
}
