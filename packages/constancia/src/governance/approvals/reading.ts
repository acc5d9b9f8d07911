import { tellsOf } from '../../engine/index.js'
import {
  type Bodies,
  emptyHead,
  bodyOf as engineBodyOf,
  type Head,
  type OpId,
  type RunId,
  runStream,
  type StoredEvent,
  type Tells,
  verifyChain,
} from '../../journal/index.js'
import type { Store } from '../../store/index.js'

const pageSize = 1_000

// What answers of people are decided from.
const kinds: ReadonlySet<string> = new Set([
  'ApprovalRequested',
  'ApprovalVoted',
  'ApprovalWithdrawn',
  'ApprovalEscalated',
  'ApprovalResolved',
  'ActionAuthorized',
  'ActionAttemptFailed',
  'ActionCompleted',
  'ActionFailed',
  'OutcomeUnknown',
  'OutcomeStated',
])

const resumptionKinds: ReadonlySet<string> = new Set(['ResumeAuthorized', 'ResumeDeferred', 'ResumeDenied'])

/** What the journal of a run says about what people are asked, as far as it was read. */
export class RunReading {
  readonly run: RunId
  readonly #store: Store
  readonly #ops = new Map<string, StoredEvent[]>()
  #head: Head
  #started: Bodies['FlowStarted'] | undefined
  readonly #resumptions: StoredEvent[] = []
  #cancelSeq: number | undefined

  constructor(store: Store, run: RunId) {
    this.run = run
    this.#store = store
    this.#head = emptyHead(runStream(run))
  }

  /** The principal as whom the run acts; null where there is none, or nothing was read. */
  get actor(): string | null {
    return this.#started?.actor ?? null
  }

  /** What the run began with; undefined where nothing was read. */
  get started(): Bodies['FlowStarted'] | undefined {
    return this.#started
  }

  /** What events say that the caller of the run is told of. */
  get tells(): Tells {
    return tellsOf(this.#started ?? {})
  }

  /** Whether its pauses were let go on, in the order of the journal. */
  get resumptions(): readonly StoredEvent[] {
    return this.#resumptions
  }

  /** Position of the wish to cancel; undefined while there is none. */
  get cancelSeq(): number | undefined {
    return this.#cancelSeq
  }

  /** What was asked and answered in one op, in the order of the journal. */
  about(op: OpId): readonly StoredEvent[] {
    return this.#ops.get(op) ?? []
  }

  /** The last event that was read. */
  get head(): Head {
    return this.#head
  }

  /** Whether it was read up to exactly this head. */
  isAt(head: Head): boolean {
    return this.#head.seq === head.seq && this.#head.hash === head.hash
  }

  /** Reads on to the end. What is read is verified first. Rejects with faults of the store. */
  async readOn(): Promise<void> {
    const stream = runStream(this.run)
    for (;;) {
      const events = await this.#store.read(stream, { fromSeq: this.#head.seq + 1, limit: pageSize })
      this.#take(events)
      if (events.length < pageSize) return
    }
  }

  /** What it would be with these events as well, which are verified first; itself stays as it is. */
  with(events: readonly StoredEvent[]): RunReading {
    const copy = new RunReading(this.#store, this.run)
    for (const [op, about] of this.#ops) copy.#ops.set(op, [...about])
    copy.#head = this.#head
    copy.#started = this.#started
    copy.#resumptions.push(...this.#resumptions)
    copy.#cancelSeq = this.#cancelSeq
    copy.#take(events)
    return copy
  }

  #take(events: readonly StoredEvent[]): void {
    this.#head = verifyChain(runStream(this.run), this.#head, events)
    for (const event of events) this.#add(event)
  }

  #add(event: StoredEvent): void {
    if (event.kind === 'FlowStarted') this.#started = engineBodyOf(event, 'FlowStarted')
    if (event.kind === 'CancelRequested') this.#cancelSeq ??= event.seq
    if (resumptionKinds.has(event.kind)) this.#resumptions.push(event)
    if (!kinds.has(event.kind)) return
    const { op } = JSON.parse(event.body) as { readonly op: string }
    const about = this.#ops.get(op)
    if (about === undefined) this.#ops.set(op, [event])
    else about.push(event)
  }
}
