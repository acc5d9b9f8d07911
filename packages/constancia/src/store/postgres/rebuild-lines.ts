import {
  type ApprovalChange,
  endDelivery,
  isDispatched,
  type OutboxEntry,
  type RunFold,
  type RunId,
} from '../../journal/index.js'

/** What the journals tell, all of them together. */
export interface Known {
  readonly runs: Map<RunId, KnownRun>
  /** Runs whose journals were deleted. */
  readonly purged: Set<RunId>
  /** `<root> <delivery>`. */
  readonly inbox: Set<string>
  /** What runs had to tell each other, done or not. */
  readonly said: Said[]
  /** What events did to approvals, and to those of which stream. */
  readonly approvals: { readonly no: number; readonly changes: readonly ApprovalChange[] }[]
  eventCount: number
}

/** A run as its journal tells, and what no event tells. */
export interface KnownRun {
  readonly no: number
  readonly fold: RunFold
  readonly epoch: number
  readonly readSignalCount: number
  readonly lostLeaseCount: number
  /** What is said of it, where it was parked. */
  readonly parked: string | undefined
}

/** Something that a run had to tell another. */
export interface Said {
  readonly no: number
  readonly atMs: number
  readonly entry: OutboxEntry
  /** Of a child: whose it is. */
  readonly parent: RunFold['parent']
}

/** The last run of a line, by its root; also where runs of it were purged. Undefined for what is no root, or goes on as nobody. */
export function latestOf({ runs, purged }: Known, { id, root }: RunFold): RunId | undefined {
  if (id !== root) return undefined
  let latest: RunId | undefined
  for (let place = 1; ; place++) {
    const next = `${root}~r${place}` as RunId
    const isOfLine = runs.get(next)?.fold.root === root || purged.has(next)
    if (!isOfLine) return latest
    latest = next
  }
}

/** Whether what a run had to tell another was done, as the other one's journal shows. */
export function isDone(known: Known, { entry: { kind, target }, parent }: Said): boolean {
  const fold = known.runs.get(target)?.fold
  const last = fold && (latestOf(known, fold) ?? target)
  return isDispatched(kind, {
    isKnown: fold !== undefined || known.purged.has(target),
    fold,
    latest: last && known.runs.get(last)?.fold,
    knowsEnd: parent === undefined || (fold !== undefined && known.inbox.has(`${fold.root} ${endDelivery(parent)}`)),
  })
}
