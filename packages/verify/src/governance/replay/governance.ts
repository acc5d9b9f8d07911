import { administrator, type GovernanceBodies, type GovernanceKind } from '../bodies.js'
import type { DeclaredContract } from '../contract.js'
import { ErasedPlaces } from '../erased-places.js'
import { isGovernanceKind, type LawEntry } from '../law.js'
import type { LawHistory } from '../law-history.js'
import { governanceForms } from '../reading/forms.js'
import { readAs, readContract } from '../reading/read.js'
import { type Change, type ChangeEvent, hasLastingAdministrator, objectionTo } from './changes.js'
import { type Finding, Findings, principalOf, type ReplayEvent } from './finding.js'

interface PendingChange {
  readonly first: ReplayEvent
  readonly events: ChangeEvent[]
  lastSeq: number
}

type Body = GovernanceBodies[GovernanceKind]
type Content = { readonly body: Body; readonly declared: DeclaredContract | undefined }

/**
 * Reads the governance stream, checks that each change of it was permitted by the law before it, and folds it into a history of laws. What it says
 * of itself is never believed: who had to confirm a contract is computed.
 */
export class GovernanceReplay {
  readonly #history: LawHistory
  readonly #findings = new Findings()
  #pending: PendingChange | undefined
  readonly #erased = new ErasedPlaces()
  #changeCount = 0

  constructor(history: LawHistory) {
    this.#history = history
  }

  /** How many changes were judged. */
  get changeCount(): number {
    return this.#changeCount
  }

  /** Takes the next event of the governance stream. */
  add(event: ReplayEvent): void {
    const { seq, kind } = event
    if (this.#pending !== undefined && !isOfChange(event, this.#pending.first)) this.#judge()
    const content = isGovernanceKind(kind) ? this.#read(event, kind) : undefined
    if (content === undefined || !isGovernanceKind(kind)) {
      this.#judge()
      return this.#history.add({ seq, kind: undefined, body: undefined, declared: undefined }, event.at)
    }
    this.#pending ??= { first: event, events: [], lastSeq: seq }
    this.#pending.events.push({ kind, body: content.body } as ChangeEvent)
    this.#pending.lastSeq = seq
    if (kind === 'Erased') this.#erased.add(content.body as GovernanceBodies['Erased'])
    const entry: LawEntry = { seq, kind, ...content }
    this.#history.add(entry, event.at)
  }

  /**
   * What the stream says of a text that a file says was erased: that it was, nothing, or that nobody can tell because something of the stream is not known.
   * Only once it has ended.
   */
  erasureOf(stream: string, seq: number): 'told' | 'untold' | 'unknown' {
    if (this.#erased.has(stream, seq)) return 'told'
    return this.#findings.isIncomplete ? 'unknown' : 'untold'
  }

  /** The stream has ended: what was found in it. */
  end(): readonly Finding[] {
    this.#judge()
    return this.#findings.all
  }

  #judge(): void {
    const pending = this.#pending
    this.#pending = undefined
    if (pending === undefined) return
    const { first, events, lastSeq } = pending
    this.#changeCount += 1
    const { seq, at, by, governanceSeq = -1 } = first
    const principal = principalOf(by)
    const message = `The change by ${by} does not follow from the law before it.`
    if (principal === undefined) return this.#findings.fail('law', seq, `${message} Only principals change the law.`)
    if (governanceSeq !== seq - 1) {
      return this.#findings.fail(
        'law',
        seq,
        `${message} It was decided by what held after ${governanceSeq}, not ${seq - 1}.`,
      )
    }
    const before = this.#history.at(seq - 1)
    if (before.kind === 'unknown') return this.#findings.unsure('law', seq, `Whether it was permitted: ${before.why}.`)
    const change: Change = { by: principal, atMs: at, events }
    const objection = objectionTo(change, before.law)
    if (objection !== undefined) return this.#findings.fail('law', seq, `${message} ${objection}`)
    if (!events.some(({ body }) => 'role' in body && body.role === administrator)) return
    const had = hasLastingAdministrator(before.law, at)
    const after = this.#history.at(lastSeq)
    const isLost = had && after.kind === 'law' && !hasLastingAdministrator(after.law, at)
    if (isLost) this.#findings.fail('law', seq, `${message} It leaves nobody who may change roles for ever.`)
  }

  // Undefined where nobody can tell what it says, so that the law is not known any more.
  #read(event: ReplayEvent, kind: GovernanceKind): Content | undefined {
    const { seq, body } = event
    if (body === undefined) return this.#lose(seq, `event ${seq} of governance is withheld`, 'unknown_name')
    const read = readAs<Body>(body, governanceForms[kind])
    if (read.kind !== 'read')
      return this.#lose(seq, `what event ${seq} of governance says is not known: ${read.why}`, read.kind)
    if (kind !== 'ContractProposed' && kind !== 'ContractActivated') return { body: read.value, declared: undefined }
    return this.#readContract(event, read.value as GovernanceBodies['ContractProposed'])
  }

  #readContract({ seq, data }: ReplayEvent, body: GovernanceBodies['ContractProposed']): Content | undefined {
    if (data === undefined) return this.#lose(seq, `the contract of event ${seq} is withheld`, 'unknown_name')
    const read = readContract(data)
    if (read.kind !== 'read') return this.#lose(seq, `the contract of event ${seq} is none: ${read.why}`, read.kind)
    const { name, version } = read.value
    const isNamed = name === body.name && version === body.version && this.#history.digestOf(data) === body.digest
    if (!isNamed) return this.#lose(seq, `the contract of event ${seq} is another than the event names`, 'misfit')
    return { body, declared: read.value }
  }

  #lose(seq: number, why: string, kind: 'misfit' | 'unknown_name'): undefined {
    if (kind === 'misfit') this.#findings.fail('law', seq, `${why[0]?.toUpperCase()}${why.slice(1)}.`)
    else this.#findings.unsure('law', seq, `Whether it was permitted: ${why}.`)
    this.#findings.miss()
    this.#history.lose(seq, why)
    return undefined
  }
}

function isOfChange(event: ReplayEvent, first: ReplayEvent): boolean {
  return event.by === first.by && event.at === first.at && event.governanceSeq === first.governanceSeq
}
