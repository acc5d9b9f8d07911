import type { RunId } from '../../journal/index.js'
import { decideTogether } from './decide-lane.js'
import type { DecideJob, Job, JobQueue, WriteJob } from './job.js'
import { closedError } from './patience.js'
import type { Session } from './session.js'
import { writeTogether, writeWhole } from './write-lane.js'

type LaneName = Job['lane']

// So many go into one transaction at most: its answer must not take long.
const countsMax: Readonly<Record<LaneName, number>> = { write: 512, decide: 64, whole: 1 }
const laneNames: readonly LaneName[] = ['write', 'decide', 'whole']

/**
 * Group commit. What is asked for in one turn of the event loop, or while a commit is under way, gathers and goes together in
 * the next transaction of its lane; each fits or does not alone. Lanes have connections of their own and go on side by side, but
 * what concerns one run is done in the order in which it was asked for.
 */
export class GroupCommit implements JobQueue {
  readonly #session: Session
  readonly #busyLanes = new Set<LaneName>()
  readonly #busyRuns = new Set<RunId>()
  #queue: Job[] = []
  #isArmed = false
  #isClosed = false
  #onIdle: (() => void) | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** Does a job within a next transaction. */
  submit<J extends Job>(job: Omit<J, 'resolve' | 'reject'>): Promise<never> {
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...job, resolve, reject } as unknown as Job)
      this.#arm()
    })
  }

  /** Nothing is accepted any more; resolves when what was accepted before is decided. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#isIdle) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && this.#busyLanes.size === 0
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#isArmed = false
    for (const [lane, jobs] of this.#pick()) {
      if (jobs.length > 0) void this.#run(lane, jobs)
    }
    if (this.#isIdle) this.#onIdle?.()
  }

  // Takes for each idle lane the jobs whose runs nobody is busy with, and leaves the rest in its order.
  #pick(): Map<LaneName, Job[]> {
    const picked = new Map<LaneName, Job[]>(laneNames.map((lane) => [lane, []]))
    const blocked = new Set(this.#busyRuns)
    const left: Job[] = []
    for (const job of this.#queue) {
      const lane = picked.get(job.lane) ?? []
      const isFree = !this.#busyLanes.has(job.lane) && lane.length < countsMax[job.lane]
      if (isFree && job.runs.every((run) => !blocked.has(run))) lane.push(job)
      else left.push(job)
      for (const run of job.runs) blocked.add(run)
    }
    this.#queue = left
    return picked
  }

  async #run(lane: LaneName, jobs: readonly Job[]): Promise<void> {
    this.#busyLanes.add(lane)
    for (const run of jobs.flatMap((job) => job.runs)) this.#busyRuns.add(run)
    try {
      await runLane[lane](this.#session, jobs)
    } catch (error) {
      for (const { reject } of jobs) reject(error)
    }
    this.#busyLanes.delete(lane)
    for (const run of jobs.flatMap((job) => job.runs)) this.#busyRuns.delete(run)
    this.#arm()
  }
}

const runLane: Readonly<Record<LaneName, (session: Session, jobs: readonly Job[]) => Promise<void>>> = {
  write: (session, jobs) => writeTogether(session, jobs as readonly WriteJob[]),
  whole: (session, jobs) => writeWhole(session, jobs as readonly WriteJob[]),
  decide: (session, jobs) => decideTogether(session, jobs as readonly DecideJob[]),
}
