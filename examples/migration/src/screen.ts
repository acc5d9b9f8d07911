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

/** Prints prose, broken at 78 columns. */
export function tell(text: string, indent = '  '): void {
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length > 77) {
      say(indent + line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  say(indent + line)
}

/** Prints rows in columns: the first to the left, the others to the right. The first row is the head. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const [index, row] of rows.entries()) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    const line = `  ${cells.join('   ')}`
    say(index === 0 ? paint.dim(line) : line)
  }
}
