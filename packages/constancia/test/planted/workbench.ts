import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { transformWithOxc } from 'vite'
import { databaseUrl } from '../postgres/database.js'

/** A small patch that breaks one promise, and the test that must notice. */
export interface PlantedBug {
  /** What is broken, as a sentence. */
  readonly breaks: string
  /** Relative to `packages`. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  readonly noticedBy: {
    /** Relative to `packages`. */
    readonly file: string
    /** A pattern for the names of tests; all of the file unless set. */
    readonly name?: string
  }
}

/** What came of a planted bug. */
export type Found =
  | { readonly kind: 'noticed' }
  | { readonly kind: 'missed' | 'does not apply' | 'does not compile'; readonly output: string }

const root = resolve(import.meta.dirname, '../../../..')
const packages = ['verify', 'constancia']
const configs = ['package.json', 'tsconfig.base.json', 'vitest.config.ts']

interface Tested {
  readonly code: number | null
  readonly output: string
}

/** A copy of the packages in which bugs can be planted without disturbing anybody. */
export class Workbench {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Copies the built packages; their dependencies stay where they are. */
  static async open(): Promise<Workbench> {
    const folder = await mkdtemp(join(tmpdir(), 'constancia-planted-'))
    for (const config of configs) await cp(join(root, config), join(folder, config))
    for (const name of packages)
      await cp(join(root, 'packages', name), join(folder, 'packages', name), { recursive: true })
    await linkModules(folder)
    return new Workbench(folder)
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Plants a bug in what is built, runs the test that must notice it, and takes it out again. */
  async plant(bug: PlantedBug): Promise<Found> {
    const file = join(this.#folder, 'packages', bug.file)
    const before = await readFile(file, 'utf8')
    if (before.split(bug.find).length !== 2) {
      return { kind: 'does not apply', output: `${bug.file} has not exactly one place like\n${bug.find}` }
    }
    const built = join(this.#folder, 'packages', bug.file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))
    const builtBefore = await readFile(built, 'utf8')
    try {
      // Types are not checked: that takes longer than the test, and a bug is one whatever its types.
      const broken = before.replace(bug.find, () => bug.replace)
      await writeFile(built, (await transformWithOxc(broken, file)).code)
      return await this.#examine(bug)
    } catch (error) {
      return { kind: 'does not compile', output: String(error) }
    } finally {
      await writeFile(built, builtBefore)
    }
  }

  async #examine(bug: PlantedBug): Promise<Found> {
    const { file, name } = bug.noticedBy
    const named = name === undefined ? [] : ['-t', name]
    // The server of this run of the tests, instead of one for each bug.
    const env = file.includes('/postgres/') ? { DATABASE_URL: await databaseUrl() } : {}
    const tested = await this.#run(['vitest/vitest.mjs', 'run', join('packages', file), '--bail', '1', ...named], env)
    const isRed = tested.code !== 0 && /\b[1-9]\d* failed\b/.test(tested.output)
    return isRed ? { kind: 'noticed' } : { kind: 'missed', output: tested.output }
  }

  #run([script = '', ...args]: readonly string[], more: Readonly<Record<string, string>>): Promise<Tested> {
    const env = { ...process.env, ...more, NO_COLOR: '1', CI: '' }
    const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: this.#folder, env })
    let output = ''
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    return new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', (code) => done({ code, output }))
    })
  }
}

// Everything as it is installed, but for our own packages, which are the copies.
async function linkModules(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@constancia'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === 'constancia' || name === '@constancia' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  await symlink(join(folder, 'packages/constancia'), join(modules, 'constancia'))
  await symlink(join(folder, 'packages/verify'), join(modules, '@constancia/verify'))
}
