import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { defaultLimits } from '../journal/index.js'
import { type Store, systemClock } from '../store/index.js'
import { sqlitePlace } from '../store/sqlite/index.js'
import type { Call } from './command.js'
import { printableLines } from './text.js'

/**
 * Opens the store of the configuration only to read in it, and closes it when the use is over; undefined where there is no database
 * yet. Throws faults of the store.
 */
export async function withReadStore<T>(call: Call, use: (store: Store) => Promise<T>): Promise<T | undefined> {
  const { config } = await call.config()
  const place = sqlitePlace(config.store)
  if (place !== undefined && !existsSync(place.file)) return undefined
  const store = await config.store({
    clock: systemClock,
    randomBytes: (count) => randomBytes(count),
    limits: { ...defaultLimits, ...config.limits },
    warn: (message) => call.terminal.say(printableLines(message)),
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
