import { bodyOf, type OpId, type RunId, type StoredEvent, type TimerSpec } from '../journal/index.js'
import { timerDueMs } from './duration.js'

/** What an op is, as the journal tells it: a word of the engine's own, or one that a layer above adds. */
export type Verb = 'step' | 'sleep' | 'signal' | 'call' | AddedVerb

declare const added: unique symbol
/** A word of a layer above. */
export type AddedVerb = string & { readonly [added]: 'AddedVerb' }

/** What an event of a layer above is to the op that its body names: something that the op goes on from, or its outcome. */
export type AddedKind = 'record' | 'outcome'

/** What an event of a layer above is to the op that its body names by `op`, `verb` and `name`; undefined for kinds that are none of its own. Pure. */
export type Bearing = (kind: string, verb: string) => AddedKind | undefined

/** What of an event an op and its flow need once it is verified; the rest of it need not stay in memory. */
export type Outcome = Pick<StoredEvent, 'seq' | 'kind' | 'at' | 'body' | 'data'>

/** Takes of an event what is needed later; the rest of it is garbage then. */
export function outcomeOf({ seq, kind, at, body, data }: StoredEvent): Outcome {
  return { seq, kind, at, body, data }
}

/** Stands for an op in the body of an event of a layer above that is about the run as a whole. */
export const noOp = '-' as OpId

/** All that the journal has of one op. */
export interface OpRecord {
  readonly verb: Verb
  readonly name: string
  timer: { readonly spec: TimerSpec; readonly dueMs: number } | undefined
  failedAttempts: number
  /** When the next attempt is due, UTC milliseconds since 1970. */
  retryDueMs: number | undefined
  /** The run that a call started, and the input that it gave, as its text. */
  child: { readonly run: RunId; readonly input: string } | undefined
  /** Events of layers above about it, in the order of the journal. */
  added: Outcome[] | undefined
  outcome: Outcome | undefined
}

/** An event's bearing on an op. */
export interface Noted {
  readonly op: OpId
  readonly record: OpRecord
  readonly isOutcome: boolean
}

/** What is known of a run: a fold over its events that the executor asks op by op. */
export class History {
  readonly #records = new Map<OpId, OpRecord>()
  readonly #asked = new Set<OpId>()
  // Ops that the journal has and the flow has not asked for.
  readonly #unasked = new Set<OpId>()
  readonly #bearing: Bearing
  readonly #addedByKind = new Map<string, Outcome[]>()
  #lastClaimSeq = -1

  constructor(bearing: Bearing) {
    this.#bearing = bearing
  }

  /** Notes where owners of the run wrote, in what is stored when a claim is taken. */
  notePast(events: readonly StoredEvent[]): void {
    const last = events.findLast((event) => event.seq > 0 && event.by.startsWith('claim:'))
    if (last !== undefined) this.#lastClaimSeq = last.seq
  }

  /** Adds the next event. Returns what it says of which op, if it is about one. */
  add(event: StoredEvent): Noted | undefined {
    switch (event.kind) {
      case 'StepCompleted':
      case 'StepFailed':
        return this.#addOutcome(bodyOf<'StepCompleted' | 'StepFailed'>(event, event.kind), 'step', event)
      case 'StepAttemptFailed': {
        const { op, name, attempt, delayMs } = bodyOf(event, 'StepAttemptFailed')
        const record = this.#recordOf(op, 'step', name)
        record.failedAttempts = attempt
        record.retryDueMs = event.at + delayMs
        return { op, record, isOutcome: false }
      }
      case 'TimerSet': {
        const { op, verb, name, timer } = bodyOf(event, 'TimerSet')
        const record = this.#recordOf(op, verb, name)
        record.timer = { spec: timer, dueMs: timerDueMs(timer, event.at) }
        return { op, record, isOutcome: false }
      }
      case 'TimerFired':
        return this.#addOutcome({ op: bodyOf(event, 'TimerFired').op, name: '' }, 'sleep', event)
      case 'ChildStarted': {
        const { op, flow, child } = bodyOf(event, 'ChildStarted')
        const record = this.#recordOf(op, 'call', flow)
        record.child = { run: child, input: event.data ?? '' }
        return { op, record, isOutcome: false }
      }
      case 'ChildEnded':
        return this.#addOutcome({ op: bodyOf(event, 'ChildEnded').op, name: '' }, 'call', event)
      default:
        return this.#addAdded(event)
    }
  }

  #addAdded(event: StoredEvent): Noted | undefined {
    if (this.#bearing(event.kind, '') === undefined) return undefined
    const { op, verb, name } = JSON.parse(event.body) as {
      readonly op: OpId
      readonly verb: Verb
      readonly name: string
    }
    const kept = outcomeOf(event)
    const others = this.#addedByKind.get(event.kind)
    if (others === undefined) this.#addedByKind.set(event.kind, [kept])
    else others.push(kept)
    if (op === noOp) return undefined
    const is = this.#bearing(event.kind, verb)
    const record = this.#recordOf(op, verb, name)
    record.added = [...(record.added ?? []), kept]
    if (is === 'outcome') record.outcome = kept
    return { op, record, isOutcome: is === 'outcome' }
  }

  /** Events of a layer above of this kind, whatever op they are about, in the order of the journal. */
  addedOf(kind: string): readonly Outcome[] {
    return this.#addedByKind.get(kind) ?? []
  }

  /** What the journal has of an op; undefined if nothing. */
  peek(op: OpId): OpRecord | undefined {
    return this.#records.get(op)
  }

  /** The same, for an op that the flow asks for now. */
  ask(op: OpId): OpRecord | undefined {
    this.#asked.add(op)
    this.#unasked.delete(op)
    return this.#records.get(op)
  }

  /** Lets go of an op whose result was handed over: nobody asks for it again. */
  forget(op: OpId): void {
    this.#records.delete(op)
    this.#asked.delete(op)
  }

  /** How many ops the journal has that the flow has not asked for yet: while there are any, this is a replay. */
  get unaskedCount(): number {
    return this.#unasked.size
  }

  /** Something that the journal has and the flow did not ask for, if there is such a thing. */
  get stray(): { readonly op: OpId; readonly record: OpRecord } | undefined {
    for (const op of this.#unasked) {
      const record = this.#records.get(op)
      if (record !== undefined) return { op, record }
    }
    return undefined
  }

  /** Whether code that runs on this outcome ran before, as far as the journal tells: an owner wrote something after it. */
  isReplay(seq: number): boolean {
    return seq < this.#lastClaimSeq
  }

  #addOutcome(body: { readonly op: OpId; readonly name: string }, verb: Verb, event: StoredEvent): Noted {
    const record = this.#recordOf(body.op, verb, body.name)
    record.outcome = outcomeOf(event)
    return { op: body.op, record, isOutcome: true }
  }

  #recordOf(op: OpId, verb: Verb, name: string): OpRecord {
    const found = this.#records.get(op)
    if (found !== undefined) return found
    const record: OpRecord = {
      verb,
      name,
      timer: undefined,
      failedAttempts: 0,
      retryDueMs: undefined,
      child: undefined,
      added: undefined,
      outcome: undefined,
    }
    this.#records.set(op, record)
    if (!this.#asked.has(op)) this.#unasked.add(op)
    return record
  }
}
