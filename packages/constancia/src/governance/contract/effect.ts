import type { DeclaredEffect } from '@constancia/verify/governance'
import { parseDuration } from '../../engine/index.js'
import type { DatabaseKind } from '../../store/index.js'

/**
 * What the destination of an action offers, and hence what can be promised of its effect. There is no default: whoever
 * declares an action has to know.
 */
export type EffectProtocol = SentEffect | Transactional

/** The destination is somewhere else: between the intent and what came of it, nobody knows. */
export type SentEffect = Exclude<DeclaredEffect, { readonly protocol: 'transactional' }>

/** The destination is the database of the store. Which one, the code says; a contract does not. */
export interface Transactional<Database extends DatabaseKind = DatabaseKind> {
  readonly protocol: 'transactional'
  readonly database: Database
}

/**
 * The destination is our own database, the one that the store is in: the effect and the events that record it are one transaction, so it
 * happens exactly once and is never in doubt. The action's `run` gets that transaction as `tx`. In `'sqlite'` it is synchronous and blocks
 * everything else; in `'postgres'` it may take 10 seconds unless the action's `timeoutMs` says otherwise, and may be called more than once,
 * of which one is committed: it must do nothing but through `tx`. A runtime over another store does not open.
 */
export function transactional<Database extends DatabaseKind>(database: Database): Transactional<Database> {
  return { protocol: 'transactional', database }
}

/**
 * The destination keeps the key that it is given, for so many milliseconds, and answers a repetition like the first time:
 * accepted once within that time. Later nothing is tried again by itself; a person says what came of it. Throws `invalid_option`.
 */
export function idempotent(options: { readonly remembersMs: number }): SentEffect {
  return { protocol: 'idempotent', remembersMs: parseDuration(options.remembersMs, 'remembersMs of idempotent()') }
}

/**
 * The destination can be asked whether it did something, once an earlier request can no longer land, which takes so many
 * milliseconds: at most once, if its answers are consistent. Throws `invalid_option`.
 */
export function verify(options: { readonly settlesMs: number }): SentEffect {
  return { protocol: 'verify', settlesMs: parseDuration(options.settlesMs, 'settlesMs of verify()') }
}

/** The destination offers nothing: never repeated by itself; what a crash leaves unknown a person has to settle. */
export function once(): SentEffect {
  return { protocol: 'once' }
}
