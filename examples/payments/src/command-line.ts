/** Gives commands as a person would, in processes of their own. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const program = join(dirname(createRequire(import.meta.url).resolve('constancia/package.json')), 'bin', 'constancia.js')

/** What a command ended with. */
export interface Ended {
  readonly code: number
  /** What it printed, standard error included. */
  readonly text: string
}

/** Gives a command, and waits for its end. */
export function constancia(
  words: readonly string[],
  given: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const { folder, env = {} } = given
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env, COLUMNS: '76', NO_COLOR: '1' } }
    execFile(process.execPath, [program, ...words], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, text: `${stdout}${stderr}`.trimEnd() })
    })
  })
}
