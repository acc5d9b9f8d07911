import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../command.js'
import { configNames } from '../config.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'

/** `constancia init`: a configuration to begin with. */
export const initCommand: Command = {
  name: 'init',
  summary: 'write a small constancia.config.ts to begin with',
  act: async (call) => {
    const there = configNames.find((name) => existsSync(join(call.folder, name)))
    if (there !== undefined) throw cliError('file_exists', `There is a ${there} here already. Nothing was written.`)
    const name = 'constancia.config.ts'
    writeFileSync(join(call.folder, name), example, { flag: 'wx' })
    if (call.isJson) await call.terminal.print(JSON.stringify({ file: join(call.folder, name) }))
    else call.terminal.say(`Wrote ${name}. Try it:  constancia start greet --input '{"name":"Ada"}' --wait`)
    return exitCodes.done
  },
}

const example = `import { defineConfig, flow } from 'constancia'
import { sqlite } from 'constancia/sqlite'

const greet = flow<{ name: string }, string>({
  name: 'greet',
  version: 1,
  run: async (ctx, input) => {
    const text = await ctx.step('compose', () => \`Hello, \${input.name}!\`)
    await ctx.sleep(1_000)
    return text
  },
})

export default defineConfig({
  store: sqlite({ file: 'constancia.db' }),
  flows: [greet],
})
`
