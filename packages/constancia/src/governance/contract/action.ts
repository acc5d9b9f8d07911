import type { AttemptInfo, RetryPolicy, Schema } from '../../engine/index.js'
import type { OpId } from '../../journal/index.js'
import type { Transactions } from '../../store/index.js'
import type { EffectProtocol, Transactional } from './effect.js'

/**
 * A governed effect: a contract's rules name it, and the gate decides each time whether it may happen. `Given` is what its schema
 * takes, `Input` what it makes of that: they differ where it fills in or converts. `Attempt` is what its function is told of the try that
 * it is.
 */
export interface Action<Input = unknown, Output = unknown, Given = Input, Attempt = never> {
  readonly kind: 'action'
  readonly name: string
  readonly title: string
  readonly input: DescribedSchema<Input, Given>
  readonly output: DescribedSchema<Output> | undefined
  readonly effect: EffectProtocol
  readonly stillValid: ((input: Input) => StillValid | Promise<StillValid>) | undefined
  readonly find:
    | ((input: Input, about: { readonly key: string }) => Search<Output> | Promise<Search<Output>>)
    | undefined
  readonly cents: ((input: Input) => number) | undefined
  readonly retry: Partial<RetryPolicy>
  readonly timeoutMs: number | undefined
  readonly undo: AnyAction | undefined
  readonly run: (input: Input, attempt: Attempt) => Output | Promise<Output>
  /** This action with this very input: what an approval is asked for, and what is done after it. */
  readonly with: (input: Given) => Proposed<Given, Output>
}

/** Any action, as a list of them takes it. */
// biome-ignore lint/suspicious/noExplicitAny: an action takes its own input and nothing else; only `any` stands for all of them.
export type AnyAction = Action<any, any, any>

/** An action and the input it would have. */
export interface Proposed<Given = unknown, Output = unknown> {
  // biome-ignore lint/suspicious/noExplicitAny: what the schema makes of what is given is the action's own affair.
  readonly action: Action<any, Output, Given>
  readonly input: Given
  /** The op whose approval it has; undefined where nobody was asked. */
  readonly approvedBy?: OpId
}

/** What a destination says of a key that it may have seen. */
export type Search<Output> = { readonly kind: 'done'; readonly output: Output } | { readonly kind: 'not_done' }

/** Any action and its input. */
// biome-ignore lint/suspicious/noExplicitAny: as for any action.
export type AnyProposed = Proposed<any, any>

/** What comes of what is proposed, whichever it is. */
// biome-ignore lint/suspicious/noExplicitAny: as for any action.
export type OutputOf<P extends AnyProposed> = P extends Proposed<any, infer Output> ? Output : never

/** True, or why the situation is no longer one in which the action makes sense. */
export type StillValid = true | string

/**
 * What Constancia asks of an action's schemas: the Standard Schema interface and its JSON Schema part
 * (standardschema.dev), because rules and approvals have to be readable without the code. Zod from 4.2 on has both.
 */
// biome-ignore lint/suspicious/noExplicitAny: a schema that says nothing of what it takes takes anything.
export interface DescribedSchema<Output, Given = any> extends Schema<Output> {
  readonly '~standard': Schema<Output>['~standard'] & {
    readonly types?: { readonly input: Given; readonly output: Output } | undefined
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
}

/** What an action's function is told of the try that it is: where its effect is in our own database, also the transaction. */
export type AttemptOf<Effect extends EffectProtocol> =
  Effect extends Transactional<infer Database> ? AttemptInfo & { readonly tx: Transactions[Database] } : AttemptInfo

/** What every action declares. */
interface ActionTerms<Input, Output, Given, Effect extends EffectProtocol> {
  /** 1 to 100 of the characters `A-Z a-z 0-9 . _ -`. */
  readonly name: string
  /** What it does, for people who approve it: `Pay a vendor`. */
  readonly title?: string
  readonly input: DescribedSchema<Input, Given>
  /** What the destination offers: `transactional(database)`, `idempotent({ remembersMs })`, `verify({ settlesMs })` or `once()`. */
  readonly effect: Effect
  /** Looks at the world once more before the effect, after any pause. */
  readonly stillValid?: (input: Input) => StillValid | Promise<StillValid>
  /** Asks the destination whether the effect with this key happened; `verify` needs it. */
  readonly find?: (
    input: Input,
    about: { readonly key: string },
  ) => Search<NoInfer<Output>> | Promise<Search<NoInfer<Output>>>
  /** What it costs, in hundredths of a currency unit: counts towards the `cents` that a contract allows a run. Computes and does nothing else. */
  readonly cents?: (input: Input) => number
  /** How failed attempts are repeated, where the protocol lets them be. */
  readonly retry?: Partial<RetryPolicy>
  /**
   * Milliseconds that one attempt may take; whether it happened is not known then. As long as it needs unless set. Of a transactional
   * effect, which then did not happen, in PostgreSQL: 20,000 at most, 10,000 unless set.
   */
  readonly timeoutMs?: number
  /** The action that takes it back; its input is `{ input, output }` of what it takes back. See `ctx.compensate`. */
  readonly undo?: AnyAction
}

/** What {@link action} takes. */
export interface ActionDeclaration<Input, Output, Given = Input, Effect extends EffectProtocol = EffectProtocol>
  extends ActionTerms<Input, Output, Given, Effect> {
  readonly output?: DescribedSchema<Output>
  /** Has the effect. Pass `attempt.key` to the destination; a transactional effect is had through `attempt.tx`, and nowhere else. */
  readonly run: (input: Input, attempt: AttemptOf<Effect>) => Output | Promise<Output>
}

/** An action that says what it returns, and is held to it. */
interface OutputDeclaration<Input, Output, Given, Effect extends EffectProtocol>
  extends ActionTerms<Input, Output, Given, Effect> {
  readonly output: DescribedSchema<Output>
  readonly run: (input: Input, attempt: AttemptOf<Effect>) => NoInfer<Output> | Promise<NoInfer<Output>>
}

/** Declares an action. What is wrong with it is found where a contract names it, together with everything else. */
export function action<Input, Output, Given = Input, Effect extends EffectProtocol = EffectProtocol>(
  declaration: OutputDeclaration<Input, Output, Given, Effect>,
): Action<Input, Output, Given, AttemptOf<Effect>>
export function action<Input, Output, Given = Input, Effect extends EffectProtocol = EffectProtocol>(
  declaration: ActionDeclaration<Input, Output, Given, Effect> & { readonly output?: undefined },
): Action<Input, Output, Given, AttemptOf<Effect>>
export function action<Input, Output, Given, Effect extends EffectProtocol>(
  declaration: ActionDeclaration<Input, Output, Given, Effect>,
): Action<Input, Output, Given, AttemptOf<Effect>> {
  const {
    name,
    title = '',
    input,
    output,
    effect,
    stillValid,
    find,
    cents,
    retry = {},
    timeoutMs,
    undo,
    run,
  } = declaration
  const made: Action<Input, Output, Given, AttemptOf<Effect>> = {
    kind: 'action',
    name,
    title,
    input,
    output,
    effect,
    stillValid,
    find,
    cents,
    retry,
    timeoutMs,
    undo,
    run,
    with: (given) => ({ action: made, input: given }),
  }
  return made
}
