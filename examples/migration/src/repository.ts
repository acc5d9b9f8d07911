/** The repository that the agent works on: a folder with files, and git. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import type { Patch } from './flow.js'
import { applyEdits } from './rewrite.js'

/** A change to be committed to a branch. */
export interface Change {
  readonly branch: string
  readonly message: string
  readonly patches: readonly Patch[]
}

/** A git repository in a folder, with the branch `main` checked out. */
export class Repository {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Makes a repository of what is in the folder. */
  async create(): Promise<void> {
    mkdirSync(this.folder, { recursive: true })
    await this.#git(['init', '--quiet', '--initial-branch=main'])
    await this.#git(['add', '--all'])
    await this.#git(['commit', '--quiet', '--message', 'As published'])
  }

  /** A repository of its own with what is in this one. */
  async cloneTo(folder: string): Promise<Repository> {
    await this.#git(['clone', '--quiet', '--no-tags', '.', folder])
    return new Repository(folder)
  }

  /** The files below a folder, sorted: with forward slashes, from the repository's folder on. */
  listFiles(folder: string): string[] {
    const entries = readdirSync(join(this.folder, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return files
      .map((entry) =>
        join(entry.parentPath ?? entry.path, entry.name)
          .slice(this.folder.length + 1)
          .replaceAll('\\', '/'),
      )
      .sort()
  }

  readFile(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  /**
   * Commits a change to a branch, which is made from `main` where it does not exist; returns the commit's id. Done again
   * under the same key it changes nothing and returns the same id.
   *
   * A crash can come after git is done and before the journal knows. So the key is written into the commit, as a line
   * `Constancia-Key:` of its message, and looked for before anything is done: git itself remembers what was done, in
   * the same atomic update that does it. It is what a database does with a unique column.
   */
  async commit(change: Change, key: string): Promise<string> {
    const { branch, message, patches } = change
    const heads = await this.#heads()
    const done = heads.has(branch) ? await this.#findByKey(branch, key) : undefined
    if (done !== undefined) return done
    const parent = heads.get(branch) ?? heads.get('main')
    const files = patches.map(({ file, edits }) => ({ file, text: applyEdits(this.readFile(file), edits) }))
    return this.#git(fastImport, importOf({ branch, parent, message: withKey(message, key), files }))
  }

  /** The commits of all branches that are not in `main`. */
  async commitCount(): Promise<number> {
    return Number(await this.#git(['rev-list', '--count', '--branches', '^main']))
  }

  /** The last commit of each branch. */
  async #heads(): Promise<ReadonlyMap<string, string>> {
    const lines = await this.#git(['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads'])
    return new Map(lines.split('\n').map((line) => line.split(' ') as [string, string]))
  }

  async #findByKey(branch: string, key: string): Promise<string | undefined> {
    if (key === '') return undefined
    const log = await this.#git([
      'log',
      '--format=%H %(trailers:key=Constancia-Key,valueonly,separator=%x2C)',
      `main..${branch}`,
    ])
    const line = log.split('\n').find((text) => text.slice(text.indexOf(' ') + 1) === key)
    return line?.split(' ')[0]
  }

  #git(args: readonly string[], input = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('git', args, { cwd: this.folder, env: { ...process.env, ...gitEnvironment } })
      const output: Buffer[] = []
      const errors: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
      child.on('error', (error) => reject(new Error(`git could not be started; this demo needs it. ${error.message}`)))
      child.on('close', (code) => {
        if (code === 0) resolve(Buffer.concat(output).toString('utf8').trim())
        else reject(new Error(`git ${args[0]} failed: ${Buffer.concat(errors).toString('utf8').trim()}`))
      })
      child.stdin.on('error', () => undefined) // A git that ends early says why by its code.
      child.stdin.end(input)
    })
  }
}

function withKey(message: string, key: string): string {
  return key === '' ? `${message}\n` : `${message}\n\nConstancia-Key: ${key}\n`
}

interface Import {
  readonly branch: string
  readonly parent: string | undefined
  readonly message: string
  readonly files: readonly { readonly file: string; readonly text: string }[]
}

const fastImport = ['fast-import', '--quiet', '--date-format=now']

// One stream makes the whole commit, so there is no moment in which half of it lies in the working folder, and no
// `index.lock` of a dead process in the way of the next. `done` at its end, promised at its beginning, is what tells a
// whole stream from one that was cut off. The branch moves last, and only if nobody else has moved it meanwhile.
function importOf({ branch, parent, message, files }: Import): string {
  const blobs = files.map(({ file, text }) => `M 100644 inline ${file}\n${dataOf(text)}`)
  return [
    'feature done\n',
    `commit refs/heads/${branch}\nmark :1\ncommitter ${author} now\n${dataOf(message)}`,
    parent === undefined ? '' : `from ${parent}\n`,
    ...blobs,
    'get-mark :1\n', // Prints the id of the commit.
    'done\n',
  ].join('')
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

const name = 'Migration agent'
const email = 'agent@example.invalid'
const author = `${name} <${email}>`

// Nothing of the user's own settings: no signing, no hooks, no other line endings.
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
}
