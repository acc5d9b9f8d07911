import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AnyFlow, open, type Runtime, type WorkerOptions } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { afterEach } from 'vitest'
import { flows } from './flows.mjs'

/** The folder of the package. */
export const packageFolder = fileURLToPath(new URL('../..', import.meta.url))

const binary = join(packageFolder, 'bin', 'constancia.js')

/** What a process that has ended came to. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How a command is given. */
export interface Given {
  readonly input?: string
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  readonly binary?: string
}

/** A configuration with the flows of these tests. */
export const usualConfig = `
  import { defineConfig } from 'constancia'
  import { sqlite } from 'constancia/sqlite'
  import { flows } from './flows.mjs'

  export default defineConfig({ store: sqlite({ file: 'app.db' }), flows: [...flows], worker: { pollMs: 20, graceMs: 0 } })
`

/** Its file. JavaScript starts faster; tests of configurations have TypeScript as well. */
export const usualName = 'constancia.config.mjs'

const projects: Project[] = []

afterEach(async () => {
  for (const project of projects.splice(0)) await project.dispose()
})

/** A folder with a configuration, flows and a database: what a user of the command line has. Ends with its test. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'constancia-cli-')))
  readonly database = join(this.folder, 'app.db')
  readonly #processes: CommandProcess[] = []

  /** Makes one with this configuration in a file of this name. */
  constructor(config = usualConfig, name = usualName) {
    projects.push(this)
    mkdirSync(join(this.folder, 'node_modules'))
    symlinkSync(packageFolder, join(this.folder, 'node_modules', 'constancia'))
    this.write('flows.mjs', readFileSync(new URL('./flows.mjs', import.meta.url), 'utf8'))
    if (config !== '') this.write(name, config)
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  /** Gives a command and waits for its end. */
  run(words: readonly string[], given: Given = {}): Promise<Ended> {
    return this.start(words, given).ended
  }

  /** Gives a command. */
  start(words: readonly string[], given: Given = {}): CommandProcess {
    const { folder = this.folder, env = {}, input = '' } = given
    const child = spawn(process.execPath, [given.binary ?? binary, ...words], {
      cwd: folder,
      // What the runner of tests sets must not reach what a user would see.
      env: { PATH: process.env['PATH'] ?? '', HOME: this.folder, ...env },
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const started = new CommandProcess(child)
    this.#processes.push(started)
    return started
  }

  /** A runtime of this process on the project's database. */
  async open(worker: Partial<WorkerOptions> | false = false, code: readonly AnyFlow[] = flows): Promise<Runtime> {
    const log = (): void => undefined
    return open({
      store: sqlite({ file: this.database }),
      flows: code,
      log,
      worker: worker && { pollMs: 20, graceMs: 0, ...worker },
    })
  }

  /** Lets a runtime of this process do something, and closes it. */
  async using<T>(
    worker: Partial<WorkerOptions> | false,
    use: (runtime: Runtime) => Promise<T>,
    code: readonly AnyFlow[] = flows,
  ): Promise<T> {
    const runtime = await this.open(worker, code)
    try {
      return await use(runtime)
    } finally {
      await runtime.close()
    }
  }

  async dispose(): Promise<void> {
    for (const { child } of this.#processes) if (child.exitCode === null) child.kill('SIGKILL')
    await Promise.all(this.#processes.map(({ ended }) => ended))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A command under way, seen from outside. */
export class CommandProcess {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }))
    })
  }

  /** Waits until it has said something. */
  async says(words: string | RegExp): Promise<void> {
    const said = (): boolean => (typeof words === 'string' ? this.stderr.includes(words) : words.test(this.stderr))
    await until(() => said() || this.child.exitCode !== null, `the command says ${String(words)}`)
    if (!said()) throw new Error(`It ended (${this.child.exitCode}) without saying ${String(words)}:\n${this.stderr}`)
  }
}

/** Waits until a run has a status. */
export async function rests(runtime: Runtime, run: string, status: string): Promise<void> {
  await until(async () => (await runtime.run(run).row()).status === status, `run ${run} is ${status}`)
}

// A machine that is busy with other tests takes long to start a process.
const patienceMs = 60_000

/** Waits, in real time, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`Waited in vain until ${what}.`)
    await pause(5)
  }
}
