import { isExactText } from '../journal/index.js'
import { engineError } from './errors.js'
import type { AnyFlow, Concurrency, Continuation, Flow, FlowContext, FlowDeclaration } from './flow.js'
import { requirePriority } from './priority.js'
import { retryPolicy } from './retry.js'

const namePattern = /^[A-Za-z0-9._-]{1,100}$/

/** Declares a flow. Throws `invalid_option` for a name, a version, a policy, a limit or a priority that makes no sense. */
export function flow<Input = unknown, Output = unknown>(
  declaration: FlowDeclaration<Input, Output>,
): Flow<Input, Exclude<Output, Continuation>> {
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
  const { patches = [], key, concurrency = {}, priority = 0 } = declaration
  requirePatches(name, patches)
  requireConcurrency(name, concurrency, key !== undefined)
  const plan = run as (ctx: FlowContext, input: Input) => Promise<Exclude<Output, Continuation> | Continuation>
  return {
    name,
    version,
    input,
    retry: retryPolicy(declaration.retry),
    patches: [...patches],
    key,
    concurrency,
    priority: requirePriority(priority, `runs of flow ${name}`, ''),
    run: plan,
  }
}

/** The key of a run with this input, as events hold it; nothing where its flow has none. Throws `invalid_value`. */
export function keyOfInput(flow: AnyFlow, input: unknown): { readonly key?: string } {
  if (flow.key === undefined) return {}
  const key: unknown = flow.key(input)
  if (typeof key === 'string' && key.length >= 1 && key.length <= 200 && isExactText(key)) return { key }
  throw engineError(
    'invalid_value',
    `The key of a run of flow ${flow.name} is a text of 1 to 200 characters, but its key function returned ${describeKey(key)}. Nothing was started.`,
  )
}

function describeKey(key: unknown): string {
  return typeof key === 'string' ? `a text of ${key.length}` : `a ${typeof key}`
}

function requirePatches(flow: string, patches: readonly unknown[]): void {
  const odd = patches.find((id) => typeof id !== 'string' || !namePattern.test(id))
  const isTwice = new Set(patches).size < patches.length
  if (odd === undefined && !isTwice) return
  const why = isTwice ? 'one of them is there twice' : `one of them was ${JSON.stringify(odd)}`
  throw engineError(
    'invalid_option',
    `The patches of flow ${flow} are ids of 1 to 100 of the characters A-Z a-z 0-9 . _ -, but ${why}.`,
  )
}

function requireConcurrency(flow: string, concurrency: Concurrency, hasKey: boolean): void {
  for (const [field, value] of Object.entries(concurrency) as [string, unknown][]) {
    if (value === undefined || (Number.isInteger(value) && (value as number) >= 1)) continue
    throw engineError(
      'invalid_option',
      `The limit ${field} of flow ${flow} is a whole number from 1, but it was ${String(value)}.`,
    )
  }
  if (concurrency.runningPerKey === undefined || hasKey) return
  throw engineError(
    'invalid_option',
    `Flow ${flow} limits its runs by key but does not say what their key is; give it a key function.`,
  )
}
