import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call } from './command.js'
import { cliError, messageOf } from './errors.js'

/** Writes a file that appears when it is whole. Throws `file_failed`. */
export function writeWhole(call: Call, name: string, text: string): void {
  const file = resolve(call.folder, name)
  const part = `${file}.part`
  try {
    writeFileSync(part, text)
    renameSync(part, file)
  } catch (cause) {
    rmSync(part, { force: true })
    const message = `${file} cannot be written (${messageOf(cause)}). Nothing was changed; choose another place.`
    throw cliError('file_failed', message, { cause })
  }
}
