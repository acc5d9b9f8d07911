/** What a scene is played on: a database file, a law, workers that come and go, people, and a calendar that is scripted. */
import { type GovernedRuntime, open, type StoredEvent } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import type { Transfer } from './bank.js'
import { putInForce } from './law.js'
import { type Outside, Worker } from './processes.js'
import { livingAt } from './scripted-time.js'
import { evidenceAt, type SealedPlace } from './sealing.js'
import { servicesAt } from './services.js'
import { type Terms, type Treasury, treasuryWith, usualTerms } from './treasury.js'

/** Something that happened to a process: no journal tells it. */
export interface Mark {
  readonly atMs: number
  /** Whether it comes before what that process did. */
  readonly isFirst: boolean
  readonly text: string
}

/** A change of who may what, as the governance stream has it. */
export interface LawChange {
  readonly atMs: number
  readonly by: string
  readonly kind: string
  readonly text: string
}

/** What a scene came to, from the journal, the governance stream, the operating system and the bank. */
export interface Played {
  readonly events: readonly StoredEvent[]
  /** Since the run was started. */
  readonly law: readonly LawChange[]
  readonly marks: readonly Mark[]
  /** How the first worker ended, as the operating system says. */
  readonly firstEnd: string | null
  /** What the bank says that it was asked for by this run. */
  readonly transfers: readonly Transfer[]
  readonly treasury: Treasury
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun', 'next Mon']
const mondayMs = Date.UTC(2026, 2, 2)

/** A moment of the story's week, such as `Fri 09:05`. UTC milliseconds since 1970. */
export function moment(text: string): number {
  const [, day = '', hour, minute] = /^(.+) (\d\d):(\d\d)$/.exec(text) ?? []
  return mondayMs + ((weekdays.indexOf(day) * 24 + Number(hour)) * 60 + Number(minute)) * 60_000
}

/** Where a scene is played. */
export interface StageGiven {
  readonly file: string
  readonly run: string
  readonly outside: Outside
  /** Where its log is, if it is sealed. */
  readonly sealed?: SealedPlace
}

/** One scene's stage. */
export class Stage {
  readonly run: string
  readonly #file: string
  readonly #outside: Outside
  readonly #sealed: SealedPlace | undefined
  readonly #marks: Mark[] = []
  #workerCount = 0
  #firstEnd: string | null = null

  constructor(given: StageGiven) {
    this.run = given.run
    this.#file = given.file
    this.#outside = given.outside
    this.#sealed = given.sealed
  }

  /** Monday: the law is there, ann starts the run, and its worker is ended by SIGKILL once it waits for people. */
  async begin(invoice: string): Promise<void> {
    await this.at('Mon 08:00', ({ governance }, { contract }) => putInForce(contract, governance))
    const worker = this.worker('Mon 09:00', { start: { invoice, actor: 'ann' } })
    await worker.says('rests')
    this.#firstEnd = await worker.kill()
    this.mark('Mon 09:00', `worker 1 is gone: ${this.#firstEnd ?? 'by itself'}`)
  }

  /** Later: a new worker, on the same file, which works until the run rests again. */
  async resume(at: string, terms: Terms = usualTerms): Promise<void> {
    const worker = this.worker(at, { terms })
    await worker.says('rests')
    await worker.kill()
  }

  /** Starts a worker that lives in a moment. */
  worker(at: string, given: { start?: { invoice: string; actor: string }; terms?: Terms; isSlow?: boolean }): Worker {
    const { start, terms = usualTerms, isSlow = false } = given
    this.#workerCount += 1
    this.mark(at, `worker ${this.#workerCount} begins, a process of its own`, true)
    const atMs = moment(at)
    const place = { file: this.#file, url: this.#outside.url, sealed: this.#sealed }
    return new Worker({ ...place, atMs, terms, run: this.run, start, isSlow })
  }

  /** Somebody's worker is there for a moment, finds nothing to do, and what has come since the last time is sealed when it closes. */
  async seal(at: string): Promise<void> {
    const treasury = treasuryWith(servicesAt(this.#outside.url), usualTerms)
    const living = livingAt(sqlite({ file: this.#file }), moment(at))
    const governed = { flows: [treasury.payInvoice], contract: treasury.contract }
    await (await open({ ...living, ...governed, ...evidenceAt(this.#sealed) })).close()
  }

  /** What people do at a moment, in this process: it holds no worker, and opens the same file. */
  async at<T>(
    at: string,
    act: (app: GovernedRuntime, treasury: Treasury) => Promise<T>,
    terms: Terms = usualTerms,
  ): Promise<T> {
    const treasury = treasuryWith(servicesAt(this.#outside.url), terms)
    const living = livingAt(sqlite({ file: this.#file }), moment(at))
    const governed = { flows: [treasury.payInvoice], contract: treasury.contract, worker: false as const }
    const app = await open({ ...living, ...governed, ...evidenceAt(this.#sealed) })
    try {
      return await act(app, treasury)
    } finally {
      await app.close()
    }
  }

  /** Somebody approves what is shown. Returns what the approval came to with it; null while it takes more. */
  approve(at: string, voter: string): Promise<string | null> {
    return this.at(at, async (app) => {
      const events = await app.run(this.run).events()
      const asked = events.findLast(({ kind }) => kind === 'ApprovalRequested')
      const { op, shown } = JSON.parse(asked?.body ?? '{}') as { readonly op: string; readonly shown: string }
      const vote = { run: this.run, op, shown, voter, choice: 'approve' } as const
      return (await app.governance.vote(vote)).resolution
    })
  }

  /** The administrator takes a role away. */
  async revoke(at: string, given: { principal: string; role: string; reason: string }): Promise<void> {
    await this.at(at, ({ governance }) => governance.directory.revoke({ ...given, by: 'ada' }))
  }

  /** Notes what no journal tells. */
  mark(at: string, text: string, isFirst = false): void {
    this.#marks.push({ atMs: moment(at), isFirst, text })
  }

  /** Looks at what is there in the end. */
  async played(): Promise<Played> {
    const transfers = (await this.#outside.ledger()).filter(({ key }) => key.startsWith(`${this.run}/`))
    return this.at('next Mon 12:00', async (app, treasury) => {
      const events = await app.run(this.run).events()
      const sinceMs = events[0]?.at ?? 0
      const law = (await lawOf(app)).filter(({ atMs }) => atMs >= sinceMs)
      return { events, law, marks: this.#marks, firstEnd: this.#firstEnd, transfers, treasury }
    })
  }
}

async function lawOf({ governance }: GovernedRuntime): Promise<LawChange[]> {
  const roles = (await governance.directory.history()).map(({ atMs, by, kind, body, reason }) => {
    const { principal, role } = body
    return { atMs, by, kind, text: `${principal}, ${role}${reason === undefined ? '' : `: ${reason}`}` }
  })
  const contracts = (await governance.contracts()).flatMap(({ kind, atMs, by, contract }) =>
    kind === 'activated'
      ? [{ atMs, by, kind: 'ContractActivated', text: `${contract?.name} ${contract?.version}` }]
      : [],
  )
  return [...roles, ...contracts].sort((a, b) => a.atMs - b.atMs)
}
