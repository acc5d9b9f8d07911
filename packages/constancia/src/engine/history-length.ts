import type { RunId } from '../journal/index.js'
import type { Parking } from './divergence.js'
import type { Parts } from './parts.js'

/** How long a journal is now, and by how much it just grew. */
export interface Growth {
  readonly run: RunId
  readonly flow: string
  readonly eventCount: number
  readonly addedCount: number
}

/** Warns when a journal comes to the length at which somebody should look at its flow; once, as it passes. */
export function warnIfLong(parts: Parts, growth: Growth): void {
  const { eventCountWarn, eventCountMax } = parts.limits
  const { run, flow, eventCount, addedCount } = growth
  if (eventCount < eventCountWarn || eventCount - addedCount >= eventCountWarn) return
  const message =
    'The journal of a run grows long; at eventCountMax it is parked. Let its flow hand over to a new run sooner.'
  parts.log('warn', message, { run, flow, eventCount, eventCountMax })
}

/** The journal is as long as it may be. */
export function tooLong(eventCount: number): Parking {
  const message =
    `The journal has ${eventCount} events, which is the limit. The run is parked; nothing is lost. Raise eventCountMax and retry the ` +
    'run, or let its flow hand over to a new run sooner.'
  return { code: 'history_too_long', message }
}
