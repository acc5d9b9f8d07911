import { statSync } from 'node:fs'

/** Which file a database is: another one has another name here, though its path may be the same. Undefined where there is none. */
export function fileIdentity(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
