import type { ClaimedFlow } from '../index.js'
import { byTime } from './due.js'
import type { DueRun, NowQuery } from './queue-table.js'
import type { Search } from './search.js'

// With more keys than these, jumping from key to key costs more than reading the runs that are due.
const keysMax = 256

/**
 * Runs of a flow that are due and that no limit of their key holds back, in the order of their times; one more than are wanted
 * at most. Where many runs of keys at their limits are due before them, reading all of those would take long: the keys are
 * looked at instead, unless they are many as well.
 */
export function beyond(search: Search, flow: ClaimedFlow): DueRun[] {
  const { queue } = search.session
  const query: NowQuery = { flow: flow.flow, version: flow.version, nowMs: search.nowMs, limit: search.limit + 1 }
  const keyless = queue.keyless(query)
  const keys = queue.keys({ ...query, limit: keysMax + 1 })
  const keyed = keys.length <= keysMax ? ofKeys(search, flow, { query, keys }) : ofOthers(search, flow, query)
  return [...keyless, ...keyed].sort(byTime).slice(0, query.limit)
}

// Of each key as many as it has room for.
function ofKeys({ session, room }: Search, flow: ClaimedFlow, of: { query: NowQuery; keys: string[] }): DueRun[] {
  return of.keys.flatMap((key) => {
    const limit = Math.min(of.query.limit, room.ofKey(flow, key))
    return limit <= 0 ? [] : session.queue.ofKey({ ...of.query, limit }, key)
  })
}

function ofOthers({ session, room }: Search, flow: ClaimedFlow, query: NowQuery): DueRun[] {
  const full = new Set(room.fullKeys(flow))
  const { runningPerKeyMax } = flow
  if (runningPerKeyMax !== undefined) {
    for (const key of session.queue.fullKeys(flow.flow, query.nowMs, runningPerKeyMax)) full.add(key)
  }
  return session.queue.ofOtherKeys(query, [...full])
}
