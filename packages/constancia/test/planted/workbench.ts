import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
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
    /** By waiting in vain, which need not last as long as it may on a slow machine. */
    readonly inVain?: true
  }
}

// Several times what those tests take that wait in vain for a bug.
const patienceMs = 10_000

/** What came of a planted bug. */
export type Found =
  | { readonly kind: 'noticed' }
  | { readonly kind: 'missed' | 'does not apply' | 'does not compile'; readonly output: string }

/** What the tests came to that the bench ran, as `bench.mjs` tells it. */
interface Came {
  readonly passed: number
  readonly failed: readonly string[]
  readonly faults: readonly string[]
}

const root = resolve(import.meta.dirname, '../../../..')
const packages = ['verify', 'constancia']
const configs = ['package.json', 'tsconfig.base.json']

const program = join(import.meta.dirname, 'bench.mjs')

/** A copy of the packages in which bugs can be planted without disturbing anybody, and a vitest that tests it. One bug at a time. */
export class Workbench {
  readonly #folder: string
  readonly #bench: ChildProcess
  readonly #gone: Promise<unknown>
  #output = ''

  private constructor(folder: string) {
    this.#folder = folder
    const env = { ...process.env, NO_COLOR: '1', CI: '' }
    this.#bench = fork(program, [], { cwd: folder, env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    this.#gone = once(this.#bench, 'exit')
    for (const stream of [this.#bench.stdout, this.#bench.stderr]) stream?.on('data', (chunk) => this.#keep(chunk))
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
    if (this.#bench.connected) this.#bench.disconnect()
    await this.#gone
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

  async #examine({ noticedBy: { file, name, inVain } }: PlantedBug): Promise<Found> {
    this.#output = ''
    // The server of this run of the tests, instead of one for each bench.
    const database = file.includes('/postgres/') ? await databaseUrl() : undefined
    const patience = inVain ? { patienceMs } : {}
    this.#bench.send({ file: join('packages', file), name, database, ...patience })
    const { passed, failed, faults } = await this.#answer()
    if (failed.length > 0) return { kind: 'noticed' }
    return { kind: 'missed', output: [`${passed} tests passed, none failed.`, ...faults, this.#output].join('\n') }
  }

  #answer(): Promise<Came> {
    const gone = this.#gone.then(() => Promise.reject(new Error(`The vitest of the bench is gone.\n${this.#output}`)))
    return Promise.race([gone, once(this.#bench, 'message').then(([came]) => came as Came)])
  }

  #keep(chunk: Buffer): void {
    this.#output = (this.#output + chunk.toString()).slice(-20_000)
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
