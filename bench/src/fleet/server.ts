import { join } from 'node:path'
import type { Place } from '../place.js'
import { root } from '../place.js'

/** A PostgreSQL to measure. */
export interface Server {
  readonly url: string
  stop(): Promise<void>
}

interface Starter {
  startServer(folder: string): Promise<Server>
}

// What the tests start theirs with.
const starter = new URL('packages/constancia/test/postgres/server.mjs', `file://${root}`)

/**
 * A PostgreSQL: the one that `DATABASE_URL` names, or one that is started for this in a folder of the place, on the same disk as
 * everything else, with its settings as they are out of the box.
 */
export async function startServer(place: Place): Promise<Server> {
  const url = process.env['DATABASE_URL']
  if (url !== undefined) return { url, stop: () => Promise.resolve() }
  const { startServer: start } = (await import(starter.href)) as Starter
  return start(join(place.folder, 'postgres'))
}
