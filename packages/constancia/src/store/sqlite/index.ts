export type { SqliteOptions } from './open.js'
export { sqlite } from './store.js'
export { type SqlitePlace, sqlitePlace } from './whereabouts.js'
