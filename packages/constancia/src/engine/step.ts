import {
  ConstanciaError,
  type Draft,
  decodeValue,
  draftOf,
  encodeError,
  encodeValue,
  isPermanent,
  type NoRetryReason,
} from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { Attempt, type AttemptInfo } from './attempt.js'
import { engineError } from './errors.js'
import type { Outcome } from './history.js'
import { type Host, type Op, OpBase, type OpPlace } from './op.js'
import { randomFraction } from './randomness.js'
import { type RetryPolicy, retryDelayMs } from './retry.js'
import { retryAfterMs } from './retry-after.js'

/** What a step does, and how it is retried. */
export interface StepPlan<T> {
  readonly run: (attempt: AttemptInfo) => T | Promise<T>
  readonly retry: RetryPolicy
  /** Undefined: as long as it takes. */
  readonly timeoutMs: number | undefined
}

type Result<T> = { readonly value: T } | { readonly error: unknown }

/** `ctx.step`: executes a function until it succeeds or is given up, and records the outcome once. */
export class StepOp<T> extends OpBase<T> implements Op {
  readonly verb = 'step'
  readonly hasEffect = true
  readonly #plan: StepPlan<T>

  constructor(host: Host, place: OpPlace, plan: StepPlan<T>) {
    super(host, place)
    this.#plan = plan
  }

  get dueMs(): number | undefined {
    return this.recorded?.retryDueMs
  }

  receive(event: Outcome): void {
    const value = decodeValue(event.data ?? '')
    if (event.kind === 'StepCompleted') this.fulfil(value as T)
    else this.fail(value)
  }

  start(): void {
    if (this.dueMs === undefined) this.onDue()
    else this.host.wait(this)
  }

  onDue(): void {
    const { host } = this
    const attempt = new Attempt(`${host.runId}/${this.id}`, (this.recorded?.failedAttempts ?? 0) + 1, host.claim)
    host.began(attempt)
    if (this.#plan.timeoutMs !== undefined) attempt.disarm = this.#armTimeout(attempt, this.#plan.timeoutMs)
    invoke(this.#plan.run, attempt).then(
      (value) => this.#end(attempt, { value }),
      (error: unknown) => this.#end(attempt, { error }),
    )
  }

  // An attempt that timed out is dead: what it brings later counts for nothing.
  #end(attempt: Attempt, result: Result<T>): void {
    if (attempt.isOver) return
    attempt.isOver = true
    attempt.disarm()
    if (!saidAWord(result)) this.host.offer(this, this.#outcome(attempt.attempt, result), () => !this.settled)
    this.host.ended(attempt)
  }

  describe(): WaitingFor {
    const untilMs = this.dueMs
    return { kind: 'retry', op: this.id, name: this.name, ...(untilMs === undefined ? {} : { untilMs }) }
  }

  #armTimeout(attempt: Attempt, timeoutMs: number): () => void {
    return this.host.parts.clock.after(timeoutMs, () => {
      const error = engineError(
        'step_timeout',
        `Attempt ${attempt.attempt} of step ${JSON.stringify(this.name)} took longer than ${timeoutMs} ms. It counts as a failed attempt; ` +
          'what it still brings is discarded. Raise timeoutMs if it needs the time.',
      )
      attempt.abort(error)
      this.#end(attempt, { error })
    })
  }

  #outcome(attempt: number, result: Result<T>): Draft {
    if ('error' in result) return this.#failure(attempt, result.error)
    const { id: op, name } = this
    try {
      const what = `result of step ${JSON.stringify(name)}`
      const data = encodeValue(result.value, { limits: this.host.parts.limits, what })
      return draftOf('StepCompleted', { op, name, attempt }, data)
    } catch (error) {
      return this.#final(attempt, error, 'result_not_kept')
    }
  }

  #failure(attempt: number, error: unknown): Draft {
    const reason = this.#noRetry(attempt, error)
    if (reason !== undefined) return this.#final(attempt, error, reason)
    const { id: op, name, host } = this
    const fraction = randomFraction(host.runId, `${op}/retry/${attempt}`)
    const asked = retryAfterMs(error, host.parts.clock.now())
    const delayMs = retryDelayMs(this.#plan.retry, { attempt, fraction, retryAfterMs: asked })
    return draftOf('StepAttemptFailed', { op, name, attempt, code: codeOf(error), delayMs }, this.#encodeError(error))
  }

  #noRetry(attempt: number, error: unknown): NoRetryReason | undefined {
    if (isPermanent(error)) return 'permanent'
    if (this.#isExempt(error)) return 'not_retried'
    return attempt >= this.#plan.retry.attemptsMax ? 'attempts_used_up' : undefined
  }

  #isExempt(error: unknown): boolean {
    try {
      return this.#plan.retry.unless(error) === true
    } catch {
      return false // A predicate that fails exempts nothing; the attempts are bounded all the same.
    }
  }

  #final(attempt: number, error: unknown, reason: NoRetryReason): Draft {
    const { id: op, name } = this
    return draftOf('StepFailed', { op, name, attempt, code: codeOf(error), reason }, this.#encodeError(error))
  }

  #encodeError(error: unknown): string {
    return encodeError(error, { limits: this.host.parts.limits, what: `error of step ${JSON.stringify(this.name)}` })
  }
}

// The function used the context of its flow, so the run is being parked: under repaired code the step executes anew.
function saidAWord(result: Result<unknown>): boolean {
  return 'error' in result && codeOf(result.error) === 'foreign_await'
}

/** The code that the journal gives an error: ours for errors of ours, `error` for all others. */
export function codeOf(error: unknown): string {
  return error instanceof ConstanciaError ? error.code : 'error'
}

// Not an async function: that would take three more microtasks to pass on what a promise brings.
function invoke<T>(run: (attempt: AttemptInfo) => T | Promise<T>, attempt: AttemptInfo): Promise<T> {
  try {
    return Promise.resolve(run(attempt))
  } catch (error) {
    return Promise.reject(error)
  }
}
