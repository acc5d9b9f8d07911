import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of public vectors, which stands beside the repository where there is one. */
export const vectorFolder = fileURLToPath(new URL('../../../../shared/vectors/', import.meta.url))
/** Whether they are there; tests that read them are skipped, and say so, where they are not. */
export const hasVectors = existsSync(`${vectorFolder}/merkle-inclusion.json`)
if (!hasVectors) console.warn(`The public vectors are not at ${vectorFolder}: what reads them is skipped.`)

/** Reads a file of public vectors. */
export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(`${vectorFolder}/${name}`, 'utf8')) as T
}
