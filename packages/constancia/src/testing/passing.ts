import type { Store } from '../store/index.js'

/** Makes a call of the store in one life. */
export type CallAlive = <T>(call: () => Promise<T>) => Promise<T>

/** What a life asks of its store that nothing hangs on: it only takes place while the life goes on. */
export function passing(store: Store, alive: CallAlive) {
  return {
    record: (request) => alive(() => store.record(request)),
    read: (stream, range) => alive(() => store.read(stream, range)),
    renew: (claims, leaseMs) => alive(() => store.renew(claims, leaseMs)),
    release: (claim) => alive(() => store.release(claim)),
    run: (id) => alive(() => store.run(id)),
    runs: (query) => alive(() => store.runs(query)),
    approvals: (query) => alive(() => store.approvals(query)),
    purge: (request) => alive(() => store.purge(request)),
    workers: () => alive(() => store.workers()),
    openRuns: () => alive(() => store.openRuns()),
    rebuild: () => alive(() => store.rebuild()),
    mark: () => alive(() => store.mark()),
    pulse: () => alive(() => store.pulse()),
    missing: (heads) => alive(() => store.missing(heads)),
    hold: (reason) => alive(() => store.hold(reason)),
    quarantine: (parking) => alive(() => store.quarantine(parking)),
  } satisfies Partial<Store>
}
