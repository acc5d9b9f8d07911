import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call } from './command.js'
import { cliError, messageOf } from './errors.js'

/** Where a value may come from. */
export interface InputPlace {
  /** JSON, or `-` for standard input. */
  readonly text: string | undefined
  /** A file with JSON, or `-` for standard input. */
  readonly file: string | undefined
  /** What it is, for complaints: `The input`. */
  readonly what: string
}

/** Reads a value that is given as JSON; undefined where none is given. Throws `usage`, or `file_failed`. */
export async function readInput(call: Call, { text, file, what }: InputPlace): Promise<unknown> {
  if (text !== undefined && file !== undefined) {
    throw cliError('usage', `${what} was given twice, as a text and as a file. Nothing was done; give one of them.`)
  }
  if (text === '-' || file === '-') return parseJson(await call.terminal.input(), `${what} on standard input`)
  if (file !== undefined) return parseJson(readText(resolve(call.folder, file)), `${what} in ${file}`)
  return text === undefined ? undefined : parseJson(text, what)
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const word = text.trim()
    const hint = /^[\w .-]{1,40}$/.test(word) ? ` A text needs quotes of its own: '${JSON.stringify(word)}'.` : ''
    throw cliError('usage', `${what} is not JSON (${messageOf(cause)}). Nothing was done.${hint}`, { cause })
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw cliError('file_failed', `${file} cannot be read (${messageOf(cause)}). Nothing was done.`, { cause })
  }
}
