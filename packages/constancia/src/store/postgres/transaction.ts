import { assert } from '../../journal/index.js'
import type { Connection, Lent } from './driver.js'
import type { Session } from './session.js'

// Whatever is set is set for this transaction alone: behind a pooler the session is somebody else's next.
// A transaction whose client is gone is ended by the server, so that nobody waits for its locks for long.
const idleMsMax = 15_000
const lockMsMax = 10_000

/** A transaction under way. */
export interface Transaction extends Connection {
  /** Commits, together with the last statement of it, which was sent and is not waited for. Resolves with that one's answer. */
  commit<T>(last: Promise<T>): Promise<T>
}

/**
 * Does something in a transaction, which is rolled back unless it commits. Rejects with the driver's error; after a commit
 * that failed for the line nobody knows whether it is stored.
 */
export async function inTransaction<T>(session: Session, body: (on: Transaction) => Promise<T>): Promise<T> {
  const lent = await session.connections.lend()
  let isOpen = true
  const lockMs = Math.round(Math.min(lockMsMax, session.patience.waitMsMax))
  const begun = lent.query(
    `BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMsMax}`,
  )
  begun.catch(() => undefined)
  let isCommitSent = false
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
  }
  try {
    const result = await body(transaction)
    await end(lent, isOpen)
    return result
  } catch (error) {
    await abandon(lent)
    throw error
  }
}

async function end(lent: Lent, isOpen: boolean): Promise<void> {
  if (isOpen) await lent.query('ROLLBACK')
  lent.giveBack(false)
}

// Also where it is over already: then this does nothing, and where the line is broken it fails.
async function abandon(lent: Lent): Promise<void> {
  try {
    await lent.query('ROLLBACK')
    lent.giveBack(false)
  } catch {
    lent.giveBack(true)
  }
}
