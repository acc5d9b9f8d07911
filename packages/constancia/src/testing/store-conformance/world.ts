import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import {
  type Bodies,
  type Draft,
  draftOf,
  type Head,
  headOf,
  nothingSeen,
  type OpId,
  type OutboxEntry,
  parseRunId,
  type RunId,
  runStream,
  type StoredEvent,
  type StreamId,
} from '../../journal/index.js'
import type {
  Append,
  Appended,
  Claim,
  ClaimRef,
  Created,
  CreateRun,
  Decide,
  Decision,
  Facts,
  OutboxRef,
  RunRow,
  Store,
} from '../../store/index.js'
import type { StoreUnderTest } from './given.js'

/** One case: a sentence and what proves it. */
export type Cases = Readonly<Record<string, (world: World) => Promise<void>>>

/** Leases of the suite, in milliseconds of the store's clock. */
export const leaseMs = 300

/** A run whose lease ran out so often is set aside, unless a case says otherwise. */
export const lostLeaseCountMax = 5

/** Reads an id of the suite. */
export function idOf(text: string): RunId {
  return parseRunId(text)
}

/** The event that starts a run of a flow. */
export function started(flow = 'invoice', version = 1): Draft {
  return startedAs({ flow, version })
}

/** The event that starts a run that is a child, takes over from another, or has a key. */
export function startedAs(body: Partial<Bodies['FlowStarted']>): Draft {
  const plain = { flow: 'invoice', version: 1, actor: 'ann', contract: null, patches: [] }
  return draftOf('FlowStarted', { ...plain, ...body }, '{"input":1}')
}

/** The event that starts the child of an op. */
export function startedChild(op: string, child: string): Draft {
  const body = { op: op as OpId, flow: 'invoice', version: 1, child: idOf(child), patches: [] }
  return draftOf('ChildStarted', body, '{"input":2}')
}

/** The event that asks the child of an op to end. */
export function cancelledChild(op: string, child: string): Draft {
  return draftOf('ChildCancelRequested', { op: op as OpId, child: idOf(child) })
}

/** The event that says that the child of an op has ended. */
export function endedChild(op: string): Draft {
  return draftOf('ChildEnded', { op: op as OpId, outcome: 'completed' }, '"done"')
}

/** Whose child a run is, as its first event says. */
export function parentOf(run: string, op: string): { readonly run: RunId; readonly op: OpId } {
  return { run: idOf(run), op: op as OpId }
}

/** The event that ends a run which goes on as another one. */
export function continued(next: string): Draft {
  return draftOf('FlowContinued', { next: idOf(next) })
}

/** A run that takes over from another one. */
export function successorOf(continues: string, run: string, more: readonly Draft[] = []): CreateRun {
  const drafts = [startedAs({ continues: idOf(continues) }), ...more]
  return { run: idOf(run), drafts, by: 'system:continue', seen: nothingSeen }
}

/** The event of a step that is done, with this result. */
export function stepped(op: string, data = '{"ok":true}'): Draft {
  return { kind: 'StepCompleted', body: JSON.stringify({ op, name: 'charge', attempt: 1 }), data }
}

/** A signal that was delivered. */
export function signalled(delivery: string): Draft {
  return draftOf('SignalReceived', { name: 'paid', delivery }, '{"cents":100}')
}

/** The event that ends a run well. */
export const completed: Draft = draftOf('FlowCompleted', {}, '"done"')

/** How a decision reaches the store. */
export interface Delivery {
  readonly delivery?: string
  readonly settles?: OutboxRef
  readonly basis?: StreamId
  readonly known?: NonNullable<Decide<unknown>['known']>
  readonly store?: Store
}

/** A store under test, with the words that the cases are told in. */
export class World {
  readonly given: StoreUnderTest
  readonly store: Store

  constructor(given: StoreUnderTest) {
    this.given = given
    this.store = given.store
  }

  /** Creates a run that is ready. */
  async create(run: string, drafts: readonly Draft[] = [started()], store = this.store): Promise<Created> {
    return store.create({ run: idOf(run), drafts, by: 'system:test', seen: nothingSeen })
  }

  /** Claims at most so many runs of the flow. */
  async claim(limit = 1, store = this.store, flow = 'invoice'): Promise<readonly Claim[]> {
    const flows = [{ flow, version: 1 }]
    const { claims } = await store.claim({ worker: 'w1', flows, limit, leaseMs, lostLeaseCountMax })
    return claims
  }

  /** Claims the one run that is due. */
  async claimOne(store = this.store): Promise<Claim> {
    const claims = await this.claim(1, store)
    const [claim] = claims
    ok(claim !== undefined, 'a run was to be due')
    return claim
  }

  /** Creates a run and claims it. */
  async owned(run: string): Promise<Claim> {
    await this.create(run)
    return this.claimOne()
  }

  /** An append of a claim's owner at the head that the claim names, unless told otherwise. */
  append(claim: Claim, drafts: readonly Draft[], change: Partial<Append> & { store?: Store } = {}): Promise<Appended> {
    const { store = this.store, ...rest } = change
    return store.append({ claim, head: claim.head, drafts, seen: nothingSeen, readSignalCount: 0, ...rest })
  }

  /** The same, and it must succeed; returns the events. */
  async appended(claim: Claim, drafts: readonly Draft[], head: Head = claim.head): Promise<readonly StoredEvent[]> {
    const outcome = await this.append(claim, drafts, { head })
    ok(outcome.kind === 'appended', `the append was to succeed, but: ${outcome.kind}`)
    return outcome.events
  }

  /** Lets the outside add what a function decides. */
  decide<T>(run: string, decide: (facts: Facts) => Decision<T>, how: Delivery = {}): Promise<T> {
    const { store = this.store, delivery, ...more } = how
    return store.decide({ run: idOf(run), delivery, by: 'principal:bob', seen: nothingSeen, decide, ...more })
  }

  /** Delivers a signal once; returns what the decision was told. */
  signal(run: string, delivery: string, store = this.store): Promise<Facts> {
    const drafts = [signalled(delivery)]
    return this.decide(run, (facts) => ({ drafts, result: facts }), { delivery, store })
  }

  /** Lays a claimed run to rest until a moment, or until something comes. */
  suspend(claim: Claim, wakeAtMs: number | undefined, head: Head = claim.head): Promise<boolean> {
    return this.store.suspend({
      claim,
      head,
      readSignalCount: 0,
      rest: { kind: 'waiting', wakeAtMs, waitingFor: [{ kind: 'signal', op: '1', name: 'paid' }] },
    })
  }

  /** The row of a run that must exist. */
  async row(run: string, store = this.store): Promise<RunRow> {
    const row = await store.run(idOf(run))
    ok(row !== undefined, `run ${run} was to exist`)
    return row
  }

  /** Ends a claimed run that goes on as another one. */
  async goOn(claim: Claim, successor: CreateRun, head: Head = claim.head): Promise<void> {
    const outcome = await this.append(claim, [continued(successor.run)], { head, successor })
    ok(outcome.kind === 'appended', `the run was to go on, but: ${outcome.kind}`)
  }

  /** Takes an entry off the outbox, and does nothing else. */
  async settle(settles: OutboxRef): Promise<void> {
    await this.decide('nobody', () => ({ drafts: [], result: 0 }), { settles })
  }

  /** The first page of the outbox. */
  async outbox(store = this.store): Promise<readonly OutboxEntry[]> {
    return (await store.outbox({})).items
  }

  /** Asserts that the outbox holds these and no others: run, number of the event, kind, target. */
  async expectOutbox(entries: readonly (readonly [string, number, string, string])[]): Promise<void> {
    const found = (await this.outbox()).map(({ run, seq, kind, target }) => [run, seq, kind, target])
    deepStrictEqual(found, entries)
  }

  /** The whole journal of a run. */
  read(run: string, store = this.store): Promise<StoredEvent[]> {
    return store.read(runStream(idOf(run)))
  }

  /** Asserts that a run's journal has these kinds, and no others. */
  async expectKinds(run: string, kinds: readonly string[]): Promise<void> {
    const events = await this.read(run)
    deepStrictEqual(
      events.map((event) => event.kind),
      kinds,
    )
  }
}

/** The head after the last of these events. */
export function headAfter(events: readonly StoredEvent[]): Head {
  const last = events.at(-1)
  ok(last !== undefined, 'there were to be events')
  return headOf(last)
}

/** Names an entry of the outbox by its event. */
export function entryOf(run: string, seq: number): OutboxRef {
  return { run: idOf(run), seq }
}

/** A claim that was never given. */
export function forged(claim: ClaimRef, change: Partial<ClaimRef>): ClaimRef {
  return { run: claim.run, id: claim.id, epoch: claim.epoch, ...change }
}

/** Asserts that a promise rejects with a code. */
export async function rejectsWith(code: string, promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'nothing',
    (error: { code?: unknown }) => error.code,
  )
  strictEqual(outcome, code)
}
