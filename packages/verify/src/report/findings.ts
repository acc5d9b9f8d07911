import { type CheckName, type CheckResult, checkNames, type Reason, type VerdictOfFile } from './report.js'

/** Where a reason is about, and what it makes of the verdict if not `forged`. */
export interface About {
  readonly stream?: string | undefined
  readonly seq?: number | undefined
  readonly weight?: Weight | undefined
}

/** The verdicts that a check leads to. */
export type Weight = Exclude<VerdictOfFile, 'proven'>

const reasonCountMax = 20
const weights: readonly Weight[] = ['unreadable', 'forged', 'unverifiable', 'incomplete', 'unsealed']

interface Entry {
  failed: Reason[]
  failedCount: number
  open: Reason[]
  openCount: number
}

/** Gathers what the checks find. Nothing that is found stops the others. */
export class Findings {
  readonly #entries = new Map<CheckName, Entry>()
  readonly #weights = new Set<Weight>()
  #unreadableReason: string | undefined

  /** A check failed; the verdict is `forged`, or what is said. */
  fail(check: CheckName, message: string, about: About = {}): void {
    const entry = this.#entry(check)
    entry.failedCount += 1
    if (entry.failed.length < reasonCountMax) entry.failed.push(reasonOf(message, about))
    this.#weights.add(about.weight ?? 'forged')
  }

  /** Something of a check was not evaluated; the verdict is what is said, if anything. */
  unevaluated(check: CheckName, message: string, about: About = {}): void {
    const entry = this.#entry(check)
    entry.openCount += 1
    if (entry.open.length < reasonCountMax) entry.open.push(reasonOf(message, about))
    if (about.weight !== undefined) this.#weights.add(about.weight)
  }

  /** The file cannot be read any further: what has not failed up to here is not evaluated. */
  unreadable(message: string): void {
    this.fail('format', message, { weight: 'unreadable' })
    this.#unreadableReason = message
  }

  /** Whether a check has failed. */
  hasFailed(check: CheckName): boolean {
    return (this.#entries.get(check)?.failedCount ?? 0) > 0
  }

  /** What the checks came to. */
  results(names: readonly CheckName[] = checkNames): CheckResult[] {
    return names.map((name) => this.#resultOf(name))
  }

  /** What all of it comes to, where these checks must have been evaluated; `names` are those that apply. */
  verdict(required: readonly CheckName[], names: readonly CheckName[]): VerdictOfFile {
    const isMissing = this.results(required).some(
      ({ name, result }) => result === 'not_evaluated' || !names.includes(name),
    )
    const found = weights.find((weight) => this.#weights.has(weight) || (weight === 'incomplete' && isMissing))
    return found ?? 'proven'
  }

  #entry(check: CheckName): Entry {
    const entry = this.#entries.get(check) ?? { failed: [], failedCount: 0, open: [], openCount: 0 }
    this.#entries.set(check, entry)
    return entry
  }

  #resultOf(name: CheckName): CheckResult {
    const { failed = [], failedCount = 0, open = [], openCount = 0 } = this.#entries.get(name) ?? {}
    if (failedCount > 0) return { name, result: 'failed', reasons: failed, reasonCount: failedCount }
    if (openCount > 0) return { name, result: 'not_evaluated', reasons: open, reasonCount: openCount }
    if (this.#unreadableReason === undefined) return { name, result: 'passed', reasons: [], reasonCount: 0 }
    const reasons = [reasonOf(this.#unreadableReason, {})]
    return { name, result: 'not_evaluated', reasons, reasonCount: 1 }
  }
}

function reasonOf(message: string, { stream, seq }: About): Reason {
  return { message, stream, seq }
}
