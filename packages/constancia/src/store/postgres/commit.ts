import type { RunId } from '../../journal/index.js'
import { decideTogether } from './decide-lane.js'
import type { DecideJob, Job, JobQueue, JobRequest, WithinJob, WriteJob } from './job.js'
import { closedError } from './patience.js'
import type { Session } from './session.js'
import { writeWithin } from './within.js'
import { writeTogether, writeWhole } from './write-lane.js'

type LaneName = Job['lane']

// So many go into one transaction at most: its answer must not take long.
const countsMax: Readonly<Record<LaneName, number>> = { write: 512, decide: 64, whole: 1, within: 1 }
const laneNames: readonly LaneName[] = ['write', 'decide', 'whole', 'within']
// Fewer than so many are not worth two transactions.
const splitCountMin = 64

/**
 * Group commit. What is asked for in one turn of the event loop, or while a commit is under way, gathers and goes together in
 * the next transaction of its lane; each fits or does not alone. Lanes have connections of their own and go on side by side, but
 * what concerns one run is done in the order in which it was asked for.
 */
export class GroupCommit implements JobQueue {
  readonly #session: Session
  readonly #underwayCounts: Record<LaneName, number> = { write: 0, decide: 0, whole: 0, within: 0 }
  readonly #atOnceMax: Readonly<Record<LaneName, number>>
  readonly #busyRuns = new Set<RunId>()
  #queue: Job[] = []
  #isArmed = false
  #isClosed = false
  #onIdle: (() => void) | undefined

  constructor(session: Session) {
    this.#session = session
    // Of writes two transactions may be under way: while the server is busy with the runs of one, this process is with those of the
    // other. What is done within others may take long: it gets a third of the connections.
    const within = Math.max(1, Math.floor(session.connections.countMax / 3))
    this.#atOnceMax = { write: 2, decide: 1, whole: 1, within }
  }

  /** Does a job within a next transaction. The request becomes the job: every step of every run is one, and none is copied. */
  submit<J extends Job>(request: JobRequest<J>): Promise<never> {
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const job = request as unknown as Job
      job.resolve = resolve
      job.reject = reject
      this.#queue.push(job)
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
    return this.#queue.length === 0 && laneNames.every((lane) => this.#underwayCounts[lane] === 0)
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#isArmed = false
    const picked = this.#pick()
    for (const lane of laneNames) for (const jobs of this.#split(lane, picked[lane])) void this.#run(lane, jobs)
  }

  #split(lane: LaneName, jobs: readonly Job[]): (readonly Job[])[] {
    if (jobs.length === 0) return []
    if (lane === 'within') return jobs.map((job) => [job])
    const isWorthTwo = this.#freeCount(lane) > 1 && jobs.length >= splitCountMin
    const middle = isWorthTwo ? Math.ceil(jobs.length / 2) : jobs.length
    return isWorthTwo ? [jobs.slice(0, middle), jobs.slice(middle)] : [jobs]
  }

  #freeCount(lane: LaneName): number {
    return this.#atOnceMax[lane] - this.#underwayCounts[lane]
  }

  // Takes for each lane that is free the jobs whose runs nobody is busy with, and leaves the rest in its order.
  #pick(): Readonly<Record<LaneName, Job[]>> {
    const picked: Record<LaneName, Job[]> = { write: [], decide: [], whole: [], within: [] }
    const blocked = new Set(this.#busyRuns)
    const left: Job[] = []
    for (const job of this.#queue) {
      const lane = picked[job.lane]
      const freeCount = this.#freeCount(job.lane)
      const isFree = freeCount > 0 && lane.length < (job.lane === 'within' ? freeCount : countsMax[job.lane])
      if (isFree && job.runs.every((run) => !blocked.has(run))) lane.push(job)
      else left.push(job)
      for (const run of job.runs) blocked.add(run)
    }
    this.#queue = left
    return picked
  }

  async #run(lane: LaneName, jobs: readonly Job[]): Promise<void> {
    this.#underwayCounts[lane] += 1
    for (const { runs } of jobs) for (const run of runs) this.#busyRuns.add(run)
    try {
      await runLane[lane](this.#session, jobs)
    } catch (error) {
      for (const { reject } of jobs) reject(error)
    }
    this.#underwayCounts[lane] -= 1
    for (const { runs } of jobs) for (const run of runs) this.#busyRuns.delete(run)
    if (this.#queue.length > 0) this.#arm()
    else if (this.#isIdle) this.#onIdle?.()
  }
}

const runLane: Readonly<Record<LaneName, (session: Session, jobs: readonly Job[]) => Promise<void>>> = {
  write: (session, jobs) => writeTogether(session, jobs as readonly WriteJob[]),
  whole: (session, jobs) => writeWhole(session, jobs as readonly WriteJob[]),
  decide: (session, jobs) => decideTogether(session, jobs as readonly DecideJob[]),
  within: (session, jobs) => writeWithin(session, jobs as readonly WithinJob[]),
}
