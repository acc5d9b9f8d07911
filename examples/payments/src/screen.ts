/** How the story prints: at most 80 columns, colour only where somebody can see it. */

const wanted = process.env['FORCE_COLOR'] !== undefined || (process.stdout.isTTY && process.env['TERM'] !== 'dumb')
const colour = wanted && !process.env['NO_COLOR']

/** Text in a colour, where there are colours. */
export const paint = {
  plain: (text: string) => text,
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
  process.stdout.write(`${text}\n`)
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
