import { execFile } from 'node:child_process'
import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Checkpoint, syncFolder, writeDurably } from '../store/index.js'

/** A place outside the database where checkpoints are kept as well, best where whoever runs the database cannot change them. */
export interface OutsidePlace {
  /** How people know it. */
  readonly name: string
  /** Keeps a checkpoint; one that is there already is not written again. Durable there when it resolves. Rejects where the place is away. */
  keep(checkpoint: Checkpoint): Promise<void>
  /** The note of the greatest checkpoint that is kept there, undefined where there is none; left out where the place cannot be asked. */
  last?(): Promise<string | undefined>
}

const suffix = '.checkpoint'

/** A folder: one file for each checkpoint, written at once and whole, synced, and never written again. It is made where there is none. */
export function checkpointFolder(path: string): OutsidePlace {
  const folder = resolve(path)
  return {
    name: `the folder ${folder}`,
    keep: async (checkpoint) => {
      await mkdir(folder, { recursive: true })
      await keepFile(folder, checkpoint)
    },
    last: () => lastIn(folder),
  }
}

/**
 * A Git repository: one commit for each checkpoint, by the command `git`. The folder is a work tree, or one in a work tree, in which nobody else works; `push` pushes
 * after each commit, to where the branch is pushed to.
 */
export function checkpointRepository(path: string, { push = false }: { readonly push?: boolean } = {}): OutsidePlace {
  const folder = resolve(path)
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', ['-C', folder, ...words], { timeout: gitMsMax })).stdout
  return {
    name: `the Git repository ${folder}`,
    keep: async (checkpoint) => {
      const file = await keepFile(folder, checkpoint)
      await git('add', '--', file)
      // Nothing is left to commit where this very file was committed before the process ended.
      if ((await git('status', '--porcelain', '--', file)) !== '')
        await git(...author, 'commit', '-q', '-m', `Checkpoint of ${checkpoint.size} leaves`, '--', file)
      if (push) await git('push', '-q')
    },
    last: () => lastIn(folder),
  }
}

const gitMsMax = 60_000
const author = ['-c', 'user.name=Constancia', '-c', 'user.email=constancia@localhost']

/** An HTTP endpoint: each checkpoint is sent there by POST, as the text of its note; an answer of 2xx means that it is kept. */
export function checkpointEndpoint(
  url: string,
  {
    headers = {},
    fetch: send = fetch,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly fetch?: typeof fetch } = {},
): OutsidePlace {
  return {
    name: `the endpoint ${withoutSecrets(url)}`,
    keep: async ({ note }) => {
      const body = { method: 'POST', body: note, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
      const answer = await send(url, { ...body, signal: AbortSignal.timeout(answerMsMax) })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`it answered ${answer.status}`)
    },
  }
}

const answerMsMax = 30_000

/** An address without what may be a secret in it. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'that is no address'
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

// By size and root: where a log was put back, two checkpoints of one size are two files, and both stay.
function fileOf({ size, root }: Checkpoint): string {
  return `${String(size).padStart(16, '0')}-${root.slice(0, 16)}${suffix}`
}

async function keepFile(folder: string, checkpoint: Checkpoint): Promise<string> {
  const name = fileOf(checkpoint)
  const path = join(folder, name)
  const part = join(folder, `.${name}.${process.pid}.part`)
  try {
    await writeDurably(part, checkpoint.note, 0o644)
    await link(part, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(part, { force: true })
  }
  if ((await readFile(path, 'utf8')) !== checkpoint.note)
    throw new Error(`${name} is there already and is another checkpoint of the same size and root`)
  await syncFolder(folder)
  return name
}

async function lastIn(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const last = names
    .filter((name) => /^\d{16}-[0-9a-f]{16}\.checkpoint$/.test(name))
    .sort()
    .at(-1)
  return last === undefined ? undefined : readFile(join(folder, last), 'utf8')
}
