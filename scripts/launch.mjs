/** Installs what is missing, builds, and runs one of the built programs with the arguments that this one was given. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildOrExit, install, root } from './prepare.mjs'
import { run, say } from './terminal.mjs'

export async function launch(program) {
  await install()
  await buildOrExit()
  const path = join(root, program)
  if (!existsSync(path)) {
    say(`${program} was not built: it is not part of this version.`)
    process.exitCode = 1
    return
  }
  say()
  const { code, output } = await run(process.execPath, [path, ...process.argv.slice(2)], { cwd: root, quiet: false })
  if (output) say(output.trimEnd())
  process.exitCode = code
}
