import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Deletes a database, whatever of it is there. */
export function removeFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** A folder for the files of one run of the benchmarks, on the repository's own disk: a folder in memory would sync nothing. */
export class Place {
  readonly folder: string
  #count = 0

  constructor() {
    const parent = join(root, '.cache')
    mkdirSync(parent, { recursive: true })
    this.folder = mkdtempSync(join(parent, 'bench-'))
  }

  /** Path of a file that is not there yet. */
  file(): string {
    this.#count += 1
    return join(this.folder, `${this.#count}.db`)
  }

  /** Deletes a database of this folder. */
  drop(file: string): void {
    removeFile(file)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
