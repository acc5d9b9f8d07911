import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Call } from './command.js'
import { cliError, messageOf } from './errors.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import { writeWhole } from './files.js'

/**
 * Writes the page that verifies files in a browser, and prints its SHA-256 with its name, as `sha256sum` does: whoever is handed the page can compare
 * it with one that came another way. Throws `file_failed`.
 */
export async function writePage(call: Call, name: string): Promise<ExitCode> {
  if ((call.words[0] ?? '') !== '')
    throw cliError('usage', 'With --page the page is written, and no file is verified: leave one of them out.')
  const page = pageText()
  writeWhole(call, name, page)
  const sha256 = createHash('sha256').update(page).digest('hex')
  const file = resolve(call.folder, name)
  await call.terminal.print(call.isJson ? JSON.stringify({ file, sha256 }) : `${sha256}  ${name}`)
  return exitCodes.done
}

function pageText(): string {
  try {
    return readFileSync(fileURLToPath(import.meta.resolve('@constancia/verify/page.html')), 'utf8')
  } catch (cause) {
    const message = `The page is not in this installation of @constancia/verify (${messageOf(cause)}). Nothing was written; install it again, or build it.`
    throw cliError('file_failed', message, { cause })
  }
}
