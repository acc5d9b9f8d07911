/**
 * What a process was told is stored, since the last pulse that it wrote into the mark file: a file beside that, `<mark>.<hex>.notes`, which
 * is only added to. The first line is the mark as it was then; each other line is an event: run, number, hash or `-`. A line that a crash
 * cut off counts for nothing. Lines are written before anybody hears of the events, but not synced: they outlive the process, not a
 * power cut of its machine.
 */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseRunId } from '../../journal/index.js'
import type { KnownMark, NotedHead } from '../mark.js'
import { markText, parseMark } from './mark-file.js'

/** Notes that another process left behind, or is still writing. */
export interface LeftNotes {
  readonly path: string
  readonly sizeBytes: number
  readonly known: KnownMark
  readonly heads: readonly NotedHead[]
}

/** What notes are written with. */
export interface NotesParts {
  /** The mark file beside which they are. */
  readonly path: string
  readonly newSuffix: () => string
  readonly onFault: (error: unknown) => void
}

/** The notes of this process. */
export class Notes {
  readonly #parts: NotesParts
  #paths: string[] = []
  #file: number | undefined
  #known: KnownMark | undefined
  #waiting = ''

  constructor(parts: NotesParts) {
    this.#parts = parts
  }

  /** From now on they count from this mark. Returns the files that were written so far. */
  begin(known: KnownMark): readonly string[] {
    this.#flush()
    this.#closeFile()
    this.#known = known
    const written = this.#paths
    this.#paths = []
    return written
  }

  /** Keeps files of before, because what they say is not covered by a pulse yet. */
  keep(paths: readonly string[]): void {
    this.#paths = [...paths, ...this.#paths]
  }

  /** Notes an event. It is written before whoever waits for the append goes on. */
  add({ run, seq, hash }: NotedHead): void {
    if (this.#waiting === '') queueMicrotask(() => this.#flush())
    this.#waiting += `${run} ${seq} ${hash ?? '-'}\n`
  }

  /** Closes the file and leaves it where it is. */
  close(): void {
    this.#flush()
    this.#closeFile()
  }

  #flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text === '' || this.#known === undefined) return
    try {
      writeSync(this.#openFile(this.#known), text)
    } catch (error) {
      this.#parts.onFault(error)
    }
  }

  #openFile(known: KnownMark): number {
    if (this.#file !== undefined) return this.#file
    const path = `${this.#parts.path}.${this.#parts.newSuffix()}.notes`
    this.#file = openSync(path, 'ax', 0o600)
    this.#paths.push(path)
    writeSync(this.#file, markText({ known, heads: [] }))
    return this.#file
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** Reads what other processes left beside a mark file. Files that say nothing whole are passed over. */
export function leftNotes(path: string): LeftNotes[] {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  const names = namesIn(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.notes'))
  return names.flatMap((name) => notesOf(join(folder, name)))
}

// That it is missing is told by whoever writes there.
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function notesOf(path: string): LeftNotes[] {
  try {
    const text = readFileSync(path, 'utf8')
    const [first = '', ...lines] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
    const { known } = parseMark(first)
    const heads = new Map(lines.filter((line) => line !== '').map((line) => [line.split(' ')[0], headOf(line)]))
    return [{ path, sizeBytes: Buffer.byteLength(text), known, heads: [...heads.values()] }]
  } catch {
    return []
  }
}

function headOf(line: string): NotedHead {
  const [run, seq, hash] = line.split(' ')
  return { run: parseRunId(run), seq: Number(seq), hash: hash === '-' ? undefined : hash }
}

/** Deletes notes, unless somebody has added to them. */
export function dropLeft({ path, sizeBytes }: LeftNotes): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === sizeBytes) dropNotes([path])
}

/** Deletes notes that a pulse covers. */
export function dropNotes(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true })
}
