import { printable } from './text.js'

/** Whoever wrote an event, without what kind of writer that is. */
export function writerText(by: string): string {
  return printable(by.replace(/^(principal|system):/, ''))
}

/** `analyst, treasurer or auditor`. */
export function orText(names: readonly string[]): string {
  const shown = names.map(printable)
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}
