import type { Bodies, Tells } from '../journal/index.js'

/** What events of a run say that its caller is told of: nothing where nobody wanted that. */
export function tellsOf({ tells }: Tells): Tells {
  return tells === true ? { tells } : {}
}

/** The same of the event that ends it. That of a child is for its parent alone. */
export function endTellsOf(started: Bodies['FlowStarted']): Tells {
  return started.parent === undefined ? tellsOf(started) : {}
}
