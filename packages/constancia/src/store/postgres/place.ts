import type { ConnectionOptions } from './driver.js'

/** How people know a database: server, name and schema, never a password. What is not said is the driver's to choose. */
export function placeOf({ url, host, port, database }: ConnectionOptions, schema: string): string {
  if (url === undefined)
    return `${host ?? 'the server'}${port === undefined ? '' : `:${port}`}/${database ?? ''} (${schema})`
  if (!URL.canParse(url)) return `the database (${schema})`
  const parsed = new URL(url)
  return `${parsed.host}${parsed.pathname} (${schema})`
}
