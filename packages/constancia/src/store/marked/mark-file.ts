/**
 * A file outside the database that says how far it had come, in one line of JSON:
 *
 *     {"format":"constancia.mark/v1","database":"…","term":"…","pulse":7,"atMs":1767225600000,"heads":[{"run":"r1","seq":4,"hash":"…"}]}
 *
 * `heads` are runs that were written last, a hundred at most: they only help to name what is missing. The file is replaced as a
 * whole, and the new one is on the disk before it takes the place of the old one.
 */
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseRunId } from '../../journal/index.js'
import { syncFolder, writeDurably } from '../durable-file.js'
import { storeError } from '../errors.js'
import type { KnownMark, NotedHead } from '../mark.js'

/** What a mark file holds. */
export interface FiledMark {
  readonly known: KnownMark
  readonly heads: readonly NotedHead[]
}

const format = 'constancia.mark/v1'

/** Reads a mark file; undefined where there is none. Rejects with `store_mark_failed`. */
export async function readMark(path: string): Promise<FiledMark | undefined> {
  try {
    return parseMark(await readFile(path, 'utf8'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw storeError(
      'store_mark_failed',
      `The mark ${path} cannot be read (${(cause as Error).message}), so nobody knows whether the database lost its newest part. Nothing was ` +
        'done. Put it right; if it is damaged and you know that the database is whole, delete it, and the next process begins another.',
      { cause },
    )
  }
}

/** Reads the text of a mark. Throws if it is none. */
export function parseMark(text: string): FiledMark {
  const value = JSON.parse(text) as Record<string, unknown> | null
  if (value?.['format'] !== format) throw new Error(`it is not of the format ${format}`)
  const { database, term, pulse, atMs, heads } = value
  const isWhole = typeof database === 'string' && typeof term === 'string' && isCount(pulse) && isCount(atMs)
  if (!isWhole || !Array.isArray(heads)) throw new Error('a field is missing')
  return { known: { database, term, pulse, atMs }, heads: heads.map(headOf) }
}

function headOf(value: unknown): NotedHead {
  const { run, seq, hash } = (value ?? {}) as Record<string, unknown>
  if (!isCount(seq) || (hash !== undefined && typeof hash !== 'string')) throw new Error('a head is no head')
  return { run: parseRunId(run), seq, hash }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The text of a mark. */
export function markText({ known, heads }: FiledMark): string {
  const { database, term, pulse, atMs } = known
  return `${JSON.stringify({ format, database, term, pulse, atMs, heads })}\n`
}

/** Replaces a mark file. It is on the disk when this resolves. Rejects with `store_mark_failed`. */
export async function writeMark(path: string, mark: FiledMark, suffix: string): Promise<void> {
  const fresh = `${path}.${suffix}.tmp`
  try {
    await writeDurably(fresh, markText(mark))
    await rename(fresh, path)
  } catch (cause) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw storeError(
      'store_mark_failed',
      `The mark ${path} cannot be written (${(cause as Error).message}). No run was touched. Its folder must exist and be writable.`,
      { cause },
    )
  }
  // Where a system cannot, the mark may be an older one after a power cut, and nothing worse.
  await syncFolder(dirname(path))
}
