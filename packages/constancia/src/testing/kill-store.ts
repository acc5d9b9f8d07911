import type { Append, Appended, ClaimAnswer, Created, CreateRun, Decide, Store } from '../store/index.js'
import type { DiaryWriter } from './kill-diary.js'
import type { PointKind } from './places.js'

/** What a store of a kill test tells. */
export interface KillStoreHooks {
  readonly diary: DiaryWriter
  /** The process comes to a place where it may be ended. */
  readonly pass: (place: PointKind) => void
  /** A journal has so many events now. */
  readonly grown: (run: string, eventCount: number) => void
  readonly claimed: () => void
}

/**
 * A store that writes down what it acknowledges, before whoever asked learns of it, and ends the process where it is told
 * to: before a call, or after the call was answered and before anybody knows.
 */
export function killStore(store: Store, hooks: KillStoreHooks): Store {
  const { pass } = hooks
  return {
    transactions: store.transactions,
    log: store.log,
    describe: () => store.describe(),
    create: (request) => create(store, hooks, request),
    append: (request) => append(store, hooks, request),
    decide: (request) => decide(store, hooks, request),
    record: (request) => store.record(request),
    suspend: async (request) => {
      pass('around a suspension')
      const done = await store.suspend(request)
      pass('around a suspension')
      return done
    },
    claim: async (request) => claimed(hooks, await store.claim(request)),
    read: (stream, range) => store.read(stream, range),
    renew: (claims, leaseMs) => store.renew(claims, leaseMs),
    release: (claim) => store.release(claim),
    run: (id) => store.run(id),
    runs: (query) => store.runs(query),
    approvals: (query) => store.approvals(query),
    outbox: (query) => store.outbox(query),
    purge: (request) => store.purge(request),
    announce: (note, forMs) => store.announce(note, forMs),
    depart: (id) => store.depart(id),
    workers: () => store.workers(),
    openRuns: () => store.openRuns(),
    rebuild: () => store.rebuild(),
    mark: () => store.mark(),
    pulse: () => store.pulse(),
    missing: (heads) => store.missing(heads),
    hold: (reason) => store.hold(reason),
    quarantine: (parking) => store.quarantine(parking),
    watch: (listener) => store.watch(listener),
    heartbeat: (options) => store.heartbeat(options),
    close: () => store.close(),
  }
}

async function create(store: Store, { pass, diary }: KillStoreHooks, request: CreateRun): Promise<Created> {
  const place = request.settles === undefined ? 'around the start' : 'around a dispatch'
  pass(place)
  const answer = await store.create(request)
  pass(place)
  if (answer.kind === 'created') diary.stored(answer.events.map(({ seq, hash }) => ({ run: request.run, seq, hash })))
  return answer
}

async function append(store: Store, { pass, diary, grown }: KillStoreHooks, request: Append): Promise<Appended> {
  const { run } = request.claim
  pass('before an append')
  const answer = await store.append(request)
  if (answer.kind === 'claim_lost' || answer.kind === 'run_ended') diary.refused(run, answer.kind)
  if (answer.kind !== 'appended') return answer
  pass('after an event is stored')
  diary.stored(answer.events.map(({ seq, hash }) => ({ run, seq, hash })))
  grown(run, (answer.events.at(-1)?.seq ?? -1) + 1)
  return answer
}

async function decide<T>(store: Store, { pass }: KillStoreHooks, request: Decide<T>): Promise<T> {
  const place = placeOf(request)
  pass(place)
  const answer = await store.decide(request)
  pass(place)
  return answer
}

function placeOf({ settles, delivery }: Decide<unknown>): PointKind {
  if (settles !== undefined) return 'around a dispatch'
  return delivery === undefined ? 'around a cancellation' : 'around a signal'
}

function claimed({ pass, claimed }: KillStoreHooks, answer: ClaimAnswer): ClaimAnswer {
  if (answer.claims.length === 0) return answer
  claimed()
  pass('around a claim')
  return answer
}
