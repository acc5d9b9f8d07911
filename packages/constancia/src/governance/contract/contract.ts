import { createHash } from 'node:crypto'
import {
  canonicalText,
  contractFormat,
  type DeclaredAction,
  type DeclaredContract,
  type DeclaredEffect,
  type DeclaredFlow,
  type DeclaredLimits,
  type DeclaredStep,
  type DeclaredTemplate,
  type Json,
} from '@constancia/verify/governance'
import { ConstanciaError } from '../../journal/index.js'
import type { AnyAction, DescribedSchema } from './action.js'
import type { EffectProtocol } from './effect.js'
import type { Problem } from './problem.js'
import { problemsOf } from './problems.js'
import type { Rule } from './rule.js'

/** Who may go on with a run after it has waited: holders of one of these roles, or, spelled out, anyone. */
export type ResumePolicy = { readonly roles: readonly string[] } | 'anyone'

/** Whether the rest of a run may call a model after an approval: never, where the contract says so, or only with the next message. */
export type ModelPolicy = 'none' | 'after-approval' | 'deferred'

/** A flow as a contract speaks of it. */
export interface ContractFlow {
  readonly name: string
  readonly version: number
  readonly resume?: ResumePolicy
  /** `deferred` unless set. */
  readonly models?: ModelPolicy
  /** Its plan, where it is declared as steps. */
  readonly plan?: readonly DeclaredStep[]
}

/** What {@link contract} takes. */
export interface ContractDeclaration {
  readonly name: string
  readonly version: string
  /** Each role, and what its holders do, in words. */
  readonly roles: Readonly<Record<string, string>>
  readonly flows: readonly ContractFlow[]
  readonly rules: readonly Rule[]
  readonly limits?: DeclaredLimits
  /** Words for people: a text, or one a language; `{value}` stands for a value. */
  readonly templates?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  /** Who may put the next contract in force; holders of the role `administrator` unless set. Four eyes: `quorum: 2`. */
  readonly activation?: { readonly roles: readonly string[]; readonly quorum?: number }
}

/** A contract that makes sense. */
export interface Contract {
  readonly declared: DeclaredContract
  /** Its canonical text: what is stored, and what the digest is made of. */
  readonly text: string
  /** SHA-256 of the text, lower-case hex. */
  readonly digest: string
  readonly actions: ReadonlyMap<string, AnyAction>
}

/**
 * Declares a contract: who may have what done, after which approval, and who may resume what. Throws `invalid_contract`, which
 * lists everything that makes no sense, with its place and what to do. The types of its conditions are checked where it is opened.
 */
export function contract(declaration: ContractDeclaration): Contract {
  const actions = actionsOf(declaration.rules)
  const declared = declaredOf(declaration, actions)
  const problems = [
    ...schemaProblems(actions),
    ...searchProblems(actions),
    ...transactionProblems(actions),
    ...problemsOf(declared),
  ]
  if (problems.length > 0) throw new InvalidContract(declared, problems)
  const text = canonicalText(declared as unknown as Json)
  const digest = createHash('sha256').update(text).digest('hex')
  return { declared, text, digest, actions: new Map(actions.map((action) => [action.name, action])) }
}

// Also those that only undo others: an undo is an action like any other, and needs rules of its own.
function actionsOf(rules: readonly Rule[]): readonly AnyAction[] {
  const found = new Set<AnyAction>()
  const add = (action: AnyAction | undefined): void => {
    if (action === undefined || found.has(action)) return
    found.add(action)
    add(action.undo)
  }
  for (const { action } of rules) add(action)
  return [...found]
}

function declaredOf(declaration: ContractDeclaration, actions: readonly AnyAction[]): DeclaredContract {
  const { activation = { roles: ['administrator'] }, limits = {}, templates = {} } = declaration
  return {
    format: contractFormat,
    name: declaration.name,
    version: declaration.version,
    roles: { ...declaration.roles },
    actions: actions.map(declaredAction),
    rules: declaration.rules.map((rule) => rule.declared),
    flows: declaration.flows.map(declaredFlow),
    limits: { ...limits },
    templates: Object.entries(templates).map(declaredTemplate),
    activation: { roles: [...activation.roles], quorum: activation.quorum ?? 1 },
  }
}

function declaredAction(action: AnyAction): DeclaredAction {
  const { name, title, input, output, effect, stillValid, undo } = action
  return {
    name,
    title,
    input: jsonSchemaOf(input) ?? null,
    output: output === undefined ? null : (jsonSchemaOf(output) ?? null),
    effect: declaredEffect(effect),
    checksSituation: stillValid !== undefined,
    undo: undo?.name ?? null,
  }
}

// Which database it is, is the store's affair, and nobody's who reads the contract.
function declaredEffect(effect: EffectProtocol): DeclaredEffect {
  return effect.protocol === 'transactional' ? { protocol: effect.protocol } : effect
}

// What is missing is found by the problems; a flow that says nothing is none that a contract may have.
function declaredFlow({ name, version, resume, models = 'deferred', plan }: ContractFlow): DeclaredFlow {
  return { name, version, resume: resume as ResumePolicy, models, steps: plan ?? null }
}

function declaredTemplate([name, given]: [string, string | Readonly<Record<string, string>>]): DeclaredTemplate {
  const texts = typeof given === 'string' ? { en: given } : { ...given }
  const values = [...new Set(Object.values(texts).flatMap(valuesIn))].sort()
  return { name, values, texts }
}

function valuesIn(text: string): string[] {
  return [...text.matchAll(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name]) => name as string)
}

function jsonSchemaOf(schema: DescribedSchema<unknown>): Json | undefined {
  try {
    return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as Json
  } catch {
    return undefined
  }
}

function schemaProblems(actions: readonly AnyAction[]): Problem[] {
  return actions.flatMap(({ name, input, output }) =>
    Object.entries({ input, output }).flatMap(([field, schema]) => {
      if (schema === undefined || jsonSchemaOf(schema) !== undefined) return []
      const reason =
        'It cannot be written as JSON Schema, so nobody could read from the contract what is approved. Use a schema of JSON values from a library that has Standard JSON Schema, such as Zod from 4.2 on'
      return [{ place: `action ${name}, ${field}`, reason }]
    }),
  )
}

// What the protocol promises rests on being able to ask.
function searchProblems(actions: readonly AnyAction[]): Problem[] {
  const mute = actions.filter(({ effect, find }) => effect.protocol === 'verify' && find === undefined)
  const reason = 'Its effect is verified by asking the destination, and it says not how; give it a find function'
  return mute.map(({ name }) => ({ place: `action ${name}`, reason }))
}

// Whoever waits for a row of theirs waits for the end of the transaction; and an answer is not waited for much longer.
function transactionProblems(actions: readonly AnyAction[]): Problem[] {
  const own = actions.filter(({ effect }) => effect.protocol === 'transactional')
  return own.flatMap(({ name, timeoutMs = 0, find }) => {
    const place = `action ${name}`
    const long = `Its transaction may take ${transactionMsMax} ms at most, and timeoutMs says ${timeoutMs}; do what takes time in a step before it`
    const asks = 'Its effect is never in doubt, so nobody asks whether it happened; leave find out'
    return [...(timeoutMs > transactionMsMax ? [long] : []), ...(find === undefined ? [] : [asks])].map((reason) => ({
      place,
      reason,
    }))
  })
}

const transactionMsMax = 20_000

/** `invalid_contract`: a contract that was declared and makes no sense, with all that is wrong with it. */
export class InvalidContract extends ConstanciaError {
  readonly declared: DeclaredContract
  readonly problems: readonly Problem[]

  constructor(declared: DeclaredContract, problems: readonly Problem[]) {
    const { name, version } = declared
    const lines = problems.map(({ place, reason }) => `  ${place}: ${reason}.`)
    const count = problems.length === 1 ? 'one thing that makes' : `${problems.length} things that make`
    super('invalid_contract', `Contract ${name} ${version} has ${count} no sense:\n${lines.join('\n')}`)
    this.declared = declared
    this.problems = problems
  }
}
