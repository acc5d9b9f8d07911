export type { PostgresTransaction } from '../index.js'
export type { ConnectionOptions } from './driver.js'
export type { PostgresOptions } from './open.js'
export { postgres } from './store.js'
