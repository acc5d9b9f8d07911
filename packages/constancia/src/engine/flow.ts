import type { RunId } from '../journal/index.js'
import type { AttemptInfo } from './attempt.js'
import type { RetryPolicy } from './retry.js'
import type { Schema } from './schema.js'
import type { Received } from './signal.js'

/** A declared plan. A run keeps the name and version it started with. */
export interface Flow<Input = unknown, Output = unknown> {
  readonly name: string
  readonly version: number
  readonly input: Schema<Input> | undefined
  readonly retry: RetryPolicy
  readonly patches: readonly string[]
  readonly key: ((input: Input) => string) | undefined
  readonly concurrency: Concurrency
  /** Of runs that are started without one. */
  readonly priority: number
  readonly run: (ctx: FlowContext, input: Input) => Promise<Output | Continuation>
}

/** How many runs of a flow may be worked on at once, by all workers of a store together. A run that waits does not count. */
export interface Concurrency {
  /** Of all versions of the flow; unlimited unless set. */
  readonly running?: number
  /** Of those with the same key; unlimited unless set. */
  readonly runningPerKey?: number
}

/** What {@link flow} takes. */
export interface FlowDeclaration<Input, Output> {
  /** 1 to 100 of the characters `A-Z a-z 0-9 . _ -`. */
  readonly name: string
  /** A whole number from 1; raise it when a change must not reach runs under way. */
  readonly version: number
  /** Checks the input when a run is started. Without one, anything that can be kept is taken. */
  readonly input?: Schema<Input>
  /** What its steps are retried by where they say nothing themselves. */
  readonly retry?: Partial<RetryPolicy>
  /** Changes of its code that runs under way must not see; each is an id that `ctx.patched` asks for. */
  readonly patches?: readonly string[]
  /** What its runs share a limit by: 1 to 200 characters, a pseudonym. Called where a run is started; computes and does nothing else. */
  readonly key?: (input: Input) => string
  readonly concurrency?: Concurrency
  /**
   * The priority of its runs where their start names none: a whole number from -100 to 100; 0 unless set. Of the runs of this
   * flow that are due, workers take those of the highest priority first, so one of a low priority waits as long as higher ones
   * are due. A child has the priority of its parent, and a run that takes over from another one that of the other.
   */
  readonly priority?: number
  /** The plan. Returns the output, or what `ctx.continueAsNew` gave. */
  readonly run: (ctx: FlowContext, input: Input) => Promise<Output>
}

/** Any flow, as a list of them takes it. */
// biome-ignore lint/suspicious/noExplicitAny: a flow takes its own input and nothing else; only `any` stands for all of them.
export type AnyFlow = Flow<any, any>

/**
 * What `ctx.continueAsNew` returns and a flow hands on: the run ends here, and a new one goes on in its place with a fresh
 * journal. Opaque.
 */
export class Continuation {
  readonly flow: AnyFlow
  /** The input, as its text. */
  readonly input: string
  /** What the new run shares a limit by, where its flow says so. */
  readonly key: { readonly key?: string }

  constructor(flow: AnyFlow, input: string, key: { readonly key?: string }) {
    this.flow = flow
    this.input = input
    this.key = key
  }
}

/** How one step differs from its flow's defaults. */
export interface StepOptions {
  readonly retry?: Partial<RetryPolicy>
  /** Milliseconds that one attempt may take; as long as it needs unless set. */
  readonly timeoutMs?: number
}

/** A part of a flow that runs beside others, with a context of its own. */
export type Branch<T> = (ctx: FlowContext) => Promise<T>

/**
 * All that a flow may touch of the world. Every word is journaled: on replay its outcome is re-read and nothing executes.
 * `Promise.all`, `race`, `any` and `allSettled` over these promises are safe; awaiting anything else is `foreign_await`.
 */
export interface FlowContext {
  readonly runId: RunId
  /**
   * Executes a function until it succeeds, and returns what it returned, decoded from the journal. The result is durable
   * when this resolves. The function may be executed more than once (a crash before its result is stored; a retry): pass
   * `attempt.key` to destinations. Rejects with the last error, with `not_serializable` or with `value_too_large`.
   */
  step<T>(name: string, run: (attempt: AttemptInfo) => T | Promise<T>, options?: StepOptions): Promise<T>
  /** Waits for milliseconds, or until a date; months are fine. Holds no process meanwhile. Rejects with `invalid_option`. */
  sleep(until: number | Date): Promise<void>
  /** Waits for the next unread signal of a name, also one that came before. Rejects with `invalid_value` if it does not fit. */
  signal<T = unknown>(name: string, schema?: Schema<T>): Promise<T>
  /** The same, for at most so many milliseconds. */
  signal<T = unknown>(
    name: string,
    schema: Schema<T> | undefined,
    limit: { readonly within: number },
  ): Promise<Received<T>>
  /**
   * Starts a child run and waits for its end; returns its output. The child is a run of its own, `<this run>~<op>`, that any
   * worker which has its flow takes. Rejects with the error that the child failed with, with `child_cancelled`, or, if the
   * input is wrong, with `invalid_value`, `not_serializable` or `value_too_large`. A child that is still open when this flow
   * ends or is cancelled is cancelled too, and the end of this run waits for it.
   */
  call<Input, Output>(flow: Flow<Input, Output>, input: Input): Promise<Output>
  /** Runs branches at once and waits for all of them, like `Promise.all`. */
  parallel<const T extends readonly Branch<unknown>[]>(
    branches: T,
  ): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }>
  /** Runs one branch an item, at most `concurrency` of them at once, and returns their results in the items' order. */
  map<Item, T>(
    items: readonly Item[],
    branch: (item: Item, ctx: FlowContext, index: number) => Promise<T>,
    options?: { readonly concurrency?: number },
  ): Promise<T[]>
  /**
   * Whether this run started when its flow declared this patch already: code that changed asks before it does the new
   * thing. For an id that the flow does not declare the run is parked, until it does.
   */
  patched(id: string): boolean
  /** How many events the journal had when the last outcome was handed over: the same in every replay. */
  readonly eventCount: number
  /**
   * To be returned from the flow: this run ends and a new one, with a fresh journal and this input, takes its place; signals
   * that were not read go with it. Whoever has this run's id reaches the new one. Another flow, or another version, may be
   * named. Throws `invalid_value`, `not_serializable` or `value_too_large`.
   */
  continueAsNew(input: unknown, flow?: AnyFlow): Continuation
  /** UTC milliseconds since 1970 of the last outcome that was handed over: the same in every replay. */
  now(): number
  /** A number from 0 up to 1, the same in every replay. Not for secrets. */
  random(): number
  /** A UUID, the same in every replay. Not for secrets. */
  uuid(): string
  /** Writes a line of log; silent on replay. */
  log(message: string, fields?: Readonly<Record<string, unknown>>): void
}
