/** What the replay of the governance checks; `law` is about changes of the governance stream itself. */
export type ReplayCheck = 'law' | 'actions' | 'approvals' | 'resumes' | 'once'

/** Something that does not follow, or of which nobody can tell whether it does. */
export interface Finding {
  readonly check: ReplayCheck
  readonly result: 'failed' | 'not_evaluated'
  /** The event in its stream. */
  readonly seq: number
  readonly message: string
}

/** An event as the replay takes it: of a stream whose hashes were verified. */
export interface ReplayEvent {
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970. */
  readonly at: number
  readonly by: string
  /** The position in the governance stream that its `seen` names; undefined for none. */
  readonly governanceSeq: number | undefined
  /** Undefined where it is withheld. */
  readonly body: string | undefined
  /** `none` where there is none, undefined where it is withheld or erased. */
  readonly data: string | 'none' | undefined
}

/** Findings of one stream that are told one by one; of more only how many there are is known. */
const findingCountMax = 1_000

/** Collects what the replay of one stream finds. */
export class Findings {
  readonly #findings: Finding[] = []
  readonly #results = new Map<ReplayCheck, Finding['result']>()
  readonly #kinds = new Set<string>()
  #isIncomplete = false

  /** Something is not known; what seems wrong from now on may follow from that. */
  miss(): void {
    this.#isIncomplete = true
  }

  /** Whether something is not known. */
  get isIncomplete(): boolean {
    return this.#isIncomplete
  }

  /** Something does not follow. */
  fail(check: ReplayCheck, seq: number, message: string): void {
    if (!this.#isIncomplete) return this.#add({ check, result: 'failed', seq, message })
    this.unsure(check, seq, `${message} It may follow from what is not known of before.`)
  }

  /** Nobody can tell whether it follows. */
  unsure(check: ReplayCheck, seq: number, message: string): void {
    this.#add({ check, result: 'not_evaluated', seq, message })
  }

  /** What was found, the first thousand. */
  get all(): readonly Finding[] {
    return this.#findings
  }

  /** The worst result of a check; undefined where nothing was found. */
  resultOf(check: ReplayCheck): Finding['result'] | undefined {
    return this.#results.get(check)
  }

  #add(finding: Finding): void {
    if (this.#results.get(finding.check) !== 'failed') this.#results.set(finding.check, finding.result)
    const kind = `${finding.check} ${finding.result}`
    if (this.#findings.length < findingCountMax || !this.#kinds.has(kind)) this.#findings.push(finding)
    this.#kinds.add(kind)
  }
}

/** Whom an event is by, where it is a principal. */
export function principalOf(by: string): string | undefined {
  return by.startsWith('principal:') ? by.slice('principal:'.length) : undefined
}
