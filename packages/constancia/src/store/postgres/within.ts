import { assert, emptyHead } from '../../journal/index.js'
import type { Append, Appended } from '../index.js'
import { EffectFault, haveEffect } from './effect.js'
import { faultOf } from './faults.js'
import type { AppendedWithin, WithinJob } from './job.js'
import { appendedOf, foldFound, isOver, type Refused, workOf } from './journals.js'
import { bytesOf } from './literals.js'
import { Wait } from './patience.js'
import { storedOf } from './read-back.js'
import { recordsOf } from './runs.js'
import type { Session } from './session.js'
import { inTransaction, type Transaction } from './transaction.js'
import type { Work } from './work.js'
import { write } from './write.js'

// Whoever has an effect may think between two statements; it says itself how long it may take.
const idleMsMax = 60_000

/**
 * Does something beside an append, in a transaction of its own: looks whether the append fits, without locking anything, does it, and
 * writes the events, which says under its locks whether they still fit. Locks of ours are held for that write alone: what is done may take long,
 * and leases, decisions and whoever changes the law must not wait for it. A transaction that the server gave up is made again; one whose
 * commit nobody heard of is looked for first.
 */
export async function writeWithin(session: Session, jobs: readonly WithinJob[]): Promise<void> {
  for (const { request, resolve } of jobs) resolve((await settle(session, request)) as never)
}

type Request = WithinJob['request']

async function settle(session: Session, request: Request): Promise<AppendedWithin> {
  const wait = new Wait(session.patience)
  for (;;) {
    let sent: Work | undefined
    try {
      const send = (work: Work): void => {
        sent = work
      }
      const done = await inTransaction(session, (on) => attempt({ session, on }, request, send), { idleMsMax })
      session.patience.report(false)
      return done
    } catch (error) {
      if (error instanceof Undone) return { kind: 'undone', error: error.cause }
      const spent = await bear(wait, error)
      if (spent !== undefined) return { kind: 'undone', error: spent.error }
      if (sent !== undefined && (await isStored(session, wait, sent))) return finish(session, request, sent)
    }
  }
}

// Whoever locks rows that an effect wants for longer than anybody waits makes that effect fail, and not the store.
async function bear(wait: Wait, error: unknown): Promise<{ readonly error: unknown } | undefined> {
  const cause = error instanceof EffectFault ? error.cause : error
  try {
    await wait.bear(cause)
    return undefined
  } catch (fault) {
    if (error instanceof EffectFault && faultOf(cause, '').kind === 'passing') return { error: cause }
    throw fault
  }
}

interface Ground {
  readonly session: Session
  readonly on: Transaction
}

/** What was to be done failed, so that its transaction is rolled back. */
class Undone extends Error {
  constructor(cause: unknown) {
    super('An effect failed.', { cause })
  }
}

async function attempt(ground: Ground, request: Request, send: (work: Work) => void): Promise<Appended> {
  const { session, on } = ground
  const { claim, within, drafts } = request
  const [records, isMoved] = await Promise.all([recordsOf(session, on, [claim.run]), hasMoved(ground, request.basis)])
  const fold = foldFound(request, records.get(claim.run))
  if ('kind' in fold) return refused(session, request, fold)
  if (isMoved || isOver(session, request.basis)) return { kind: 'basis_moved' }
  const result = await haveEffect(on, within)
  if ('error' in result) throw new Undone(result.error)
  const work = workOf(session, { ...request, drafts: [...drafts, ...within.outcome(result)] }, fold)
  const unfit = await write(session, on, [work])
  if (unfit.size > 0) return appendedOf(session, { run: claim.run, unfit: unfit.get(0), added: undefined })
  send(work)
  await on.commit(Promise.resolve())
  return finish(session, request, work)
}

function refused(session: Session, { claim }: Request, answer: Refused): Refused {
  session.tips.forget(claim.run)
  return answer
}

function finish(session: Session, { claim: { run } }: Request, work: Work): Appended {
  const { change, touched } = work
  assert(change?.added !== undefined, `what was done beside an append of run ${run} is told by no event`)
  session.watchers.tell(touched)
  return appendedOf(session, { run, unfit: undefined, added: change.added })
}

const lastOf = `
  SELECT e.seq, e.hash = $2 AS is_same FROM {schema}.events AS e
  WHERE e.stream = (SELECT s.no FROM {schema}.streams AS s WHERE s.name = $1) ORDER BY e.seq DESC LIMIT 1`

async function hasMoved({ session, on }: Ground, basis: Append['basis']): Promise<boolean> {
  if (basis === undefined) return false
  const { stream, head } = basis
  const [last] = await on.query(session.sql(lastOf), [stream, bytesOf(head.hash)])
  if (last === undefined) return head.seq !== -1 || head.hash !== emptyHead(stream).hash
  return last['seq'] !== head.seq || last['is_same'] !== true
}

async function isStored(session: Session, wait: Wait, work: Work): Promise<boolean> {
  for (;;) {
    try {
      return (await storedOf(session, [work])).has(0)
    } catch (error) {
      await wait.bear(error)
    }
  }
}
