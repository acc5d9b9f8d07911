export { type MemoryDisk, memory, memoryDisk } from '../store/memory/index.js'
export {
  type ConformanceCase,
  type ConformanceOptions,
  type StoreUnderTest,
  storeConformance,
} from './store-conformance.js'
