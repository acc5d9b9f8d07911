import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { commands } from '../../dist/cli/commands/index.js'
import { exitCodeMeanings } from '../../dist/cli/exit-codes.js'

const page = await readFile(new URL('../../../../docs/command-line.md', import.meta.url), 'utf8')

describe('docs/command-line.md', () => {
  it('C50: has every exit code with its meaning', () => {
    for (const [code, meaning] of exitCodeMeanings) expect(page).toContain(`| ${code} | ${meaning} |`)
  })

  it('C50: has every command and every option', () => {
    for (const command of commands) {
      expect(page).toMatch(new RegExp(`\\| \`${command.name}[ \`]`))
      for (const { flags } of command.options ?? []) {
        const long = /--[a-z-]+/.exec(flags)?.[0] ?? flags
        expect(page, `${command.name} ${long}`).toContain(long)
      }
    }
  })
})
