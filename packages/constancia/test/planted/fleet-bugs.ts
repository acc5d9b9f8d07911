import type { PlantedBug } from './workbench.js'

const fleet = (name: string) => ({ file: 'constancia/test/engine/fleet.test.ts', name })

/** Bugs of a fleet: what operators see, and how workers leave. */
export const fleetBugs: readonly PlantedBug[] = [
  {
    breaks: 'a worker announces itself whenever it looks for runs',
    file: 'constancia/src/engine/announcer.ts',
    find: 'this.#nextMs = parts.clock.monotonic() + this.#everyMs',
    replace: 'this.#nextMs = parts.clock.monotonic()',
    noticedBy: fleet('on memory a worker announces itself once'),
  },
  {
    breaks: 'a worker that drains counts as one that claims, so nobody is told of runs that it leaves behind',
    file: 'constancia/src/engine/fleet.ts',
    find: "state === 'working' ? (announced?.flows ?? [])",
    replace: "state === 'working' || state === 'draining' ? (announced?.flows ?? [])",
    noticedBy: fleet('a fleet has nobody'),
  },
  {
    breaks: 'draining says that a run was given back although the store did not answer',
    file: 'constancia/src/engine/worker.ts',
    find: 'this.#drained.notGivenBack.push(claim.run)',
    replace: 'this.#drained.givenBack.push(claim.run)',
    noticedBy: fleet('on memory R-C5 draining tells'),
  },
  {
    breaks: 'SQLite says of a claim without a holder who held the run before',
    file: 'constancia/src/store/sqlite/claim-table.ts',
    find: 'held_epoch = epoch + 1, held_by = ?, held_since = ?',
    replace: 'held_epoch = epoch + 1, held_by = coalesce(?, held_by), held_since = ?',
    noticedBy: {
      file: 'constancia/test/store/conformance.test.ts',
      name: 'SQLite store conforms: .*who holds a run since when',
    },
  },
]
