import type { Golden } from './effects.js'
import { failing, mixture, retries, timeouts } from './failing-flows.js'
import { moments, shared, signals, timers } from './waiting-flows.js'
import { linear, loop, nested, parallel, race, values } from './working-flows.js'

/** Every flow of the golden test. */
export const goldenFlows: readonly Golden[] = [
  linear,
  loop,
  parallel,
  nested,
  race,
  values,
  timers,
  signals,
  shared,
  moments,
  retries,
  timeouts,
  failing,
  mixture,
]
