import type { Host, Op, OpPlace, Outcome, Ruling } from '../engine/index.js'
import { type Draft, decodeValue, encodeError, type OpId } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { type AskedApproval, askedApproval } from './approvals/pending.js'
import { requestOf, wakeOf } from './approvals/waiting.js'
import { attemptOf, draftAfter, failed, isForgotten, isInDoubt, unknown, wasNotDispatched } from './attempts.js'
import type { AnyAction, Search, StillValid } from './contract/action.js'
import { type DoState, doStateOf } from './do-state.js'
import { governanceError } from './errors.js'
import { askGate, type GateAnswer } from './gate.js'
import { folded, GovernedOp } from './governed-op.js'
import type { Government } from './government.js'
import { bodyOf, draftOf } from './kinds.js'
import { exceededLimit } from './run-limits.js'
import { transactedRuling } from './transacting.js'

/** What an action is done with. */
export interface DoPlan {
  readonly action: AnyAction
  /** The exact text of its input. */
  readonly inputText: string
  /** The op whose approval it has. */
  readonly approvedBy: OpId | undefined
  readonly government: Government
  /** Called with its input and its output once the flow learns that it was done. */
  readonly onDone: (input: unknown, output: unknown) => void
}

type Result = { readonly value: unknown } | { readonly error: unknown }

/**
 * `ctx.do`: asks the gate, makes the intent durable, has the effect, and records what came of it. Where the gate wants an
 * approval it asks for one; where nobody can know what came of the effect it asks a person.
 */
export class DoOp<T> extends GovernedOp<T> implements Op {
  readonly verb = 'do' as Op['verb']
  readonly #plan: DoPlan
  readonly #stateOf = folded(doStateOf)
  readonly #askedIn = folded(askedApproval)
  /** Whether this owner has authorised what is to be dispatched: an intent that it found is in doubt. */
  #isOurs = false
  /** Whether user code of it is under way, or a decision is about to be written. */
  #isBusy = false

  constructor(host: Host, place: OpPlace, plan: DoPlan) {
    super(host, place)
    this.#plan = plan
  }

  get #state(): DoState {
    return this.#stateOf(this.events)
  }

  get hasEffect(): boolean {
    const { kind } = this.#state
    return kind !== 'undecided' && kind !== 'asking'
  }

  get drains(): boolean {
    return this.recorded?.outcome === undefined && this.hasEffect
  }

  get isPledged(): boolean {
    return this.#isOurs && this.#state.kind === 'authorized'
  }

  get dueMs(): number | undefined {
    const state = this.#state
    if (state.kind === 'asking') return wakeOf(state.asked, this.recorded)
    if (state.kind === 'failed') return state.dueMs
    const { effect } = this.#plan.action
    const isInDoubt = state.kind === 'authorized' && !this.#isOurs && effect.protocol === 'verify'
    return isInDoubt ? state.event.at + effect.settlesMs : undefined
  }

  receive(event: Outcome): void {
    const value = decodeValue(event.data ?? '')
    if (event.kind !== 'ActionCompleted') return this.fail(value)
    this.#plan.onDone(decodeValue(this.#plan.inputText), value)
    this.fulfil(value as T)
  }

  start(): void {
    if (this.#isBusy || this.recorded?.outcome !== undefined) return
    if (this.dueMs !== undefined) return this.host.wait(this)
    const state = this.#state
    switch (state.kind) {
      case 'undecided':
        return this.#goOn(state.attempt)
      case 'stated':
        if (this.settled || bodyOf(state.event, 'OutcomeStated').outcome !== 'not_done') {
          return this.#write(() => this.#settle(state))
        }
        return this.#goOn(state.attempt + 1)
      case 'authorized':
        return this.#isOurs ? this.#dispatch(state) : this.#recover(state.attempt)
    }
  }

  onDue(): void {
    if (this.#isBusy) return
    const state = this.#state
    switch (state.kind) {
      case 'asking':
        return this.writeOverdue(this, state.asked)
      case 'failed':
        return this.#again(state.attempt)
      case 'authorized':
        return this.#search(state.attempt)
    }
  }

  describe(): WaitingFor {
    const state = this.#state
    const about = { op: this.id, name: this.name }
    if (state.kind === 'asking') return this.describeAsking(state.asked)
    if (state.kind === 'unknown') return { kind: 'statement', ...about }
    const untilMs = this.dueMs
    return { kind: 'retry', ...about, ...(untilMs === undefined ? {} : { untilMs }) }
  }

  get #approval(): AskedApproval | undefined {
    const { approvedBy } = this.#plan
    if (approvedBy === undefined) return this.#askedIn(this.events)
    return askedApproval(this.host.peek(approvedBy)?.added ?? [])
  }

  #write(decide: () => Ruling): void {
    this.write(this, decide)
  }

  // After people have spoken nothing of the action executes before its run may go on.
  #goOn(attempt: number): void {
    if (this.#peopleSaid === undefined) return this.#check(attempt)
    this.#write(() => this.#resume())
  }

  // Looks at the world before anything is decided, but only if it would be allowed by what is known of the law.
  #check(attempt: number): void {
    const { action, inputText } = this.#plan
    const { stillValid } = action
    if (stillValid === undefined) return this.#write(() => this.#verdict(attempt, { value: true }))
    if (this.#ask().kind !== 'allowed') return this.#write(() => this.#verdict(attempt, undefined))
    const looked = (situation: Result): void => {
      const objection = objectionOf(situation)
      // What the destination has done by itself may be what changed the situation.
      const isToAsk = objection !== undefined && action.find !== undefined && isInDoubt(action, this.recorded)
      if (isToAsk) return this.#search(attempt - 1, objection)
      this.#write(() => this.#verdict(attempt, situation))
    }
    this.#call(attempt, () => stillValid(decodeValue(inputText)), looked)
  }

  #ask(): GateAnswer {
    const { government, action, inputText } = this.#plan
    const { guarded: run } = this.host
    const approval = this.#approval
    if (run === undefined) throw new Error('The gate was asked before the journal was read.')
    const isUsed = approval !== undefined && this.#isUsedElsewhere(approval.op)
    const { law } = government.basis
    return askGate({ law, run, action: action.name, inputText, approval, isUsed, nowMs: government.basis.nowMs })
  }

  #isUsedElsewhere(approval: OpId): boolean {
    const intents = this.host.addedOf('ActionAuthorized').map((event) => bodyOf(event, 'ActionAuthorized'))
    return intents.some((intent) => intent.op !== this.id && intent.approval === approval)
  }

  // `situation` is undefined where nobody has looked, because it would not have been allowed.
  #verdict(attempt: number, situation: Result | undefined): Ruling {
    const { action, inputText, government } = this.#plan
    const answer = this.#ask()
    const outcome = this.#askedIn(this.events)?.resolved?.outcome
    if (answer.kind === 'denied') return [this.#refused(attempt, answer, answer.reason)]
    if (answer.kind === 'needs_approval') {
      if (outcome === undefined)
        return [requestOf({ ...answer, about: this.about, action, inputText, question: '' }, this.host)]
      const code = outcome === 'expired' ? 'approval_expired' : 'approval_rejected'
      const given = { code, contract: answer.contract, roles: [] }
      return [this.#refused(attempt, given, `Whoever was asked said: ${outcome}.`)]
    }
    const { contract, roles } = answer.facts
    if (situation === undefined) {
      // The law has moved since: now somebody has to look first.
      if (!this.#isBusy) this.#check(attempt)
      return []
    }
    if ('error' in situation)
      return [draftAfter({ about: this.about, attempt, result: situation, wasSent: false }, action, this.host)]
    const objection = objectionOf(situation)
    if (objection !== undefined)
      return [this.#refused(attempt, { code: 'situation_changed', contract, roles }, objection)]
    if (isInDoubt(action, this.recorded) && isForgotten(action, this.recorded, this.nowMs)) {
      return [this.#doubtOf(attempt - 1, 'The destination may have forgotten its key by now.')]
    }
    const exceeded = this.#exceeded
    if (exceeded !== undefined) return [this.#refused(attempt, { code: 'limit_exceeded', contract, roles }, exceeded)]
    const cents = action.cents?.(decodeValue(inputText))
    const priced = cents === undefined ? {} : { cents }
    const authorized = draftOf('ActionAuthorized', { ...this.about, attempt, ...answer.facts, ...priced }, inputText)
    if (action.effect.protocol === 'transactional') {
      const { host, about } = this
      return transactedRuling({ host, store: government.store, action, about, attempt, inputText, authorized })
    }
    this.#isOurs = true
    return [authorized]
  }

  get #exceeded(): string | undefined {
    const { government, action, inputText } = this.#plan
    const cents = action.cents?.(decodeValue(inputText)) ?? 0
    return exceededLimit(government, this.host, { op: this.id, cents })
  }

  // After people have spoken the run may go on only if its actor still may.
  #resume(): readonly Draft[] {
    const { guarded: run } = this.host
    const endedBy = this.#peopleSaid
    if (run === undefined || endedBy === undefined) return []
    return this.#plan.government.guard.afterPause(run, { ...this.about, endedBy })
  }

  // The kind of the event by which people ended a pause that nothing came after yet.
  get #peopleSaid(): string | undefined {
    const last = this.events.at(-1)?.kind
    return last === 'ApprovalResolved' || last === 'OutcomeStated' ? last : undefined
  }

  // It was not done, or, where an attempt before may have landed, must not be tried again.
  #refused(attempt: number, { code, contract, roles }: Refused, reason: string): Draft {
    if (isInDoubt(this.#plan.action, this.recorded)) return this.#doubtOf(attempt - 1, `${reason} (${code})`)
    const error = governanceError(
      code === 'limit_exceeded' ? code : 'action_denied',
      `Action ${this.name} of run ${this.host.runId} was not allowed (${code}): ${reason} Nothing was executed.`,
      { details: { reason: code } },
    )
    const data = encodeError(error, { limits: this.host.parts.limits, what: 'denial' })
    return draftOf('ActionDenied', { ...this.about, contract, code: code as never, roles }, data)
  }

  #dispatch({ attempt, event }: DoState & { readonly kind: 'authorized' }): void {
    const { action } = this.#plan
    this.#isBusy = true
    // Whatever this owner still writes would be refused if another had taken over; what it sends would not.
    this.host.whileOwned(() =>
      this.#call(
        attempt,
        (info) => action.run(decodeValue(event.data ?? ''), info as never),
        (result) => {
          // Of an intent that was found open nobody can tell that nothing was sent.
          const known = this.#isOurs ? {} : { wasSent: true }
          this.#record(draftAfter({ about: this.about, attempt, result, ...known }, action, this.host))
        },
      ),
    )
  }

  // An intent of an owner before: whether it was dispatched nobody knows.
  #recover(attempt: number): void {
    const { action, government } = this.#plan
    const isRepeatable = action.effect.protocol === 'idempotent' && !isForgotten(action, this.recorded, this.nowMs)
    if (!isRepeatable) return this.#doubt(attempt, undefined)
    const { stillValid } = action
    const state = this.#state
    if (state.kind !== 'authorized') return
    const input = decodeValue(state.event.data ?? '')
    const look = async (): Promise<StillValid> => {
      await government.basis.catchUp()
      if (this.#forbidden !== undefined || stillValid === undefined) return true
      // Looking may take long, and nothing is stored between this and the effect that would notice what came meanwhile.
      return Promise.resolve(stillValid(input)).finally(() => government.basis.catchUp())
    }
    this.#call(attempt, look, (situation) => {
      const objection = 'error' in situation ? String(situation.error) : objectionOf(situation)
      if (this.#forbidden !== undefined) return this.#doubt(attempt, undefined)
      if (objection === undefined) return this.#dispatch(state)
      return action.find === undefined ? this.#doubt(attempt, objection) : this.#search(attempt, objection)
    })
  }

  // The destination is asked, once no earlier request can land any more; or, where one still may, whether one has landed.
  #search(attempt: number, objection?: string): void {
    const { action, inputText } = this.#plan
    const key = `${this.host.runId}/${this.id}`
    this.#call(
      attempt,
      () => action.find?.(decodeValue(inputText), { key }),
      (result) => this.#found(attempt, result, objection),
    )
  }

  #found(attempt: number, result: Result, objection: string | undefined): void {
    const { action } = this.#plan
    const about = this.about
    if ('error' in result || result.value === undefined) return this.#doubt(attempt, objection)
    const search = result.value as Search<unknown>
    if (search.kind === 'done') {
      const draft = draftAfter({ about, attempt, result: { value: search.output } }, action, this.host)
      return this.#record(draft.kind === 'ActionCompleted' ? markFound(draft) : draft)
    }
    if (action.effect.protocol !== 'verify') return this.#doubt(attempt, objection)
    if (this.settled) return this.#record(failed({ about, attempt, error: notDone, action }, 'cancelled', this.host))
    this.#check(attempt + 1)
  }

  // A failed attempt is repeated, unless its run was cancelled meanwhile or the destination may have forgotten the key.
  #again(attempt: number): void {
    const { action } = this.#plan
    if (action.effect.protocol === 'verify' && !wasNotDispatched(this.recorded)) return this.#search(attempt)
    if (this.settled && wasNotDispatched(this.recorded)) {
      return this.#record(failed({ about: this.about, attempt, error: notDone, action }, 'cancelled', this.host))
    }
    if (this.settled || isForgotten(action, this.recorded, this.nowMs)) return this.#doubt(attempt, undefined)
    this.#check(attempt + 1)
  }

  #doubt(attempt: number, objection: string | undefined): void {
    this.#record(this.#doubtOf(attempt, this.#forbidden ?? objection))
  }

  // Why an intent that was authorised may not be dispatched any more; undefined while it may.
  get #forbidden(): string | undefined {
    const answer = this.#ask()
    if (answer.kind === 'denied') return answer.reason
    if (answer.kind === 'needs_approval') return 'It takes an approval by now.'
    return this.#exceeded
  }

  #doubtOf(attempt: number, objection: string | undefined): Draft {
    const why = objection === undefined ? 'It must not be repeated by itself.' : `It must not be repeated: ${objection}`
    const error = governanceError(
      'outcome_unknown',
      `Whether action ${this.name} of run ${this.host.runId} happened is not known. ${why} Look at the destination for key ${this.host.runId}/${this.id}, and state what came of it.`,
    )
    return unknown({ about: this.about, attempt, error, action: this.#plan.action }, this.host)
  }

  #settle({ attempt, event }: DoState & { readonly kind: 'stated' }): readonly Draft[] {
    const permission = this.#resume()
    if (permission.at(-1)?.kind === 'FlowFailed') return permission
    const { outcome } = bodyOf(event, 'OutcomeStated')
    const about = this.about
    const { output } = decodeValue(event.data ?? '{}') as { readonly output?: unknown }
    if (outcome === 'done') {
      return [...permission, draftAfter({ about, attempt, result: { value: output } }, this.#plan.action, this.host)]
    }
    return [...permission, failed({ about, attempt, error: notDone, action: this.#plan.action }, 'stated', this.host)]
  }

  #call(attempt: number, call: (info: unknown) => unknown, over: (result: Result) => void): void {
    this.#isBusy = true
    const { host } = this
    const done = (result: Result): void => {
      this.#isBusy = false
      over(result)
    }
    attemptOf(host, {
      key: `${host.runId}/${this.id}`,
      attempt,
      call,
      over: done,
      timeoutMs: this.#plan.action.timeoutMs,
    })
  }

  // What came of an effect is written whatever became of the flow meanwhile.
  #record(draft: Draft): void {
    this.host.offer(this, draft, () => this.recorded?.outcome === undefined)
  }
}

const notDone = governanceError('action_failed', 'It was not done, as far as anybody knows, and it is not tried again.')

interface Refused {
  readonly code: string
  readonly contract: string
  readonly roles: readonly string[]
}

// Why the situation no longer fits; undefined if it does, or nobody can tell.
function objectionOf(situation: Result): string | undefined {
  if ('error' in situation) return undefined
  const valid = situation.value as StillValid
  return valid === true ? undefined : String(valid)
}

function markFound({ kind, body, data }: Draft): Draft {
  return { kind, body: JSON.stringify({ ...(JSON.parse(body) as object), found: true }), data }
}
