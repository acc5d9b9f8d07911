import { type Draft, draftOf } from '../../dist/journal/index.js'

/** The event that ends a run well. */
export const completed: Draft = draftOf('FlowCompleted', {}, '"done"')
