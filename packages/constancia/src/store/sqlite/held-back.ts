import { byTime } from './due.js'
import type { DueRun, NowQuery } from './queue-table.js'
import type { LevelOfFlow, Search } from './search.js'

// With more keys than these, jumping from key to key costs more than reading the runs that are due.
const keysMax = 1000

/**
 * Runs of a flow and priority that are due and that no limit of their key holds back, in the order of their times; one more than are wanted
 * at most. Where many runs of keys at their limits are due before them, reading all of those would take long: the keys are
 * looked at instead, unless they are many as well.
 */
export function beyond(search: Search, flow: LevelOfFlow): DueRun[] {
  const { queue } = search.session
  const { nowMs, limit, taken } = search
  const { flow: name, version, priority } = flow
  const query: NowQuery = { flow: name, version, priority, nowMs, limit: limit + 1 + taken.size }
  const full = fullKeys(search, flow)
  const keys = queue.keys({ ...query, limit: keysMax + 1 })
  const keyed =
    keys.length > keysMax
      ? queue.ofOtherKeys(query, [...full])
      : keys.flatMap((key) => (full.has(key) ? [] : queue.ofKey(someOfKey(query, taken.size, flow), key)))
  const due = [...queue.keyless(query), ...keyed].filter(({ streamNo }) => !taken.has(streamNo))
  return due.sort(byTime).slice(0, limit + 1)
}

// Of a key there is never more to take than its limit, besides what was looked at already.
function someOfKey(query: NowQuery, taken: number, { runningPerKeyMax = query.limit }: LevelOfFlow): NowQuery {
  return { ...query, limit: Math.min(query.limit, runningPerKeyMax + taken) }
}

function fullKeys({ session, room, nowMs }: Search, flow: LevelOfFlow): Set<string> {
  const full = new Set(room.fullKeys(flow))
  const { runningPerKeyMax } = flow
  if (runningPerKeyMax === undefined) return full
  for (const key of session.queue.fullKeys(flow.flow, nowMs, runningPerKeyMax)) full.add(key)
  return full
}
