import { type AddedVerb, type Branch, type EngineContext, type FlowContext, parseWith } from '../engine/index.js'
import { encodeValue } from '../journal/index.js'
import { ApprovalOp, type Decision } from './approval-op.js'
import { Compensation } from './compensation.js'
import type { Action, AnyProposed, OutputOf } from './contract/action.js'
import { type ApprovalPolicy, declaredApproval } from './contract/rule.js'
import { DoOp } from './do-op.js'
import { governanceError } from './errors.js'
import type { Government } from './government.js'
import { SayOp } from './say-op.js'

/** What people are asked, and who may answer. */
export interface ApprovalOptions<P extends AnyProposed | undefined> extends ApprovalPolicy {
  /** What is to be done if they approve; without it nothing is authorised. */
  readonly for?: P
  /** What else they are to know. At most 10,000 characters. */
  readonly question?: string
}

/** A part of a governed flow that runs beside others, with a context of its own. */
export type GovernedBranch<T> = (ctx: GovernedContext) => Promise<T>

/** All that a governed flow may touch of the world: what every flow may, and what its contract lets it. */
export interface GovernedContext extends Omit<FlowContext, 'parallel' | 'map'> {
  /**
   * Has an action done, if the contract lets the actor. Asks for an approval where the contract wants one. When this
   * resolves, what came of it is durable. Rejects with `action_denied`, `limit_exceeded`, `action_failed`, or the error of the action.
   */
  do<Input, Output, Given>(action: Action<Input, Output, Given>, input: Given): Promise<Output>
  do<P extends AnyProposed>(proposed: P): Promise<OutputOf<P>>
  /** Asks people; the run rests meanwhile and holds nothing. What they said is its result. */
  approval<P extends AnyProposed | undefined = undefined>(
    name: string,
    options: ApprovalOptions<P>,
  ): Promise<Decision<P>>
  /**
   * Takes back every action of this run that has an `undo` and was done, the last first, by having that done with `{ input, output }` of
   * what it takes back; each passes the gate. Rejects with the error of the first that could not be taken back.
   */
  compensate(): Promise<void>
  /** Tells the user something, in words of the contract's template. Durable when it resolves. */
  say(
    template: string,
    values?: Readonly<Record<string, unknown>>,
    options?: { readonly language?: string },
  ): Promise<void>
  /** Runs branches at once and waits for all of them, like `Promise.all`. */
  parallel<const T extends readonly GovernedBranch<unknown>[]>(
    branches: T,
  ): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }>
  /** Runs one branch an item, at most `concurrency` of them at once, and returns their results in the items' order. */
  map<Item, T>(
    items: readonly Item[],
    branch: (item: Item, ctx: GovernedContext, index: number) => Promise<T>,
    options?: { readonly concurrency?: number },
  ): Promise<T[]>
}

/** Adds the words of governance to a context of the engine. */
export function governed(engine: EngineContext, compensation = new Compensation()): GovernedContext {
  const own = {
    do: (first: Action | AnyProposed, input?: unknown) =>
      act(engine, compensation, 'action' in first ? first : first.with(input)),
    compensate: () => compensation.run((undo, input) => act(engine, compensation, undo.with(input))),
    approval: (name: string, options: ApprovalOptions<AnyProposed | undefined>) => ask(engine, name, options),
    say: (template: string, values = {}, { language = 'en' } = {}) => say(engine, template, { values, language }),
    parallel: (branches: readonly GovernedBranch<unknown>[]) =>
      engine.parallel(
        branches.map(
          (branch): Branch<unknown> =>
            (ctx) =>
              branch(governed(ctx as EngineContext, compensation)),
        ),
      ),
    map: (items: readonly unknown[], branch: MapBranch, options?: { readonly concurrency?: number }) =>
      engine.map(
        items,
        (item, ctx, index) => branch(item, governed(ctx as EngineContext, compensation), index),
        options,
      ),
  }
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as unknown as GovernedContext
}

type MapBranch = (item: unknown, ctx: GovernedContext, index: number) => Promise<unknown>

function act(
  engine: EngineContext,
  compensation: Compensation,
  { action, input, approvedBy }: AnyProposed,
): Promise<unknown> {
  const { limits } = engine.parts
  const what = `Input of action ${JSON.stringify(action.name)}`
  const government = governmentOf(engine)
  const said = (): { readonly inputText: string } => {
    // What was approved executes as it was approved: it was checked then, and nothing is made of it again.
    const value = approvedBy === undefined ? parseWith(action.input, input, what) : input
    return { inputText: encodeValue(value, { limits, what }) }
  }
  const onDone = (given: unknown, output: unknown): void => compensation.note(action, given, output)
  return engine.added({
    verb: 'do' as AddedVerb,
    name: action.name,
    plan: said,
    differs: (record, { inputText }) => {
      const recorded = record.added?.find(({ kind }) => kind === 'ActionAuthorized')?.data ?? inputText
      return recorded === inputText
        ? undefined
        : { recorded: `with ${brief(recorded)}`, asked: `with ${brief(inputText)}` }
    },
    make: (host, place, { inputText }) =>
      new DoOp(host, place, {
        action: government.action(action.name) ?? action,
        inputText,
        approvedBy,
        government,
        onDone,
      }),
  })
}

function ask(engine: EngineContext, name: string, options: ApprovalOptions<AnyProposed | undefined>): Promise<unknown> {
  const { for: proposed, question = '', ...policy } = options
  const government = governmentOf(engine)
  return engine.added({
    verb: 'approval' as AddedVerb,
    name,
    plan: () => ({ proposed: parsed(proposed), question, policy: declaredApproval(policy), government }),
    make: (host, place, plan) => new ApprovalOp(host, place, plan),
  })
}

// People are shown what would execute.
function parsed(proposed: AnyProposed | undefined): AnyProposed | undefined {
  if (proposed === undefined) return undefined
  const { action, input } = proposed
  return { action, input: parseWith(action.input, input, `Input of action ${JSON.stringify(action.name)}`) }
}

function say(
  engine: EngineContext,
  template: string,
  { values, language }: { readonly values: Readonly<Record<string, unknown>>; readonly language: string },
): Promise<void> {
  const government = governmentOf(engine)
  return engine.added({
    verb: 'say' as AddedVerb,
    name: template,
    plan: () => {
      requireTemplate(government, { template, values, language })
      const { limits } = engine.parts
      return {
        template,
        language,
        values: encodeValue(values, { limits, what: `values of message ${JSON.stringify(template)}` }),
      }
    },
    make: (host, place, plan) => new SayOp(host, place, plan),
  })
}

function requireTemplate(
  { contract }: Government,
  { template, values, language }: { readonly template: string; readonly values: object; readonly language: string },
): void {
  const found = contract.declared.templates.find(({ name }) => name === template)
  const wrong =
    found === undefined
      ? `the contract has no template of that name; it has ${contract.declared.templates.map(({ name }) => name).join(', ') || 'none'}`
      : !Object.hasOwn(found.texts, language)
        ? `it is not there in ${language}; it is in ${Object.keys(found.texts).join(', ')}`
        : missingValues(found.values, values)
  if (wrong === undefined) return
  throw governanceError('invalid_message', `Message ${JSON.stringify(template)} was not sent: ${wrong}.`)
}

function missingValues(names: readonly string[], values: object): string | undefined {
  const missing = names.filter((name) => !Object.hasOwn(values, name))
  return missing.length === 0 ? undefined : `its text needs ${missing.join(', ')}`
}

function governmentOf({ parts }: EngineContext): Government {
  const { governing } = parts
  if (governing !== undefined) return governing as Government
  throw governanceError(
    'ungoverned_flow',
    'This flow is governed and its runtime has no contract. Nothing was done; open it with one.',
  )
}

function brief(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}… (${text.length} characters)`
}
