import { type Clock, KnownCheckpoint, type StoreParts } from '../index.js'
import { type ApprovalTable, approvalTable } from './approvals.js'
import { ringer } from './bell.js'
import { type ClaimTable, claimTable } from './claim-table.js'
import { GroupCommit } from './commit.js'
import { type DueTable, dueTable } from './due.js'
import { Effects } from './effects.js'
import { type ErasureTable, erasureTable } from './erasure-table.js'
import { EventWriter } from './event-writer.js'
import { type EventTable, eventTable } from './events.js'
import { faultOf } from './faults.js'
import { fileIdentity } from './identity.js'
import { type InboxTable, inboxTable } from './inbox.js'
import { type LogTable, logTable } from './log-table.js'
import { type MarkTable, markTable } from './mark-table.js'
import type { Opened } from './open.js'
import { type OutboxTable, outboxTable } from './outbox.js'
import { type Patience, patiently } from './patience.js'
import { Presence } from './presence.js'
import { type PurgedTable, purgedTable } from './purged-table.js'
import { type QueueTable, queueTable } from './queue-table.js'
import { type RunningTable, runningTable } from './room.js'
import { type RunList, runList } from './run-list.js'
import { type RunTable, runTable } from './runs.js'
import { saltPool } from './salts.js'
import { StreamHeads } from './stream-heads.js'
import { Tips } from './tips.js'
import { clearTraces } from './traces.js'
import { Watchers } from './watch.js'
import { type WorkerTable, workerTable } from './workers.js'

/** What everything of one open store works with. */
export interface Session {
  readonly events: EventTable
  readonly writer: EventWriter
  readonly effects: Effects
  readonly runs: RunTable
  readonly list: RunList
  readonly tips: Tips
  readonly heads: StreamHeads
  readonly inbox: InboxTable
  readonly outbox: OutboxTable
  readonly approvals: ApprovalTable
  readonly purged: PurgedTable
  readonly erasure: ErasureTable
  /** Called after texts were erased: what the write-ahead file has of them goes. */
  readonly clearTraces: () => Promise<void>
  readonly marks: MarkTable
  readonly claims: ClaimTable
  readonly due: DueTable
  readonly queue: QueueTable
  readonly running: RunningTable
  readonly workers: WorkerTable
  /** Flows that somebody has claimed with a limit through this handle: a run of theirs that rests may make room for another. */
  readonly limitedFlows: Set<string>
  readonly clock: Clock
  readonly file: string
  /** Which file that was when it was opened. */
  readonly identity: string
  readonly presence: Presence
  /** Returns 16 fresh random bytes. */
  readonly salt: () => Uint8Array
  readonly log: LogTable
  readonly known: KnownCheckpoint
  readonly watchers: Watchers
  /** Does a change within the next transaction; see {@link GroupCommit.submit}. */
  readonly write: <T>(change: () => T) => Promise<T>
  /** Reads at once; only a lock of somebody else makes it wait. */
  readonly read: <T>(query: () => T) => Promise<T>
  readonly commit: GroupCommit
}

/** What a session stands on. */
export interface SessionParts {
  readonly opened: Opened
  readonly parts: StoreParts
  readonly patience: Patience
  readonly watchPollMs: number
  /** Called after each commit. */
  readonly afterCommit: () => void
}

/** Prepares every statement and begins the queue of changes. */
export function beginSession(given: SessionParts): Session {
  const { parts, patience } = given
  const { database, file } = given.opened
  const watchers = new Watchers({ database, file, clock: parts.clock, pollMs: given.watchPollMs, warn: parts.warn })
  const writer = new EventWriter(database)
  const runs = runTable(database, writer)
  const queue = queueTable(database)
  const tips = new Tips(database, runs)
  const heads = new StreamHeads(database)
  const ring = ringer(file)
  const committed = (): void => {
    watchers.tell()
    ring()
    given.afterCommit()
  }
  const rolledBack = (): void => {
    tips.forgetAll()
    heads.forgetAll()
    writer.forget()
  }
  const begun = (): void => {
    if (tips.begin()) heads.forgetAll()
  }
  const hooks = { begun, committing: () => writer.flush(), rolledBack, committed }
  const commit = new GroupCommit(database, patience, hooks)
  return {
    events: eventTable(database, writer),
    writer,
    effects: new Effects(database, writer),
    runs,
    list: runList(database),
    tips,
    heads,
    inbox: inboxTable(database),
    outbox: outboxTable(database),
    approvals: approvalTable(database),
    purged: purgedTable(database),
    erasure: erasureTable(database),
    clearTraces: () => clearTraces({ database, patience, warn: parts.warn }),
    marks: markTable(database),
    claims: claimTable(database, writer),
    due: dueTable(database, writer, queue),
    queue,
    running: runningTable(database),
    workers: workerTable(database),
    limitedFlows: new Set(),
    clock: parts.clock,
    file,
    identity: fileIdentity(file) ?? '',
    presence: new Presence(given.opened.file, parts.randomBytes),
    salt: saltPool(parts.randomBytes),
    log: logTable(database),
    known: new KnownCheckpoint(),
    watchers,
    commit,
    write: (change) => commit.submit(change),
    read: (query) => readThrough(commit, patience, query),
  }
}

async function readThrough<T>(commit: GroupCommit, patience: Patience, query: () => T): Promise<T> {
  return patiently(patience, () => {
    commit.checkAlive()
    try {
      return query()
    } catch (error) {
      const fault = faultOf(error, patience.file)
      if (fault.kind === 'final') commit.fail(fault.error)
      throw error
    }
  })
}
