import { Attempt, type Host, type Ruling } from '../engine/index.js'
import { type Draft, decodeValue, encodeValue } from '../journal/index.js'
import { isPromise, type Store, type Within } from '../store/index.js'
import { draftAfter, failed } from './attempts.js'
import type { AnyAction } from './contract/action.js'
import type { Contract } from './contract/contract.js'
import { governanceError } from './errors.js'
import { type About, draftOf } from './kinds.js'

/** An effect in our own database that was authorised. */
export interface Transacted {
  readonly host: Host
  readonly store: Store
  readonly action: AnyAction
  readonly about: About
  readonly attempt: number
  /** The exact text of its input. */
  readonly inputText: string
  /** The verdict that lets it happen. */
  readonly authorized: Draft
}

// An answer of the database is not waited for much longer than twice that.
const usualTimeoutMs = 10_000

/**
 * The verdict, the effect and what came of it: all of it is one transaction. Where the effect fails, what it wrote is undone, and the
 * verdict and the failure are stored.
 */
export function transactedRuling(given: Transacted): Ruling {
  const { host, store, action, about, attempt, authorized } = given
  const { effect } = action
  if (effect.protocol !== 'transactional') throw new TypeError(`The effect of ${action.name} is in no transaction.`)
  const fault = (error: unknown, reason: string): Draft => failed({ about, attempt, error, action }, reason, host)
  const misplaced = misplacedError(action, store)
  if (misplaced !== undefined) return [authorized, fault(misplaced, 'refused')]
  const outcome: Within['outcome'] = (result) => {
    if ('value' in result) return [draftOf('ActionCompleted', { ...about, attempt }, result.value as string)]
    const { error } = result
    if (error instanceof UnkeptResult) return [fault(error.cause, 'result_not_kept')]
    return [draftAfter({ about, attempt, result, wasSent: false }, action, host)]
  }
  return { drafts: [authorized], within: { database: effect.database, run: (tx) => execute(given, tx), outcome } }
}

// What is returned is the exact text of the output, so that an output which cannot be kept undoes the effect.
function execute({ host, action, about, attempt, inputText }: Transacted, tx: unknown): unknown {
  const made = new Attempt(`${host.runId}/${about.op}`, attempt, host.claim)
  made.outlivesCancel = true
  const encode = (value: unknown): string => {
    try {
      return encodeValue(value, { limits: host.parts.limits, what: `output of action ${JSON.stringify(action.name)}` })
    } catch (error) {
      throw new UnkeptResult(error)
    }
  }
  const value: unknown = action.run(decodeValue(inputText), Object.assign(made, { tx }) as never)
  if (!isPromise(value)) return encode(value)
  // In SQLite nobody waits for it: the store says so.
  const isAwaited = action.effect.protocol === 'transactional' && action.effect.database === 'postgres'
  return isAwaited ? inTime(host, made, { value, timeoutMs: action.timeoutMs ?? usualTimeoutMs }).then(encode) : value
}

interface Awaited {
  readonly value: PromiseLike<unknown>
  readonly timeoutMs: number
}

// Whatever else wants the rows that it has written waits for it.
function inTime(host: Host, made: Attempt, { value, timeoutMs }: Awaited): Promise<unknown> {
  host.began(made)
  const late = new Promise<never>((_, reject) => {
    made.disarm = host.parts.clock.after(timeoutMs, () => {
      const error = new Error(`It took longer than ${timeoutMs} ms; what it wrote was undone.`)
      made.abort(error)
      reject(error)
    })
  })
  return Promise.race([value, late]).finally(() => {
    made.disarm()
    host.ended(made)
  })
}

/** An output that cannot be kept. */
class UnkeptResult extends Error {
  constructor(cause: unknown) {
    super('What an effect returned cannot be kept.', { cause })
  }
}

/** Throws `effect_unsupported` where an action of a contract has its effect in another database than this store's. */
export function requireDatabase({ actions }: Contract, store: Store): void {
  for (const action of actions.values()) {
    const error = misplacedError(action, store)
    if (error !== undefined) throw error
  }
}

const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

function misplacedError({ name, effect }: AnyAction, store: Store): Error | undefined {
  if (effect.protocol !== 'transactional' || effect.database === store.transactions) return undefined
  const { database } = effect
  return governanceError(
    'effect_unsupported',
    `Action ${name} has its effect in the database of the store, which has to be ${names[database]}, and this store is ${store.describe()}. ` +
      `Nothing was executed; use the store of constancia/${database}, or declare what this action's destination is.`,
  )
}
