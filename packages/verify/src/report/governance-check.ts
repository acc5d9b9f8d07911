import type { ReadEvent, ReadText } from '../bundle/index.js'
import type { Crypto, Sha256 } from '../crypto.js'
import {
  type Finding,
  GovernanceReplay,
  LawHistory,
  type ReplayCheck,
  type ReplayEvent,
  RunReplay,
} from '../governance/replay/index.js'
import { PlainSha256 } from '../sha256.js'
import { jsonBytesMax } from '../strict-json.js'
import { type AuditAnswer, answersOf } from './answers.js'
import type { Findings } from './findings.js'

/** Runs about which the four questions are answered; of the others only that they were checked is told. */
const answeredCountMax = 1_000

/** Replays the governance of a file as its events come: `law`, `actions`, `approvals`, `resumes`, `once`. */
export class GovernanceCheck {
  readonly #findings: Findings
  readonly #history: LawHistory
  readonly #governance: GovernanceReplay
  readonly #answers = new Map<string, readonly AuditAnswer[]>()
  /** The worst that was found in the law: what follows from it stands on that. */
  #law: Finding['result'] | undefined
  #run: { readonly name: string; readonly replay: RunReplay } | undefined
  #isLawOver = false
  #place = 0
  /** Events of governance whose data is said to be erased: what erased it comes behind them. */
  readonly #erasedLaw: number[] = []
  #decisionCount = 0

  constructor(crypto: Crypto, findings: Findings) {
    this.#findings = findings
    this.#history = new LawHistory(hashNow(crypto))
    this.#governance = new GovernanceReplay(this.#history)
  }

  /** Decisions that were computed anew and compared. */
  get decisionCount(): number {
    return this.#decisionCount
  }

  /** The answers about a run, by the name of its stream. */
  answers(name: string): readonly AuditAnswer[] {
    return this.#answers.get(name) ?? []
  }

  /** A stream begins; the one before it is whole. */
  begin(name: string): void {
    if (name === 'governance') return
    this.finish()
    this.#place = 0
    this.#run = { name, replay: new RunReplay(name.slice('run/'.length), this.#history) }
  }

  /** An event of the stream that began last. */
  add(event: ReadEvent): void {
    // Seqs that do not follow are a matter of the chain: here an event has the place at which it stands.
    const seq = this.#place++
    const isErased = event.data?.kind === 'erased'
    if (this.#run === undefined) {
      this.#governance.add(new Replayed(event, seq))
      if (isErased) this.#erasedLaw.push(seq)
      return
    }
    this.#run.replay.add(new Replayed(event, seq))
    if (isErased) this.#checkErased(this.#run.name, seq)
  }

  /** The stream that began last is whole. */
  finish(): void {
    const run = this.#run
    if (run !== undefined) return this.#finishRun(run)
    if (this.#isLawOver) return
    this.#isLawOver = true
    this.#law = this.#tell('governance', this.#governance.end()).get('law')
    this.#decisionCount += this.#governance.changeCount
    for (const seq of this.#erasedLaw) this.#checkErased('governance', seq)
  }

  #checkErased(stream: string, seq: number): void {
    const erasure = this.#governance.erasureOf(stream, seq)
    const message = 'its data is said to be erased, and no Erased event of governance names it'
    if (erasure === 'untold') this.#findings.fail('law', message, { stream, seq })
    else if (erasure === 'unknown') this.#findings.unevaluated('law', message, { stream, seq })
  }

  #finishRun({ name, replay }: { readonly name: string; readonly replay: RunReplay }): void {
    this.#run = undefined
    const results = this.#tell(name, replay.end())
    if (this.#law !== undefined) results.set('law', this.#law)
    for (const count of replay.decided.values()) this.#decisionCount += count
    if (this.#answers.size < answeredCountMax) this.#answers.set(name, answersOf(replay.summary, results))
  }

  /** Passes on what was found, and returns the worst of each check. */
  #tell(stream: string, found: readonly Finding[]): Map<ReplayCheck, Finding['result']> {
    const results = new Map<ReplayCheck, Finding['result']>()
    for (const { check, result, seq, message } of found) {
      if (result === 'failed') this.#findings.fail(check, message, { stream, seq })
      else this.#findings.unevaluated(check, message, { stream, seq })
      if (results.get(check) !== 'failed') results.set(check, result)
    }
    return results
  }
}

/** An event as the replay wants it: a text is made of bytes where somebody asks for it, and not before. */
class Replayed implements ReplayEvent {
  readonly seq: number
  readonly kind: string
  readonly at: number
  readonly by: string
  readonly governanceSeq: number | undefined
  readonly #event: ReadEvent

  constructor(event: ReadEvent, seq: number) {
    this.seq = seq
    this.kind = event.kind
    this.at = event.at
    this.by = event.by
    this.governanceSeq = event.seenParts.governance?.seq
    this.#event = event
  }

  get body(): string | undefined {
    return understood(this.#event.body, tooLarge)
  }

  get data(): string | undefined {
    const { data } = this.#event
    const isContract = this.kind === 'ContractProposed' || this.kind === 'ContractActivated'
    return data === undefined ? 'none' : understood(data, isContract ? tooLarge : undefined)
  }
}

// No JSON: what has to be understood and is too large for it is refused as such.
const tooLarge = ''

function understood(text: ReadText, instead: string | undefined): string | undefined {
  if (text.kind !== 'text') return undefined
  return text.byteCount > jsonBytesMax ? instead : text.text
}

/** SHA-256 that answers at once: that of the platform if it does. */
function hashNow(crypto: Crypto): Sha256 {
  if (crypto.sha256(new Uint8Array(0)) instanceof Uint8Array) return (bytes) => crypto.sha256(bytes) as Uint8Array
  return (bytes) => {
    const hash = new PlainSha256()
    hash.update(bytes)
    return hash.digest()
  }
}
