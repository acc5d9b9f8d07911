import type { AttemptInfo, RetryPolicy, Schema } from '../../engine/index.js'
import type { OpId } from '../../journal/index.js'
import type { EffectProtocol } from './effect.js'

/** A governed effect: a contract's rules name it, and the gate decides each time whether it may happen. */
export interface Action<Input = unknown, Output = unknown> {
  readonly kind: 'action'
  readonly name: string
  readonly title: string
  readonly input: DescribedSchema<Input>
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
  readonly run: (input: Input, attempt: AttemptInfo) => Output | Promise<Output>
  /** This action with this very input: what an approval is asked for, and what is done after it. */
  readonly with: (input: Input) => Proposed<Input, Output>
}

/** Any action, as a list of them takes it. */
// biome-ignore lint/suspicious/noExplicitAny: an action takes its own input and nothing else; only `any` stands for all of them.
export type AnyAction = Action<any, any>

/** An action and the input it would have. */
export interface Proposed<Input = unknown, Output = unknown> {
  readonly action: Action<Input, Output>
  readonly input: Input
  /** The op whose approval it has; undefined where nobody was asked. */
  readonly approvedBy?: OpId
}

/** What a destination says of a key that it may have seen. */
export type Search<Output> = { readonly kind: 'done'; readonly output: Output } | { readonly kind: 'not_done' }

/** Any action and its input. */
// biome-ignore lint/suspicious/noExplicitAny: as for any action.
export type AnyProposed = Proposed<any, any>

/** True, or why the situation is no longer one in which the action makes sense. */
export type StillValid = true | string

/**
 * What Constancia asks of an action's schemas: the Standard Schema interface and its JSON Schema part
 * (standardschema.dev), because rules and approvals have to be readable without the code. Zod from 4.2 on has both.
 */
export interface DescribedSchema<Output> extends Schema<Output> {
  readonly '~standard': Schema<Output>['~standard'] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
}

/** What {@link action} takes. */
export interface ActionDeclaration<Input, Output> {
  /** 1 to 100 of the characters `A-Z a-z 0-9 . _ -`. */
  readonly name: string
  /** What it does, for people who approve it: `Pay a vendor`. */
  readonly title?: string
  readonly input: DescribedSchema<Input>
  readonly output?: DescribedSchema<Output>
  /** What the destination offers: `idempotent({ remembersMs })`, `transactional()`, `verify({ settlesMs })` or `once()`. */
  readonly effect: EffectProtocol
  /** Looks at the world once more before the effect, after any pause. */
  readonly stillValid?: (input: Input) => StillValid | Promise<StillValid>
  /** Asks the destination whether the effect with this key happened; `verify` needs it. */
  readonly find?: (input: Input, about: { readonly key: string }) => Search<Output> | Promise<Search<Output>>
  /** What it costs, in hundredths of a currency unit: counts towards the `cents` that a contract allows a run. Computes and does nothing else. */
  readonly cents?: (input: Input) => number
  /** How failed attempts are repeated, where the protocol lets them be. */
  readonly retry?: Partial<RetryPolicy>
  /** Milliseconds that one attempt may take; whether it happened is not known then. As long as it needs unless set. */
  readonly timeoutMs?: number
  /** The action that takes it back; its input is `{ input, output }` of what it takes back. See `ctx.compensate`. */
  readonly undo?: AnyAction
  /** Has the effect. Pass `attempt.key` to the destination. */
  readonly run: (input: Input, attempt: AttemptInfo) => Output | Promise<Output>
}

/** Declares an action. What is wrong with it is found where a contract names it, together with everything else. */
export function action<Input, Output>(declaration: ActionDeclaration<Input, Output>): Action<Input, Output> {
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
  const made: Action<Input, Output> = {
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
