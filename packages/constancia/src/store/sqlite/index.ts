export type { SqliteStatement, SqliteTransaction, SqliteValue } from '../index.js'
export type { SqliteOptions } from './open.js'
export { sqlite } from './store.js'
export { type SqlitePlace, sqlitePlace } from './whereabouts.js'
