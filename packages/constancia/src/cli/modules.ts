import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Imports a module by its URL, as Node.js does. */
export type Load = (url: string) => Promise<unknown>

/**
 * Loads a module of the project and returns its default export. TypeScript goes through a compiler, which also finds
 * `./flow.ts` where `./flow.js` is asked for; everything else is left to Node.js. Packages are Node.js's own in both cases,
 * so that a project and the command line have the same classes. Rejects with whatever the module throws.
 */
export async function loadDefault(file: string, load: Load): Promise<unknown> {
  if (!/^\.[mc]?ts$/.test(extname(file))) {
    const module = (await load(pathToFileURL(file).href)) as { readonly default?: unknown }
    return module.default
  }
  const folder = modulesFolderOf(dirname(file))
  const fsCache = folder === undefined ? false : join(folder, '.cache', 'constancia')
  const { createJiti } = await import('jiti') // Only who needs a compiler waits for it.
  const jiti = createJiti(pathToFileURL(file).href, { fsCache, interopDefault: false })
  const module = (await jiti.import(file)) as { readonly default?: unknown }
  return module.default
}

// What was compiled is kept where the project keeps such things, and never in a folder that others may write to.
function modulesFolderOf(folder: string): string | undefined {
  const candidate = join(folder, 'node_modules')
  if (existsSync(candidate)) return candidate
  const parent = dirname(folder)
  return parent === folder ? undefined : modulesFolderOf(parent)
}

/** The folder of the copy of this package that a file of the project would import; undefined if it would find none. */
export function copyFor(file: string): string | undefined {
  try {
    return realpathSync(dirname(createRequire(file).resolve('constancia/package.json')))
  } catch {
    return undefined
  }
}

/** The folder of the copy of this package that is running. */
export function ownCopy(): string {
  return realpathSync(fileURLToPath(new URL('../..', import.meta.url)))
}

/** The command line of another copy. */
export function commandLineOf(copy: string): string {
  return pathToFileURL(join(copy, 'dist', 'cli', 'index.js')).href
}
