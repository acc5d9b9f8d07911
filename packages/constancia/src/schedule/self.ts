import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Self } from '../engine/index.js'

let version: string | undefined

/** What this process says of itself in the list of workers. The version is `unknown` where the package was bundled into a program. */
export function selfOf(): Self {
  // What is loaded stays what it is, whatever is installed meanwhile.
  version ??= readVersion()
  return { host: hostname(), program: version }
}

function readVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    const { name, version } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown }
    return name === 'constancia' && typeof version === 'string' ? version : 'unknown'
  } catch {
    return 'unknown'
  }
}
