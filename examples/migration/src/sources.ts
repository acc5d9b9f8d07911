/** The files that the demo works on: the sources of packages that are installed anyway, as they were published. */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Packages to migrate, each with the number of its files. */
export interface SourcePackage {
  readonly name: string
  readonly fileCount: number
}

const names = ['pathe', 'source-map-js', 'postcss', 'vite', 'rolldown', 'vitest', 'typescript', 'zod']
const packageCountMin = 5
const fileBytesMax = 60_000
const packageFilesMax = 60

/** Copies the packages' JavaScript into a folder, 60 files of each at most. Throws if too few of them are installed. */
export function copySources(folder: string): SourcePackage[] {
  const modules = findModules()
  const found = names.filter((name) => existsSync(join(modules, name, 'package.json')))
  if (found.length < packageCountMin)
    throw new Error('The packages of this repository are not installed; run npm install.')
  return found.map((name) => ({ name, fileCount: copyPackage(join(modules, name), join(folder, name)) }))
}

function copyPackage(from: string, to: string): number {
  const sources = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((file) => isSource(from, file))
  const files = sources.sort().slice(0, packageFilesMax)
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    cpSync(join(from, file), join(to, file))
  }
  return files.length
}

function isSource(from: string, file: string): boolean {
  if (!/\.[cm]?js$/.test(file) || file.split(/[\\/]/).includes('node_modules')) return false
  const stats = statSync(join(from, file))
  return stats.isFile() && stats.size <= fileBytesMax
}

function findModules(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'node_modules', 'typescript'))) {
    if (folder === dirname(folder)) throw new Error('No node_modules above this example; run npm install.')
    folder = dirname(folder)
  }
  return join(folder, 'node_modules')
}
