import { misused, type PostgresTransaction, requireStatement, type Within, type WithinResult } from '../index.js'
import { sqlStateOf } from './driver.js'
import { faultOf } from './faults.js'
import type { Transaction } from './transaction.js'

/** An effect failed in a way that is the database's affair: its transaction is of no more use, and is tried again. */
export class EffectFault extends Error {
  constructor(cause: unknown) {
    super('A statement of an effect met a fault of the database.', { cause })
  }
}

/**
 * Has an effect within a transaction, before the events that record it are written. Where it failed the transaction is to be rolled back.
 * Throws {@link EffectFault}.
 */
export async function haveEffect(on: Transaction, within: Within): Promise<WithinResult> {
  const own = new OwnTransaction(on)
  const result = await call(within, own.face)
  own.close()
  if ('error' in result) own.breakOff()
  else await own.settle()
  const { failure } = own
  if (failure !== undefined && isOfTheDatabase(failure.error)) throw new EffectFault(failure.error)
  if ('error' in result) return result
  // A statement that failed has failed its transaction, whatever was made of its error.
  return failure ?? check(on, result)
}

async function call(within: Within, tx: PostgresTransaction): Promise<WithinResult> {
  try {
    return { value: await within.run(tx) }
  } catch (error) {
    return { error }
  }
}

// Rules that are deferred would otherwise be looked at by COMMIT alone.
async function check(on: Transaction, result: WithinResult): Promise<WithinResult> {
  try {
    await on.query('SET CONSTRAINTS ALL IMMEDIATE')
    return result
  } catch (error) {
    if (isOfTheDatabase(error)) throw new EffectFault(error)
    return { error }
  }
}

// The server gave up on it for others' sake, went away, or has no room. Whatever else a statement fails with is the affair of whoever
// wrote it; so is one that was cancelled because it took too long.
function isOfTheDatabase(error: unknown): boolean {
  const state = sqlStateOf(error)
  const { kind } = faultOf(error, '')
  return (kind === 'passing' || kind === 'away' || state === '53100') && state !== '57014'
}

/** The connection as an effect sees it. */
class OwnTransaction {
  readonly face: PostgresTransaction
  readonly #on: Transaction
  readonly #underway = new Set<Promise<unknown>>()
  #failure: { readonly error: unknown } | undefined
  #isOpen = true

  constructor(on: Transaction) {
    this.#on = on
    this.face = { query: (text, values = []) => this.#query(text, values) as never }
  }

  /** The first error of a statement that reached the server. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  close(): void {
    this.#isOpen = false
  }

  /** Resolves once every statement that was sent is answered. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#underway)
  }

  /** Waits for no statement that is still under way. */
  breakOff(): void {
    if (this.#underway.size > 0) this.#on.breakOff()
  }

  async #query(text: string, values: readonly unknown[]): Promise<unknown> {
    if (!this.#isOpen) throw misused('The transaction is over.')
    requireStatement(text, 'postgres')
    const asked = this.#on.ask(text, values)
    this.#underway.add(asked)
    try {
      return await asked
    } catch (error) {
      this.#failure ??= { error }
      throw error
    } finally {
      this.#underway.delete(asked)
    }
  }
}
