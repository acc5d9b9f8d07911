import { stripVTControlCharacters } from 'node:util'
import { printable } from '@constancia/verify'

export { printable }

/** The same for a text that may have lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const narrow = /\p{Mark}|\u200d/u

/** How many columns a text takes; colours take none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) {
    if (character < '\u0300') width += 1
    else if (!narrow.test(character)) width += wide.test(character) ? 2 : 1
  }
  return width
}

/** The beginning of a plain text, cut with an ellipsis where it is wider than it may be. */
export function cut(text: string, widthMax: number): string {
  if (widthOf(text) <= widthMax) return text
  let [kept, width] = ['', 0]
  for (const character of text) {
    width += widthOf(character)
    if (width > widthMax - 1) break
    kept += character
  }
  return `${kept}…`
}

/** Fills up with spaces on the right. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Fills up with spaces on the left. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text
}

/** A space at which no line is broken. */
export const hardSpace = '\u00a0'

/** Breaks a plain text between words into lines of a width, each after the first indented. A longer word keeps its line. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line)
      line = indent + word
    } else line = longer
  }
  return [...lines, line].join('\n').replaceAll(hardSpace, ' ')
}

/** `1 run`, `2 runs`, `1,000 runs`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : `${noun}s`}`
}
