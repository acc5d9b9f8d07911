import type { ClaimedFlow } from '../index.js'
import type { Connection } from './driver.js'
import { arrayOf } from './literals.js'
import type { Session } from './session.js'

const select = `
  SELECT flow, key, count(*) AS count FROM {schema}.runs
  WHERE flow = ANY ($1::text[]) AND status = 'running' AND due_at > $2 GROUP BY flow, key`

/** Whether a flow is claimed with a limit. */
export function isLimited({ runningMax, runningPerKeyMax }: ClaimedFlow): boolean {
  return runningMax !== undefined || runningPerKeyMax !== undefined
}

/**
 * How many runs may still be taken, by the limits of a request: who is claimed with a lease that has not run out, over all
 * workers. Runs that are taken meanwhile count at once.
 */
export class Room {
  readonly #ofFlow = new Map<string, number>()
  readonly #ofKey = new Map<string, Map<string, number>>()

  /** Counts who runs now, of flows that are limited. */
  static async count(
    session: Session,
    on: Connection,
    { flows, nowMs }: { readonly flows: readonly ClaimedFlow[]; readonly nowMs: number },
  ): Promise<Room> {
    const room = new Room()
    const limited = [...new Set(flows.filter(isLimited).map(({ flow }) => flow))]
    if (limited.length === 0) return room
    for (const { flow, key, count } of await on.query(session.sql(select), [arrayOf(limited), nowMs]))
      room.#add(String(flow), key as string | null, Number(count))
    return room
  }

  /** Whether one more would be too many, whatever its key. */
  isFull({ flow, runningMax }: ClaimedFlow): boolean {
    return runningMax !== undefined && (this.#ofFlow.get(flow) ?? 0) >= runningMax
  }

  /** Whether one more would be too many, of the flow or with this key. */
  holdsBack(flow: ClaimedFlow, key: string | null): boolean {
    if (this.isFull(flow)) return true
    const { runningPerKeyMax } = flow
    if (runningPerKeyMax === undefined || key === null) return false
    return (this.#ofKey.get(flow.flow)?.get(key) ?? 0) >= runningPerKeyMax
  }

  /** Keys that have no room. */
  fullKeys({ flow, runningPerKeyMax }: ClaimedFlow): string[] {
    if (runningPerKeyMax === undefined) return []
    return [...(this.#ofKey.get(flow) ?? [])].filter(([, count]) => count >= runningPerKeyMax).map(([key]) => key)
  }

  /** Counts a run that was taken. */
  take(flow: ClaimedFlow, key: string | null): void {
    if (isLimited(flow)) this.#add(flow.flow, key, 1)
  }

  #add(flow: string, key: string | null, count: number): void {
    this.#ofFlow.set(flow, (this.#ofFlow.get(flow) ?? 0) + count)
    if (key === null) return
    const keys = this.#ofKey.get(flow) ?? new Map<string, number>()
    keys.set(key, (keys.get(key) ?? 0) + count)
    this.#ofKey.set(flow, keys)
  }
}
