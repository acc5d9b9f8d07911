import type { StreamId } from '../../journal/index.js'
import { runIn } from '../../store/index.js'
import { governanceError } from '../errors.js'

/** Runs whose texts cannot go, because they are not over. */
export function notOver(runs: readonly string[]): Error {
  const shown = runs.slice(0, 8).join(', ')
  const named = runs.length > 8 ? `${shown} and ${runs.length - 8} more` : shown
  return governanceError(
    'run_open',
    `Only what runs carry that are over can be erased, and ${named} ${runs.length === 1 ? 'is' : 'are'} not: ${runs.length === 1 ? 'it goes' : 'they go'} on, or still ${runs.length === 1 ? 'has' : 'have'} something to tell another run. ` +
      'Nothing more was erased. Wait for the end, cancel them, or leave them as they are.',
  )
}

/** How a stream is called where people read it: `run r1`, `refusals`. */
export function streamText(stream: StreamId): string {
  const run = runIn(stream)
  return run === undefined ? stream : `run ${run}`
}
