export { type MemoryDisk, memory, memoryDisk } from '../store/memory/index.js'
export type { StoreUnderTest } from './store-conformance/given.js'
export {
  type ConformanceCase,
  type ConformanceOptions,
  storeConformance,
} from './store-conformance.js'
