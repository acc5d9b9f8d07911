import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rawConnection } from '../store/raw.js'
import { pay } from './flows.mjs'
import { Project, packageFolder, usualConfig } from './project.js'

const scriptConfig = `
  import { ConstanciaError, defineConfig, flow } from 'constancia'
  import { sqlite } from 'constancia/sqlite'

  const kin = flow({
    name: 'kin',
    version: 1,
    run: (ctx) => ctx.sleep(-1).then(() => 'no error', (error) => (error instanceof ConstanciaError ? 'one copy' : 'two copies')),
  })
  export default defineConfig({ store: sqlite({ file: 'app.db' }), flows: [kin] })
`

describe('a configuration', () => {
  it.for(['constancia.config.mts', 'constancia.config.js'])(
    'C50: may be %s, and has the classes that the command line has',
    async (name) => {
      const project = new Project(name.endsWith('ts') ? usualConfig : scriptConfig, name)
      project.write('package.json', '{"type":"module"}')
      const ended = await project.run(['start', 'kin', '--wait'])
      expect([ended.code, ended.stdout]).toEqual([0, 'one copy\n'])
    },
  )

  it('C50: may be TypeScript that asks for .ts and .js, waits at its top and has enums, and is found from a folder below', async () => {
    const project = new Project()
    project.write(
      'amount.ts',
      'export enum Amount { Small = 3 }\nexport const amount: number = await Promise.resolve(Amount.Small)\n',
    )
    project.write('more.ts', "export { amount } from './amount.js'\n")
    const config = usualConfig.replace(
      'export default',
      "import { amount } from './more.ts'\nif (amount !== 3) throw new Error('odd')\nexport default",
    )
    project.write('constancia.config.ts', config)
    const below = join(project.folder, 'src', 'deep')
    mkdirSync(below, { recursive: true })
    const ended = await project.run(['start', 'kin', '--wait'], { folder: below })
    expect([ended.code, ended.stdout]).toEqual([0, 'one copy\n'])
    expect((await project.run(['runs', '--json'])).stdout).toContain('"flow":"kin"')
  })

  it('C50: of a project with a copy of its own is worked on by that copy', async () => {
    const project = new Project(usualConfig, 'constancia.config.ts')
    const modules = join(project.folder, 'node_modules')
    rmSync(join(modules, 'constancia'))
    for (const part of ['package.json', 'bin', 'dist']) {
      cpSync(join(packageFolder, part), join(modules, 'constancia', part), { recursive: true })
    }
    for (const name of [
      '@constancia/verify',
      '@marcbachmann/cel-js',
      '@photostructure/sqlite',
      'commander',
      'croner',
      'jiti',
    ]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(folderOf(name), join(modules, name))
    }
    const ended = await project.run(['start', 'kin', '--wait'])
    expect(ended).toEqual({ code: 0, stdout: 'one copy\n', stderr: expect.stringContaining('under way') })
  })

  it('C50: that is missing, throws, is no TypeScript or makes no sense is named with the reason: exit code 9', async () => {
    const project = new Project('')
    const missing = await project.run(['runs'])
    expect(missing.stderr).toMatch(/constancia\.config\.ts.*constancia\.config\.mjs[\s\S]*constancia init/)
    const bad: readonly (readonly [text: string, reason: RegExp])[] = [
      ["throw new TypeError('no flows today')", /bad0\.ts cannot be loaded: TypeError: no flows today \(at bad0\.ts:1/],
      ['export default {{', /bad1\.ts cannot be loaded.*bad1\.ts:1/s],
      ["import './nowhere.js'\nexport default {}", /bad2\.ts cannot be loaded.*nowhere/s],
      ['export const store = 1', /bad3\.mjs has no default export/],
      ['export default { flows: [] }', /bad4\.mjs names no store/],
      ['export default { store: () => 1, flows: [1] }', /bad5\.mjs has something in flows, at place 1/],
    ]
    const ended = await Promise.all(
      bad.map(([text], index) => {
        const name = `bad${index}.${index < 3 ? 'ts' : 'mjs'}`
        project.write(name, text)
        return project.run(['runs', '--config', name])
      }),
    )
    for (const [index, [, reason]] of bad.entries()) expect(ended[index]!.stderr).toMatch(reason)
    expect([missing, ...ended].map(({ code, stdout }) => [code, stdout])).toEqual(Array(7).fill([9, '']))
  })
})

describe('a database', () => {
  it('C50: that is missing is told and not made: exit code 10', async () => {
    const project = new Project()
    const [ended] = await Promise.all([project.run(['cancel', '--all', '--yes']), project.run(['doctor'])])
    expect([ended.code, ended.stdout]).toEqual([10, ''])
    expect(ended.stderr).toMatch(/There is no database .*app\.db.*\[store_missing\]/)
    expect(() => rawConnection(join(project.folder, 'nowhere', 'app.db'))).toThrow()
    const first = await project.run(['start', 'pay', '{"amount":1}', '--id', 'first'])
    expect([first.code, first.stdout]).toEqual([0, 'first\n'])
  })

  it('C50: that cannot be reached, is damaged, locked or too new is told with what to do: exit code 10', async () => {
    const project = new Project()
    await project.using(false, (runtime) => runtime.start(pay, { amount: 1 }, { id: 'one' }))
    project.write('garbage.db', 'this is no database at all, and long enough that SQLite looks at it'.repeat(100))
    await project.using(false, async () => undefined)
    cpSync(project.database, join(project.folder, 'new.db'))
    const raw = rawConnection(join(project.folder, 'new.db'))
    raw.exec('PRAGMA user_version=99')
    raw.close()
    const lock = rawConnection(project.database)
    lock.exec('BEGIN IMMEDIATE')
    const configOf = (file: string): string => {
      const name = `${file.replaceAll('/', '-')}.config.ts`
      project.write(name, usualConfig.replace("file: 'app.db'", `file: '${file}', busyMsMax: 50`))
      return name
    }
    const [unreachable, damaged, tooNew, locked] = await Promise.all([
      project.run(['start', 'pay', '{"amount":1}', '--config', configOf('nowhere/app.db')]),
      project.run(['runs', '--config', configOf('garbage.db')]),
      project.run(['runs', '--config', configOf('new.db')]),
      project.run(['signal', 'one', 'approved', '--config', configOf('app.db')]),
    ])
    lock.exec('ROLLBACK')
    lock.close()
    const all = [unreachable, damaged, tooNew, locked]
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(Array(4).fill([10, '']))
    const codes = all.map(({ stderr }) => /\[(\w+)\]\n$/.exec(stderr)?.[1])
    expect(codes).toEqual(['store_failed', 'store_damaged', 'store_too_new', 'store_locked'])
  })
})

describe('constancia init', () => {
  it('C50: writes a configuration that works, and never over another', async () => {
    const project = new Project('')
    expect((await project.run(['init'])).code).toBe(0)
    const [started, again] = await Promise.all([
      project.run(['start', 'greet', '--input', '{"name":"Ada"}', '--wait']),
      project.run(['init']),
    ])
    expect([started.code, started.stdout]).toEqual([0, 'Hello, Ada!\n'])
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('[file_exists]')])
  })
})

/** Where a package is that this one depends on. */
function folderOf(name: string): string {
  const places = createRequire(join(packageFolder, 'package.json')).resolve.paths(name) ?? []
  const found = places.map((place) => join(place, name)).find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`There is no package ${name}.`)
  return realpathSync(found)
}
