import type { Json } from './canonical.js'

/**
 * The declared part of a contract, whole: what its digest covers and what is stored when it is activated. Rules are
 * evaluated from this, never from the code of whoever runs. Its text is canonical (see `canonicalText`); the digest is the
 * SHA-256 of that text as UTF-8, in lower-case hex.
 */
export interface DeclaredContract {
  readonly format: typeof contractFormat
  readonly name: string
  readonly version: string
  /** What each role does, in words for people. */
  readonly roles: Readonly<Record<string, string>>
  readonly actions: readonly DeclaredAction[]
  readonly rules: readonly DeclaredRule[]
  readonly flows: readonly DeclaredFlow[]
  readonly limits: DeclaredLimits
  readonly templates: readonly DeclaredTemplate[]
  /** Who may put the next contract in force, and how many of them it takes. */
  readonly activation: { readonly roles: readonly string[]; readonly quorum: number }
}

/** The first word of a contract's text. */
export const contractFormat = 'constancia.contract/v1'

/** A governed effect. */
export interface DeclaredAction {
  readonly name: string
  /** What it does, in words for people; may be empty. */
  readonly title: string
  /** JSON Schema of its input. */
  readonly input: Json
  /** JSON Schema of its output, or null where anything may come. */
  readonly output: Json
  readonly effect: DeclaredEffect
  /** Whether the action looks at the world once more before its effect. */
  readonly checksSituation: boolean
  /** The action that undoes it, or null. */
  readonly undo: string | null
}

/** What its destination offers, and hence what may be promised. Milliseconds. */
export type DeclaredEffect =
  | { readonly protocol: 'transactional' }
  | { readonly protocol: 'idempotent'; readonly remembersMs: number }
  | { readonly protocol: 'verify'; readonly settlesMs: number }
  | { readonly protocol: 'once' }

/** Who may have an action done: one of these roles, where the condition holds, and after such an approval. */
export interface DeclaredRule {
  readonly action: string
  readonly roles: readonly string[]
  /** A condition over `input` and `actor`, or null. */
  readonly when: string | null
  readonly approval: DeclaredApproval | null
}

/** Which approval a rule asks for. */
export interface DeclaredApproval {
  readonly roles: readonly string[]
  /** How many different people. */
  readonly quorum: number
  /** Whether the person behind the actor may be one of them. */
  readonly notBy: 'actor' | null
  readonly withinMs: number | null
  /** Roles that may decide as well once it has waited for so long. */
  readonly escalation: { readonly afterMs: number; readonly roles: readonly string[] } | null
  readonly amendable: boolean
  readonly reasonRequired: boolean
}

/** What may become of a run of this flow after it has waited. */
export interface DeclaredFlow {
  readonly name: string
  readonly version: number
  readonly resume: { readonly roles: readonly string[] } | 'anyone'
  readonly models: 'none' | 'after-approval' | 'deferred'
  /** Its plan, where it is declared as steps; null for a function. */
  readonly steps: readonly DeclaredStep[] | null
}

/** One step of a plan. */
export type DeclaredStep =
  | { readonly kind: 'act'; readonly id: string; readonly action: string }
  | { readonly kind: 'model'; readonly id: string }
  | {
      readonly kind: 'approve'
      readonly id: string
      readonly action: string | null
      readonly approval: DeclaredApproval
    }
  | { readonly kind: 'say'; readonly id: string; readonly template: string; readonly values: readonly string[] }
  | { readonly kind: 'wait'; readonly id: string; readonly for: 'time' | 'signal' }
  | { readonly kind: 'when'; readonly id: string; readonly steps: readonly DeclaredStep[] }
  | { readonly kind: 'stop'; readonly id: string }

/** What a run may use up; whoever passes one ends with a clear error. Unlimited where absent. */
export interface DeclaredLimits {
  readonly actions?: number
  readonly modelCalls?: number
  readonly tokens?: number
  readonly cents?: number
  readonly runMs?: number
}

/** Words for people: one text a language, with `{value}` where a value stands. */
export interface DeclaredTemplate {
  readonly name: string
  readonly values: readonly string[]
  readonly texts: Readonly<Record<string, string>>
}
