/** Installs what is missing, builds, and runs built programs, one after the other, with the arguments that this one was given. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildOrExit, install, root } from './prepare.mjs'
import { bold, dim, run, say } from './terminal.mjs'

/** Each act is a program, and a title where there are several. The first that fails is the last. */
export async function launch(...acts) {
  await install()
  await buildOrExit()
  for (const act of acts) {
    process.exitCode = await perform(act)
    if (process.exitCode !== 0) return
  }
}

async function perform({ program, title }) {
  const path = join(root, program)
  if (!existsSync(path)) {
    say(`${program} was not built: it is not part of this version.`)
    return 1
  }
  const args = process.argv.slice(2)
  say()
  if (title !== undefined && !args.includes('--json')) say(`${dim(`  ${'─'.repeat(76)}`)}\n\n  ${bold(title)}\n`)
  const { code, output } = await run(process.execPath, [path, ...args], { cwd: root, quiet: false })
  if (output) say(output.trimEnd())
  return code
}
