export { heldLoss, type Loss, parkedBecause } from './loss.js'
export { MarkedStore, type MarkOptions } from './store.js'
