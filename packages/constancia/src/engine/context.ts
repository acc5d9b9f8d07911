import { childRunId, encodeValue, type OpId, type RunId } from '../journal/index.js'
import type { AskRequest, Difference } from './ask.js'
import type { AttemptInfo } from './attempt.js'
import { CallOp } from './call.js'
import { keyOfInput } from './declare.js'
import { type Parking, undeclaredPatch } from './divergence.js'
import { parseDuration, parseTimer } from './duration.js'
import { engineError } from './errors.js'
import { type AnyFlow, type Branch, Continuation, type Flow, type FlowContext, type StepOptions } from './flow.js'
import type { AddedVerb, OpRecord } from './history.js'
import type { Host, Op, OpPlace } from './op.js'
import { rejected, silenced } from './op-promise.js'
import type { Parts } from './parts.js'
import { derivedUuid, randomFraction } from './randomness.js'
import { retryPolicy } from './retry.js'
import { parseWith, type Schema } from './schema.js'
import { type Received, SignalOp } from './signal.js'
import { SleepOp } from './sleep.js'
import { StepOp } from './step.js'

/** What a context needs from the execution behind it. */
export interface Words {
  readonly host: Host
  readonly flow: AnyFlow
  /** The patches that the run started with. */
  readonly patches: readonly string[]
  /** Takes an op in, unless the word is said outside a turn or differs from the journal; then nothing ever comes back. */
  ask<T>(request: AskRequest<T>): Promise<T>
  /** Throws `foreign_await` unless a turn is open. */
  requireTurn(word: string): void
  /** Parks the run: nothing comes back to its flow any more. Returns what a word throws that cannot return a promise. */
  park(parking: Parking): Error
  readonly nowMs: number
  readonly eventCount: number
  log(message: string, fields: Readonly<Record<string, unknown>>): void
}

/** A word that a layer above adds. */
export interface AddedWord<T, Plan> {
  readonly verb: AddedVerb
  readonly name: string
  /** Makes of its arguments what it works with. What it throws the word is rejected with; no op id is taken. */
  readonly plan: () => Plan
  /** In which arguments it differs from what the journal has, in words; undefined if in none. */
  readonly differs?: (record: OpRecord, plan: Plan) => Difference | undefined
  readonly make: (host: Host, place: OpPlace, plan: Plan) => Op & { readonly promise: Promise<T> }
}

/** What every context is, to layers above. */
export interface EngineContext extends FlowContext {
  readonly parts: Parts
  added<T, Plan>(word: AddedWord<T, Plan>): Promise<T>
}

/** The context of a flow or of one of its branches. A branch numbers its own ops, so that branches cannot disturb each other. */
export class BranchContext implements EngineContext {
  readonly #words: Words
  readonly #prefix: string
  #opCount = 0
  #drawCount = 0

  constructor(words: Words, prefix: string) {
    this.#words = words
    this.#prefix = prefix
  }

  get runId(): RunId {
    return this.#words.host.runId
  }

  step<T>(name: string, run: (attempt: AttemptInfo) => T | Promise<T>, options: StepOptions = {}): Promise<T> {
    return this.#word(() => {
      requireName(name, 'step')
      requireFunction(run, name)
      const retry =
        options.retry === undefined ? this.#words.flow.retry : retryPolicy(options.retry, this.#words.flow.retry)
      const timeoutMs =
        options.timeoutMs === undefined
          ? undefined
          : parseDuration(options.timeoutMs, `timeoutMs of step ${JSON.stringify(name)}`)
      const op = this.#nextOp()
      const make = (record: OpRecord | undefined): StepOp<T> =>
        new StepOp<T>(this.#words.host, { id: op, name, record }, { run, retry, timeoutMs })
      return this.#words.ask({ op, verb: 'step', name, make })
    })
  }

  sleep(until: number | Date): Promise<void> {
    return this.#word(() => {
      const timer = parseTimer(until, 'The time to sleep')
      const op = this.#nextOp()
      const asked = JSON.stringify(timer)
      const differs = (record: OpRecord): Difference | undefined => {
        const recorded = JSON.stringify(record.timer?.spec ?? timer)
        return recorded === asked ? undefined : { recorded, asked }
      }
      const make = (record: OpRecord | undefined): SleepOp =>
        new SleepOp(this.#words.host, { id: op, name: 'sleep', record }, timer)
      return this.#words.ask({ op, verb: 'sleep', name: 'sleep', differs, make })
    })
  }

  signal<T>(name: string, schema?: Schema<T>): Promise<T>
  signal<T>(name: string, schema: Schema<T> | undefined, limit: { readonly within: number }): Promise<Received<T>>
  signal<T>(name: string, schema?: Schema<T>, limit?: { readonly within: number }): Promise<T | Received<T>> {
    return this.#word<T | Received<T>>(() => {
      requireName(name, 'signal')
      const timer =
        limit === undefined
          ? undefined
          : { afterMs: parseDuration(limit.within, `within of signal ${JSON.stringify(name)}`) }
      const op = this.#nextOp()
      const make = (record: OpRecord | undefined): SignalOp<T> =>
        new SignalOp<T>(this.#words.host, { id: op, name, record }, { schema, timer })
      const received = this.#words.ask({ op, verb: 'signal', name, make })
      if (limit !== undefined) return received
      return received.then((answer) => (answer as { readonly value: T }).value)
    })
  }

  call<Input, Output>(flow: Flow<Input, Output>, input: Input): Promise<Output> {
    return this.#word(() => {
      const { host } = this.#words
      const what = `Input of child flow ${JSON.stringify(flow.name)}`
      const parsed = parseWith(flow.input, input, what)
      const text = encodeValue(parsed, { limits: host.parts.limits, what })
      const key = keyOfInput(flow, parsed)
      const child = childRunId(this.runId, this.#nextOpId)
      const op = this.#nextOp()
      const differs = (record: OpRecord): Difference | undefined => {
        const recorded = record.child?.input ?? text
        return recorded === text ? undefined : { recorded: `with ${brief(recorded)}`, asked: `with ${brief(text)}` }
      }
      const make = (record: OpRecord | undefined): CallOp<Output> =>
        new CallOp<Output>(host, { id: op, name: flow.name, record }, { flow, child, input: text, key })
      return this.#words.ask({ op, verb: 'call', name: flow.name, differs, make })
    })
  }

  /** A word of a layer above, which makes its op. */
  added<T, Plan>(word: AddedWord<T, Plan>): Promise<T> {
    return this.#word(() => {
      const { verb, name, differs } = word
      requireName(name, verb)
      const plan = word.plan()
      const op = this.#nextOp()
      const make = (record: OpRecord | undefined): Op & { readonly promise: Promise<T> } =>
        word.make(this.#words.host, { id: op, name, record }, plan)
      const compare = differs && { differs: (record: OpRecord) => differs(record, plan) }
      return this.#words.ask({ op, verb, name, make, ...compare })
    })
  }

  get parts(): Parts {
    return this.#words.host.parts
  }

  parallel<const T extends readonly Branch<unknown>[]>(
    branches: T,
  ): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
    return this.#branches(branches.length, Number.POSITIVE_INFINITY, (ctx, index) =>
      branches[index]?.(ctx),
    ) as Promise<{
      -readonly [K in keyof T]: Awaited<ReturnType<T[K]>>
    }>
  }

  map<Item, T>(
    items: readonly Item[],
    branch: (item: Item, ctx: FlowContext, index: number) => Promise<T>,
    options: { readonly concurrency?: number } = {},
  ): Promise<T[]> {
    const kept = [...items] // What the flow does to its list meanwhile must not reach branches that have not begun.
    const run = (ctx: FlowContext, index: number): Promise<T> => branch(kept[index] as Item, ctx, index)
    return this.#branches(kept.length, options.concurrency ?? Number.POSITIVE_INFINITY, run) as Promise<T[]>
  }

  patched(id: string): boolean {
    this.#words.requireTurn('patched')
    const { flow, patches } = this.#words
    if (flow.patches.includes(id)) return patches.includes(id)
    throw this.#words.park(undeclaredPatch(flow.name, id))
  }

  get eventCount(): number {
    this.#words.requireTurn('eventCount')
    return this.#words.eventCount
  }

  continueAsNew(input: unknown, flow: AnyFlow = this.#words.flow): Continuation {
    this.#words.requireTurn('continueAsNew')
    const what = `Input of the run that continues as flow ${JSON.stringify(flow.name)}`
    const parsed: unknown = parseWith(flow.input, input, what)
    const text = encodeValue(parsed, { limits: this.#words.host.parts.limits, what })
    return new Continuation(flow, text, keyOfInput(flow, parsed))
  }

  now(): number {
    this.#words.requireTurn('now')
    return this.#words.nowMs
  }

  random(): number {
    return randomFraction(this.runId, this.#nextDraw('random'))
  }

  uuid(): string {
    return derivedUuid(this.runId, this.#nextDraw('uuid'))
  }

  log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#words.requireTurn('log')
    this.#words.log(message, fields)
  }

  #branches(count: number, concurrency: number, run: (ctx: FlowContext, index: number) => unknown): Promise<unknown[]> {
    return this.#word(() => {
      if (!(concurrency >= 1)) {
        throw engineError(
          'invalid_option',
          `The concurrency of a map is a number from 1, but it was ${String(concurrency)}. No branch was begun.`,
        )
      }
      this.#words.requireTurn('parallel')
      const op = this.#nextOp()
      const contexts = Array.from({ length: count }, (_, index) => new BranchContext(this.#words, `${op}.${index}.`))
      return silenced(runBranches(contexts, concurrency, run))
    })
  }

  get #nextOpId(): OpId {
    return `${this.#prefix}${this.#opCount}` as OpId
  }

  #nextOp(): OpId {
    const op = this.#nextOpId
    this.#opCount += 1
    return op
  }

  #nextDraw(word: string): string {
    this.#words.requireTurn(word)
    const draw = `${this.#prefix}draw/${this.#drawCount}`
    this.#drawCount += 1
    return draw
  }

  // What is wrong with the arguments is refused at the call, as a rejection that the flow can catch; no op id is taken.
  #word<T>(say: () => Promise<T>): Promise<T> {
    try {
      return say()
    } catch (error) {
      return rejected<T>(error)
    }
  }
}

async function runBranches(
  contexts: readonly FlowContext[],
  concurrency: number,
  run: (ctx: FlowContext, index: number) => unknown,
): Promise<unknown[]> {
  const results: unknown[] = new Array(contexts.length)
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < contexts.length) {
      const index = next
      next += 1
      results[index] = await run(contexts[index] as FlowContext, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, contexts.length) }, lane))
  return results
}

function requireName(name: unknown, what: string): void {
  if (typeof name === 'string' && name.length >= 1 && name.length <= 200) return
  throw engineError(
    'invalid_option',
    `The name of a ${what} is a text of 1 to 200 characters, but it was ${describe(name)}. Nothing was started.`,
  )
}

function requireFunction(run: unknown, step: string): void {
  if (typeof run === 'function') return
  throw engineError(
    'invalid_option',
    `What step ${JSON.stringify(step)} runs is a function, but it was ${describe(run)}. Nothing was started.`,
  )
}

function brief(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}… (${text.length} characters)`
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `a text of ${value.length} characters` : `a ${typeof value}`
}
