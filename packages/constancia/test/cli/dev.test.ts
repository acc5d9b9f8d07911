import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchFolder } from '../../dist/cli/watch-folder.js'
import { pay } from './flows.mjs'
import { Project, rests, until, usualConfig, usualName } from './project.js'

describe('constancia dev', () => {
  it('C50: works, takes up changed code without a hand, says what it does, and gives its runs back at Ctrl-C', async () => {
    const project = new Project()
    const runtime = await project.open()
    const command = project.start(['dev'])
    await command.says(/worker \d+ is up/)
    await runtime.start(pay, { amount: 1 }, { id: 'one' })
    await rests(runtime, 'one', 'waiting')

    project.write(usualName, 'export default {{')
    await command.says(`${usualName} changed; restarting the worker`)
    await command.says(/cannot be loaded[\s\S]*waiting for a change/)
    project.write(usualName, usualConfig)
    await command.says(/worker (\d+) is up[\s\S]*worker (?!\1)\d+ is up/)
    await runtime.run('one').signal('approved')
    await rests(runtime, 'one', 'completed')

    command.child.kill('SIGINT')
    const ended = await command.ended
    expect([ended.code, ended.stdout]).toEqual([0, ''])
    expect(ended.stderr).toContain('giving runs back')
    await runtime.close()
  })

  it('C50: sees changes of code in folders old and new, and none of packages, built files and databases', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'constancia-watch-'))
    for (const name of ['src', 'node_modules', 'dist', '.git']) mkdirSync(join(folder, name))
    const seen: string[] = []
    const unwatch = watchFolder(folder, (path) => seen.push(path))
    try {
      for (const name of ['node_modules/a.js', 'dist/b.js', '.git/c', 'app.db', 'app.db-wal', '.env.swp'])
        writeFileSync(join(folder, name), 'x')
      writeFileSync(join(folder, 'src', 'flow.ts'), 'x')
      await until(() => seen.includes(join('src', 'flow.ts')), 'the change of src/flow.ts is seen')
      mkdirSync(join(folder, 'src', 'new'))
      await until(() => seen.includes(join('src', 'new')), 'the new folder is seen')
      writeFileSync(join(folder, 'src', 'new', 'flow.ts'), 'x')
      await until(() => seen.includes(join('src', 'new', 'flow.ts')), 'the change in the new folder is seen')
      expect(seen.filter((path) => !path.startsWith('src'))).toEqual([])
    } finally {
      unwatch()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
