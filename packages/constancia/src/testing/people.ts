import type { GovernedRuntime } from '../governance/index.js'
import { decodeValue, type OpId, type RunId, type StoredEvent } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import type { FamilyFact } from './reference.js'

type Governance = GovernedRuntime['governance']
type Statement = Parameters<Governance['state']>[0]

/** Somebody's answer to an approval, which the kit delivers once it was asked for and the journal has so many events. */
export interface ScriptedVote {
  /** The op that asks, or the name of the approval or of the action. */
  readonly on: string
  /** Where a child asks, the end of its id: `0` for the child that op 0 of the run started. */
  readonly ofChild?: string
  readonly voter: string
  /** To approve unless set. */
  readonly choice?: 'approve' | 'reject'
  readonly note?: string
  /** Approves with this input instead. */
  readonly amended?: unknown
  /** Counted like those of signals; 1 unless set. */
  readonly afterEvents?: number
}

/** An effect of which nobody knows whether it happened. */
export interface Doubt {
  readonly run: RunId
  readonly op: OpId
  /** The name of the action. */
  readonly name: string
  /** Under which the destination was asked for it. */
  readonly key: string
}

/** A person who settles every doubt, by looking at the destination. The same doubt must get the same answer. */
export interface ScriptedStater {
  readonly stater: string
  readonly says: (doubt: Doubt) => Pick<Statement, 'outcome' | 'output' | 'note'>
}

/** A change of the law while the run is under way, made as soon as the run rests and its journal has so many events. */
export interface ScriptedChange {
  readonly afterEvents: number
  readonly change: (governance: Governance) => Promise<unknown>
}

/** What people need. */
export interface PeopleInput {
  readonly governance: Governance | undefined
  readonly root: RunId
  /** The user of the run, whose next message comes wherever a run waits for it. */
  readonly user: string | undefined
  readonly votes: readonly ScriptedVote[]
  readonly statements: ScriptedStater | undefined
  readonly changes: readonly ScriptedChange[]
  /** Those that were made, by any life of the trial. */
  readonly changed: Set<number>
  readonly journal: (run: RunId) => Promise<readonly StoredEvent[]>
  /** Lets something rest that wants to; says whether anything did. */
  readonly rest: () => boolean
}

/**
 * Those who decide, in one life: they vote, say what came of effects, send the next message, and change the law. What may have got no answer they say
 * again in the next life, with the same delivery id.
 */
export class People {
  readonly #input: PeopleInput
  readonly #voted = new Set<number>()
  readonly #stated = new Set<string>()
  readonly #sent = new Set<string>()

  constructor(input: PeopleInput) {
    this.#input = input
  }

  /** Does what is due whatever comes next: changes of the law, messages, and what is to be said of doubts. Says whether it did anything. */
  async actAnyway(rows: readonly RunRow[], eventCount: number): Promise<boolean> {
    return this.#change(eventCount) || this.#proceed(rows) || (await this.#settle(rows))
  }

  /** Casts the vote that is due by the number of events. Says whether it did anything. */
  async voteDue(eventCount: number): Promise<boolean> {
    const { votes } = this.#input
    const next = votes.findIndex((_, index) => !this.#voted.has(index))
    return (votes[next]?.afterEvents ?? 1) <= eventCount && this.#vote(next)
  }

  /** Casts the vote that led to this fact, if one did. Says whether it did anything. */
  async voteFor(fact: FamilyFact): Promise<boolean> {
    const index = voteIndex(fact)
    return index !== undefined && this.#vote(index)
  }

  /** Says again what was said last: after a crash nobody knows whether its answer arrived. */
  async sayAgain(last: FamilyFact | undefined): Promise<void> {
    const index = last && voteIndex(last)
    if (index !== undefined) await this.#cast(index)
    const { root, journal, statements } = this.#input
    const stated = (await journal(root)).findLast(({ kind }) => kind === 'OutcomeStated')
    if (stated === undefined || statements === undefined) return
    const { op, stater, outcome, delivery } = JSON.parse(stated.body) as Statement
    const said = (stated.data === undefined ? {} : decodeValue(stated.data)) as Pick<Statement, 'output' | 'note'>
    this.#state({ run: root, op, stater, outcome, ...said, ...(delivery === undefined ? {} : { delivery }) })
  }

  // Every other vote comes while a run is about to rest, the others once it rests.
  async #vote(index: number): Promise<boolean> {
    if (this.#voted.has(index)) return false
    if (index % 2 === 1 && this.#input.rest()) return true
    return this.#cast(index)
  }

  async #cast(index: number): Promise<boolean> {
    const { votes, governance, root, journal } = this.#input
    const vote = votes[index]
    if (vote === undefined || governance === undefined) return false
    const { on: _, ofChild, afterEvents: __, choice = 'approve', ...answer } = vote
    const run = ofChild === undefined ? root : (`${root}~${ofChild}` as RunId)
    const asked = (await journal(run)).findLast((event) => isAbout(event, vote))
    if (asked === undefined) return false
    this.#voted.add(index)
    const { op, shown } = JSON.parse(asked.body) as { readonly op: string; readonly shown: string }
    governance.vote({ run, op, shown, choice, ...answer, delivery: voteDelivery(index) }).catch(() => undefined)
    return true
  }

  #proceed(rows: readonly RunRow[]): boolean {
    const { governance, user } = this.#input
    const waits = ({ id, head, waitingFor }: RunRow): boolean =>
      waitingFor.some(({ kind }) => kind === 'message') && !this.#sent.has(`${id} ${head.seq}`)
    const row = rows.find(waits)
    if (row === undefined || governance === undefined || user === undefined) return false
    this.#sent.add(`${row.id} ${row.head.seq}`)
    governance.proceed({ run: row.id, by: user }).catch(() => undefined)
    return true
  }

  async #settle(rows: readonly RunRow[]): Promise<boolean> {
    const { statements, governance, root: run, journal } = this.#input
    const doubted = rows.find(({ id, status }) => id === run && status === 'paused')
    const wait = doubted?.waitingFor.find(({ kind }) => kind === 'statement')
    if (wait === undefined || statements === undefined || governance === undefined) return false
    const events = await journal(run)
    const doubt = events.findLast((event) => event.kind === 'OutcomeUnknown' && opOf(event) === wait.op)
    const delivery = `statement-${doubt?.seq}`
    if (doubt === undefined || this.#stated.has(delivery)) return false
    const { name } = wait
    const op = wait.op as OpId
    const said = statements.says({ run, op, name, key: `${run}/${op}` })
    this.#state({ run, op, stater: statements.stater, delivery, ...said })
    return true
  }

  #state(statement: Statement): void {
    this.#stated.add(statement.delivery ?? '')
    this.#input.governance?.state(statement).catch(() => undefined)
  }

  #change(eventCount: number): boolean {
    const { changes, changed, governance, rest } = this.#input
    const index = changes.findIndex(({ afterEvents }, place) => afterEvents <= eventCount && !changed.has(place))
    const next = changes[index]
    if (next === undefined || governance === undefined) return false
    if (rest()) return true
    changed.add(index)
    void next.change(governance)
    return true
  }
}

/** Whether a fact came of a vote. */
export function isVote({ fact }: FamilyFact): boolean {
  return fact.kind === 'ApprovalVoted'
}

function voteDelivery(index: number): string {
  return `vote-${index}`
}

function voteIndex(told: FamilyFact): number | undefined {
  if (!isVote(told)) return undefined
  const { delivery } = JSON.parse(told.fact.body) as { readonly delivery: string }
  return Number(delivery.replace('vote-', ''))
}

function isAbout(event: StoredEvent, { on }: ScriptedVote): boolean {
  if (event.kind !== 'ApprovalRequested') return false
  const { op, name } = JSON.parse(event.body) as { readonly op: string; readonly name: string }
  return op === on || name === on
}

function opOf({ body }: StoredEvent): string {
  return (JSON.parse(body) as { readonly op: string }).op
}
