import { createHash } from 'node:crypto'
import { canonicalText, contractFormat, type DeclaredContract, type Json } from '@constancia/verify/governance'

/** A contract as a file or a journal has it. */
export interface ReadContract {
  readonly declared: DeclaredContract
  /** SHA-256 of its canonical text, lower-case hex. */
  readonly digest: string
}

/**
 * Reads the text of a contract that was written elsewhere: its canonical text, or the same JSON written otherwise. Returns what is
 * wrong with it, in words without a full stop, where it is none. It is looked at closely enough to be shown and compared, and may be
 * one that makes no sense.
 */
export function readContract(text: string): ReadContract | string {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return `it is not JSON (${error instanceof Error ? error.message : String(error)})`
  }
  const odd = oddityOf(value, contractShape, '')
  if (odd !== undefined) return odd
  const digest = createHash('sha256').update(canonicalText(value)).digest('hex')
  return { declared: value as unknown as DeclaredContract, digest }
}

// What is read of a contract, and of what kind it is. A question mark: or null.
type Shape =
  | 'text'
  | 'text?'
  | 'number'
  | 'number?'
  | 'flag'
  | 'any'
  | ({ readonly orNull?: true } & (
      | { readonly list: Shape }
      | { readonly record: Shape }
      | { readonly fields: Fields; readonly orText?: string }
      /** Its fields depend on what stands in one of them. */
      | { readonly tag: string; readonly fieldsOf: Readonly<Record<string, Fields>> }
    ))

type Fields = Readonly<Record<string, Shape>>

const texts: Shape = { list: 'text' }

const escalation: Shape = { orNull: true, fields: { afterMs: 'number', roles: texts } }

const approvalFields: Fields = {
  roles: texts,
  quorum: 'number',
  notBy: 'text?',
  withinMs: 'number?',
  escalation,
  amendable: 'flag',
  reasonRequired: 'flag',
}

const effect: Shape = {
  tag: 'protocol',
  fieldsOf: { transactional: {}, idempotent: { remembersMs: 'number' }, verify: { settlesMs: 'number' }, once: {} },
}

const step: Shape = {
  tag: 'kind',
  fieldsOf: {
    act: { id: 'text', action: 'text' },
    model: { id: 'text' },
    approve: { id: 'text', action: 'text?', approval: { fields: approvalFields } },
    say: { id: 'text', template: 'text', values: texts },
    wait: { id: 'text', for: 'text' },
    get when(): Fields {
      return { id: 'text', steps: { list: step } }
    },
    stop: { id: 'text' },
  },
}

const contractShape: Shape = {
  fields: {
    format: 'text',
    name: 'text',
    version: 'text',
    roles: { record: 'text' },
    actions: {
      list: {
        fields: {
          name: 'text',
          title: 'text',
          input: 'any',
          output: 'any',
          effect,
          checksSituation: 'flag',
          undo: 'text?',
        },
      },
    },
    rules: {
      list: {
        fields: { action: 'text', roles: texts, when: 'text?', approval: { orNull: true, fields: approvalFields } },
      },
    },
    flows: {
      list: {
        fields: {
          name: 'text',
          version: 'number',
          resume: { orText: 'anyone', fields: { roles: texts } },
          models: 'text',
          steps: { orNull: true, list: step },
        },
      },
    },
    limits: { record: 'number' },
    templates: { list: { fields: { name: 'text', values: texts, texts: { record: 'text' } } } },
    activation: { fields: { roles: texts, quorum: 'number' } },
  },
}

function oddityOf(value: Json | undefined, shape: Shape, place: string): string | undefined {
  const where = place.slice(1) || 'it'
  if (place === '.format' && value !== contractFormat) return `its format is not ${contractFormat}`
  if (typeof shape === 'string') return isOf(value, shape) ? undefined : `${where} is not what a contract has there`
  if (value === null && shape.orNull === true) return undefined
  if ('list' in shape) {
    if (!Array.isArray(value)) return `${where} is no list`
    return firstOf(value.entries(), ([index, item]) => oddityOf(item as Json, shape.list, `${place}.${index}`))
  }
  if (typeof value === 'string' && 'orText' in shape && value === shape.orText) return undefined
  if (!isObject(value)) return `${where} is no object`
  if ('record' in shape) {
    return firstOf(Object.entries(value), ([name, item]) => oddityOf(item, shape.record, `${place}.${name}`))
  }
  const fields = 'fields' in shape ? shape.fields : taggedFields(value[shape.tag], shape.fieldsOf)
  if (fields === undefined) return `${where} is of no kind that a contract has there`
  return firstOf(Object.entries(fields), ([name, field]) => oddityOf(value[name], field, `${place}.${name}`))
}

function taggedFields(tag: Json | undefined, fieldsOf: Readonly<Record<string, Fields>>): Fields | undefined {
  return typeof tag === 'string' && Object.hasOwn(fieldsOf, tag) ? fieldsOf[tag] : undefined
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function isOf(value: Json | undefined, shape: string): boolean {
  if (shape === 'any') return value !== undefined
  if (shape.endsWith('?')) return value === null || isOf(value, shape.slice(0, -1))
  if (shape === 'flag') return typeof value === 'boolean'
  return typeof value === (shape === 'text' ? 'string' : 'number')
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
