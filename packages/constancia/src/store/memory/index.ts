export { type MemoryDisk, memoryDisk } from './disk.js'
export { memory } from './store.js'
