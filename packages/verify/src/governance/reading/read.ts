import { parseStrictJson } from '../../strict-json.js'
import { canonicalText, type Json } from '../canonical.js'
import type { DeclaredContract } from '../contract.js'
import { contractForm } from './contract-form.js'
import type { Form } from './form.js'

/** What a text says, or why that is not known: it is not of its form, or says more than is known here. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'misfit' | 'unknown_name'; readonly why: string }

/** Reads a text of strict JSON that has to be of this form. */
export function readAs<T>(text: string, form: Form): Read<T> {
  const parsed = parseStrictJson(text)
  if (parsed.kind === 'refused') return { kind: 'misfit', why: `it is no strict JSON: ${parsed.why}` }
  const misfit = form(parsed.value)
  return misfit ?? { kind: 'read', value: parsed.value as T }
}

/** Reads a contract: its text has to be the canonical one. */
export function readContract(text: string): Read<DeclaredContract> {
  const read = readAs<DeclaredContract>(text, contractForm)
  if (read.kind !== 'read') return read
  if (canonicalText(read.value as unknown as Json) === text) return read
  return { kind: 'misfit', why: 'its text is not the canonical one' }
}

/** Reads data that the replay computes from; undefined where it is no strict JSON. */
export function readData(text: string): { readonly value: unknown } | undefined {
  const parsed = parseStrictJson(text)
  return parsed.kind === 'value' ? parsed : undefined
}
