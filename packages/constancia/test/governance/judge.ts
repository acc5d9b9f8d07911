import {
  type Approved,
  authorityOf,
  conditionValueOf,
  type DeclaredContract,
  type GovernanceEvent,
  judgeVote,
  Law,
  type PendingApproval,
  resolutionWith,
  type Verdict,
  type Vote,
  verdictOf,
} from '@constancia/verify'
import { schemaDigestOf } from '../../dist/governance/government.js'
import { decodeValue, type RunId, runStream, type StoredEvent, type StreamId } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'

/** What a judge has looked at, by kind of event. */
export type Judged = Map<string, number>

/** How an approval stands, as the journal tells it. */
interface Asked {
  readonly request: Body
  readonly at: number
  readonly question: { action: string | null; schema: string | null; input: string | null }
  votes: (Vote & { delivery: string; amendedText: string | undefined })[]
  outcome: string | undefined
  amendedText: string | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are read here as an auditor would, without the types of whoever wrote them.
type Body = any

/**
 * Judges decisions from the journals alone: each must follow from the law as the governance stream has it up to the head that
 * the event names, and whatever was added to that stream afterwards must not be older than the event.
 */
export class Judge {
  readonly judged: Judged = new Map()
  readonly #governance: readonly StoredEvent[]
  readonly #laws = new Map<number, Law>()
  /** Whether one clock dates all events, in the order in which they were stored. */
  readonly #isOneClock: boolean

  private constructor(governance: readonly StoredEvent[], isOneClock: boolean) {
    this.#governance = governance
    this.#isOneClock = isOneClock
  }

  static async of(store: Store, { isOneClock = true } = {}): Promise<Judge> {
    return new Judge(await store.read('governance' as StreamId), isOneClock)
  }

  /** Judges a run. Throws at the first event that does not follow. */
  async run(store: Store, run: RunId): Promise<void> {
    const events = await store.read(runStream(run))
    new RunTrial(this, events).judge()
  }

  /** The law that an event names. */
  lawOf(event: StoredEvent): Law {
    const named = /^([0-9]+):([0-9a-f]+)\/-$/.exec(event.seen)
    if (named === null) throw new Error(`${describe(event)} was decided from nothing: ${event.seen}.`)
    const seq = Number(named[1])
    if (this.#governance[seq]?.hash !== named[2]) throw new Error(`${describe(event)} names a law that never was.`)
    const next = this.#governance[seq + 1]
    if (this.#isOneClock && next !== undefined && next.at < event.at) {
      throw new Error(`${describe(event)} came after ${describe(next)} of the law, and did not know it.`)
    }
    return this.#lawUpTo(seq)
  }

  count(event: StoredEvent): void {
    this.judged.set(event.kind, (this.judged.get(event.kind) ?? 0) + 1)
  }

  #lawUpTo(seq: number): Law {
    const known = this.#laws.get(seq)
    if (known !== undefined) return known
    const law = new Law()
    for (const event of this.#governance.slice(0, seq + 1)) law.add(event satisfies GovernanceEvent)
    this.#laws.set(seq, law)
    return law
  }
}

/** The trial of one run. */
class RunTrial {
  readonly #judge: Judge
  readonly #events: readonly StoredEvent[]
  readonly #asked = new Map<string, Asked>()
  readonly #used = new Map<string, string>()
  #started: Body

  constructor(judge: Judge, events: readonly StoredEvent[]) {
    this.#judge = judge
    this.#events = events
  }

  judge(): void {
    for (const event of this.#events) this.#take(event, JSON.parse(event.body))
  }

  #take(event: StoredEvent, body: Body): void {
    switch (event.kind) {
      case 'FlowStarted':
        this.#started = body
        return
      case 'ApprovalRequested':
        return this.#ask(event, body)
      case 'ApprovalVoted':
        return this.#vote(event, body)
      case 'ApprovalWithdrawn': {
        const asked = this.#open(event, body)
        asked.votes = asked.votes.filter(({ voter, delivery }) => voter !== body.voter || delivery !== body.delivery)
        return
      }
      case 'ApprovalResolved':
        return this.#resolve(event, body)
      case 'ResumeAuthorized':
        return this.#resume(event, body)
      case 'ActionAuthorized':
        return this.#authorize(event, body)
      case 'ActionDenied':
        return this.#deny(event, body)
      case 'FlowFailed':
        if (body.code === 'resume_denied' && this.#admits(event))
          throw new Error(`${describe(event)}: it was to be admitted.`)
    }
  }

  #ask(event: StoredEvent, body: Body): void {
    const question = JSON.parse(event.data ?? '') as Asked['question']
    this.#asked.set(body.op, {
      request: body,
      at: event.at,
      question,
      votes: [],
      outcome: undefined,
      amendedText: undefined,
    })
  }

  #vote(event: StoredEvent, body: Body): void {
    const asked = this.#open(event, body)
    const now = { law: this.#judge.lawOf(event), nowMs: event.at }
    const judged = judgeVote(this.#pending(asked), body, now)
    if (judged.kind === 'refused') throw new Error(`${describe(event)} does not count: ${judged.reason}`)
    requireSame(event, { is: body.roles, wanted: judged.roles })
    const said = event.data === undefined ? {} : (decodeValue(event.data) as { readonly amended?: string })
    const { voter, choice, shown, amended, delivery } = body
    asked.votes.push({ voter, choice, shown, amended, delivery, amendedText: said.amended })
    this.#judge.count(event)
  }

  #resolve(event: StoredEvent, body: Body): void {
    const asked = this.#open(event, body)
    asked.outcome = body.outcome
    asked.amendedText = event.data
    if (body.outcome !== 'approved' && body.outcome !== 'rejected') return
    const now = { law: this.#judge.lawOf(event), nowMs: event.at }
    requireSame(event, { is: body.outcome, wanted: resolutionWith(this.#pending(asked), now) })
    this.#judge.count(event)
  }

  #resume(event: StoredEvent, body: Body): void {
    const law = this.#judge.lawOf(event)
    if (!this.#admits(event)) throw new Error(`${describe(event)}: its actor may not resume it.`)
    requireSame(event, { is: body.contract, wanted: law.inForce?.digest })
    requireSame(event, { is: body.roles, wanted: law.grantedTo(this.#started.actor, event.at) })
    this.#judge.count(event)
  }

  #authorize(event: StoredEvent, body: Body): void {
    const law = this.#judge.lawOf(event)
    requireSame(event, { is: body.contract, wanted: law.inForce?.digest })
    requireSame(event, { is: body.roles, wanted: law.grantedTo(this.#started.actor, event.at) })
    const verdicts = this.#verdicts(event, { ...body, approval: body.approval ?? body.op })
    const objection = verdicts.find(({ kind }) => kind !== 'allowed')
    if (objection !== undefined) throw new Error(`${describe(event)}: the law says ${JSON.stringify(objection)}.`)
    requireSame(event, { is: body.rule, wanted: (verdicts[0] as { rule: number }).rule })
    if (body.approval !== undefined) {
      requireSame(event, { is: this.#used.get(body.approval) ?? body.op, wanted: body.op })
      this.#used.set(body.approval, body.op)
    }
    this.#judge.count(event)
  }

  // What came of looking at the world, and of limits, the law does not tell.
  #deny(event: StoredEvent, { op, name, code, contract }: Body): void {
    if (!lawful.has(code)) return
    const law = this.#judge.lawOf(event)
    requireSame(event, { is: contract, wanted: law.inForce?.digest })
    if (code !== 'role_missing' && code !== 'unknown_action' && code !== 'no_rule') return
    const verdicts = this.#verdicts({ ...event, data: 'null' }, { op, name, approval: op })
    if (!verdicts.some((verdict) => verdict.kind === 'denied' && verdict.code === code)) {
      throw new Error(`${describe(event)}: the law says ${JSON.stringify(verdicts)}.`)
    }
    this.#judge.count(event)
  }

  #verdicts(event: StoredEvent, { op, name, approval }: Body): readonly Verdict[] {
    const law = this.#judge.lawOf(event)
    const id = this.#started.actor as string
    const actor = { id, person: law.personOf(id), roles: law.grantedTo(id, event.at) }
    const input = conditionValueOf(event.data ?? '')
    const approved = this.#approved(event, { op, approval }, law)
    return this.#contracts(law).map((contract) =>
      verdictOf(contract, { action: name, input, actor, approval: approved }),
    )
  }

  #approved(event: StoredEvent, { op, approval }: Body, law: Law): Approved | undefined {
    const asked = this.#asked.get(approval)
    if (asked?.outcome !== 'approved') return undefined
    const { action, schema, input } = asked.question
    const now = { law, nowMs: event.at }
    const votes = asked.votes.flatMap((vote) => {
      const authority = authorityOf(this.#pending(asked), vote, now)
      const isMeant = vote.choice === 'approve' && vote.amendedText === asked.amendedText
      if (authority === undefined || !isMeant) return []
      return [{ person: authority.person, hand: law.personOf(vote.voter), roles: authority.roles }]
    })
    const isSameSchema = schema === schemaDigestOf(law.inForce?.declared, action ?? '-')
    const isUsed = (this.#used.get(approval) ?? op) !== op
    return {
      action: isSameSchema ? (action ?? '-') : '-',
      isSameInput: event.data === (asked.amendedText ?? input),
      isUsed,
      votes,
    }
  }

  #admits(event: StoredEvent): boolean {
    const law = this.#judge.lawOf(event)
    const roles = law.grantedTo(this.#started.actor, event.at)
    return this.#contracts(law).every(({ flows }) => {
      const { flow, version } = this.#started
      const resume = flows.find((one) => one.name === flow && one.version === version)?.resume ?? { roles: [] }
      return resume === 'anyone' || resume.roles.some((role) => roles.includes(role))
    })
  }

  #contracts(law: Law): readonly DeclaredContract[] {
    const bound = law.contract(this.#started.contract)
    if (bound === undefined || law.inForce === undefined) throw new Error('The run is bound to no contract of the law.')
    return [law.inForce.declared, bound.declared]
  }

  #pending({ request, at, votes }: Asked): PendingApproval {
    const { policy, shown } = request
    return { policy, actor: this.#started.actor, requestedAtMs: at, shown, votes }
  }

  #open(event: StoredEvent, { op }: Body): Asked {
    const asked = this.#asked.get(op)
    if (asked === undefined || asked.outcome !== undefined)
      throw new Error(`${describe(event)}: nothing is open there.`)
    return asked
  }
}

const lawful = new Set([
  'unknown_action',
  'no_rule',
  'role_missing',
  'condition_failed',
  'approval_other_action',
  'approval_other_input',
  'approval_used',
  'approval_lapsed',
])

function describe({ stream, seq, kind }: StoredEvent): string {
  return `Event ${seq} of ${stream}, ${kind},`
}

function requireSame(event: StoredEvent, { is, wanted }: { readonly is: unknown; readonly wanted: unknown }): void {
  if (JSON.stringify(is) === JSON.stringify(wanted)) return
  throw new Error(`${describe(event)} says ${JSON.stringify(is)}, and the law ${JSON.stringify(wanted)}.`)
}
