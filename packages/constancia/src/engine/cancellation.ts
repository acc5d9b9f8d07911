import type { ConstanciaError, RunId } from '../journal/index.js'
import { engineError } from './errors.js'

/** What the open ops of a cancelled run are rejected with, and what its attempts are aborted with. */
export function runCancelled(run: RunId): ConstanciaError {
  const message =
    `Run ${run} was cancelled. What it waited for is over and nothing is recorded of it any more; what the flow asks for ` +
    'from now on is its clean-up, and the run ends as cancelled when its function has ended.'
  return engineError('run_cancelled', message, { details: { run } })
}
