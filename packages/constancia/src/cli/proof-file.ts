import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Call } from './command.js'
import { cliError, messageOf } from './errors.js'

/**
 * Writes what is made to the file that `--output` names, which appears when it is whole, or else to standard output, piece by piece. Rejects with
 * `file_failed`, and with what making it throws.
 */
export async function writeProof(call: Call, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const output = call.options.text('output')
  if (output === undefined || output === '-') {
    for await (const some of bytes) await call.terminal.pass(some)
    return
  }
  const file = resolve(call.folder, output)
  const part = `${file}.part`
  try {
    await pipeline(Readable.from(bytes), createWriteStream(part, { flush: true } as object))
    renameSync(part, file)
  } catch (cause) {
    rmSync(part, { force: true })
    if ((cause as { readonly syscall?: unknown }).syscall === undefined) throw cause
    throw cliError(
      'file_failed',
      `${file} cannot be written (${messageOf(cause)}). The journals are as they were; choose another place.`,
      { cause },
    )
  }
}
