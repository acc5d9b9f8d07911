import type { AttemptInfo, Schema } from '../../engine/index.js'
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
}

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
  /** The action that takes it back. */
  readonly undo?: AnyAction
  /** Has the effect. Pass `attempt.key` to the destination. */
  readonly run: (input: Input, attempt: AttemptInfo) => Output | Promise<Output>
}

/** Declares an action. What is wrong with it is found where a contract names it, together with everything else. */
export function action<Input, Output>(declaration: ActionDeclaration<Input, Output>): Action<Input, Output> {
  const { name, title = '', input, output, effect, stillValid, undo, run } = declaration
  const made: Action<Input, Output> = {
    kind: 'action',
    name,
    title,
    input,
    output,
    effect,
    stillValid,
    undo,
    run,
    with: (given) => ({ action: made, input: given }),
  }
  return made
}
