import type { DeclaredEffect } from '@constancia/verify'
import { parseDuration } from '../../engine/index.js'

/**
 * What the destination of an action offers, and hence what can be promised of its effect. There is no default: whoever
 * declares an action has to know.
 */
export type EffectProtocol = Exclude<DeclaredEffect, { readonly protocol: 'transactional' }>

/**
 * The destination keeps the key that it is given, for so many milliseconds, and answers a repetition like the first time:
 * accepted once within that time. Later nothing is tried again by itself; a person says what came of it. Throws `invalid_option`.
 */
export function idempotent(options: { readonly remembersMs: number }): EffectProtocol {
  return { protocol: 'idempotent', remembersMs: parseDuration(options.remembersMs, 'remembersMs of idempotent()') }
}

/**
 * The destination can be asked whether it did something, once an earlier request can no longer land, which takes so many
 * milliseconds: at most once, if its answers are consistent. Throws `invalid_option`.
 */
export function verify(options: { readonly settlesMs: number }): EffectProtocol {
  return { protocol: 'verify', settlesMs: parseDuration(options.settlesMs, 'settlesMs of verify()') }
}

/** The destination offers nothing: never repeated by itself; what a crash leaves unknown a person has to settle. */
export function once(): EffectProtocol {
  return { protocol: 'once' }
}
