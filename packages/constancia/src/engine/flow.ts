import type { FlowContext } from './context.js'
import { engineError } from './errors.js'
import type { RetryPolicy } from './retry.js'
import { retryPolicy } from './retry.js'
import type { Schema } from './schema.js'

/** A declared plan. A run keeps the name and version it started with. */
export interface Flow<Input = unknown, Output = unknown> {
  readonly name: string
  readonly version: number
  readonly input: Schema<Input> | undefined
  readonly retry: RetryPolicy
  readonly run: (ctx: FlowContext, input: Input) => Promise<Output>
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
  readonly run: (ctx: FlowContext, input: Input) => Promise<Output>
}

/** Any flow, as a list of them takes it. */
// biome-ignore lint/suspicious/noExplicitAny: a flow takes its own input and nothing else; only `any` stands for all of them.
export type AnyFlow = Flow<any, any>

const namePattern = /^[A-Za-z0-9._-]{1,100}$/

/** Declares a flow. Throws `invalid_option` for a name, version or retry policy that makes no sense. */
export function flow<Input = unknown, Output = unknown>(
  declaration: FlowDeclaration<Input, Output>,
): Flow<Input, Output> {
  const { name, version, input, run } = declaration
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw engineError(
      'invalid_option',
      `A flow's name is 1 to 100 of the characters A-Z a-z 0-9 . _ -, but it was ${JSON.stringify(name)}.`,
    )
  }
  if (!Number.isInteger(version) || version < 1) {
    throw engineError(
      'invalid_option',
      `The version of flow ${name} is a whole number from 1, but it was ${String(version)}.`,
    )
  }
  return { name, version, input, retry: retryPolicy(declaration.retry), run }
}
