import { readFileSync } from 'node:fs'

let known: string | undefined

/** The version of this package; `unknown` where it was bundled into another program. */
export function programVersion(): string {
  known ??= readVersion()
  return known
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
