import { assert } from '../../journal/index.js'
import type { Answer, Connection, Lent } from './driver.js'
import { faultOf } from './faults.js'
import type { Session } from './session.js'

// Whatever is set is set for this transaction alone: behind a pooler the session is somebody else's next.
// A transaction whose client is gone is ended by the server, so that nobody waits for its locks for long.
const usualIdleMsMax = 15_000
const lockMsMax = 10_000

/** A transaction under way. */
export interface Transaction extends Connection {
  /** Commits, together with the last statement of it, which was sent and is not waited for. Resolves with that one's answer. */
  commit<T>(last: Promise<T>): Promise<T>
  /** Sends a statement of somebody else; see {@link Lent.ask}. */
  ask(sql: string, values: readonly unknown[]): Promise<Answer>
  /** Ends the connection with the transaction, because something may still be under way on it. */
  breakOff(): void
}

/** How long a transaction may be idle, milliseconds; 15,000 unless set. */
export interface TransactionOptions {
  readonly idleMsMax?: number
}

/**
 * Does something in a transaction, which is rolled back unless it commits. Rejects with the driver's error; after a commit
 * that failed for the line nobody knows whether it is stored.
 */
export async function inTransaction<T>(
  session: Session,
  body: (on: Transaction) => Promise<T>,
  { idleMsMax = usualIdleMsMax }: TransactionOptions = {},
): Promise<T> {
  const lent = await session.connections.lend()
  let isOpen = true
  const { waitMsMax, answerMsMax } = session.patience
  const lockMs = Math.ceil(Math.min(lockMsMax, waitMsMax, answerMsMax / 2))
  const begun = lent.query(
    `BEGIN ISOLATION LEVEL read committed; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMsMax}`,
  )
  begun.catch(() => undefined)
  let isCommitSent = false
  let isBroken = false
  const transaction: Transaction = {
    query: async (sql, values) => {
      assert(!isCommitSent, 'a statement of a transaction was to be sent after its COMMIT')
      return lent.query(sql, values)
    },
    commit: async (last) => {
      isCommitSent = true
      last.catch(() => undefined)
      const committed = lent.query('COMMIT')
      committed.catch(() => undefined)
      await begun
      // After a statement that failed, COMMIT rolls back; it says so by no error.
      const answer = await last.finally(() => {
        isOpen = false
      })
      await committed
      return answer
    },
    ask: async (sql, values) => {
      assert(!isCommitSent, 'a statement of an effect was to be sent after its COMMIT')
      return lent.ask(sql, values)
    },
    breakOff: () => {
      isBroken = true
    },
  }
  try {
    const result = await body(transaction)
    await end(lent, isOpen)
    return result
  } catch (error) {
    await abandon(lent, isBroken || faultOf(error, session.patience.place).kind === 'away')
    throw error
  }
}

async function end(lent: Lent, isOpen: boolean): Promise<void> {
  if (isOpen) await lent.query('ROLLBACK')
  lent.giveBack(false)
}

// Also where it is over already: then a rollback does nothing. A line on which the server was away may lead to one that does not
// write any more; the server rolls back by itself once that line is gone.
async function abandon(lent: Lent, isOfNoUse: boolean): Promise<void> {
  if (isOfNoUse) return lent.giveBack(true)
  try {
    await lent.query('ROLLBACK')
    lent.giveBack(false)
  } catch {
    lent.giveBack(true)
  }
}
