export type { SqliteOptions } from './open.js'
export { sqlite } from './store.js'
