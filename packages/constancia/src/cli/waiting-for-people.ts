import type { Runtime } from '../engine/index.js'
import type { ApprovalRow, RunRow, Store } from '../store/index.js'
import { type Asked, askedIn } from './asked.js'
import { isGone } from './errors.js'
import { type Filter, openStatuses, runsOf } from './selection.js'

const pageSize = 1_000

/** Where people are asked. */
export interface AskingPlace {
  readonly runtime: Runtime
  readonly store: Pick<Store, 'approvals'>
  readonly filter: Pick<Filter, 'flow' | 'version'>
}

/**
 * All that waits for people: open approvals, what waits longest first, then effects whose outcome somebody has to state. The list says
 * where to look, the journals say what is open.
 */
export async function* waitingForPeople(place: AskingPlace): AsyncGenerator<Asked> {
  for await (const { run: id, op } of openApprovals(place)) {
    const run = await rowOf(place.runtime, id)
    if (run === undefined || !fits(run, place)) continue
    const asked = (await askedIn(place.runtime, run)).find((one) => one.kind === 'approval' && one.op === op)
    if (asked?.isOpen === true) yield asked
  }
  for await (const run of runsOf(place.runtime, { ...place.filter, statuses: openStatuses })) {
    if (!run.waitingFor.some(({ kind }) => kind === 'statement')) continue
    for (const asked of await askedIn(place.runtime, run)) if (asked.kind === 'statement') yield asked
  }
}

async function* openApprovals({ store, filter }: AskingPlace): AsyncGenerator<ApprovalRow> {
  let after: string | undefined
  do {
    const query = { status: 'open' as const, limit: pageSize, ...(after === undefined ? {} : { after }) }
    const page = await store.approvals(query)
    for (const row of page.items) if (filter.flow === undefined || row.flow === filter.flow) yield row
    after = page.next
  } while (after !== undefined)
}

function fits({ version }: RunRow, { filter }: AskingPlace): boolean {
  return filter.version === undefined || version === filter.version
}

// It may have been purged since it was listed.
async function rowOf(runtime: Runtime, id: string): Promise<RunRow | undefined> {
  try {
    return await runtime.run(id).row()
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
