import { reviveError } from './error-revival.js'
import { bracketDepthMax, type ErrorType, errorPlaces, errorTypes, type Tag } from './value-format.js'
import { unreadable } from './value-refusal.js'

type Form = Readonly<Record<string, unknown>>

const specialNumbers: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity, '-0': -0 }
const integerPattern = /^(?:0|-?[1-9][0-9]*)$/
const dateMsMax = 8.64e15

const readers: Readonly<Record<Tag, (form: Form) => unknown>> = {
  undefined: readUndefined,
  number: readNumber,
  bigint: readBigint,
  date: readDate,
  map: readMap,
  set: readSet,
  bytes: readBytes,
  array: readArray,
  dict: readDict,
  object: readObject,
  error: readError,
}

/** Reads the value of a text in the format. Throws `value_unreadable`. */
export function readValue(text: string): unknown {
  if (text.length > 2 * bracketDepthMax) checkDepth(text)
  const value = parse(text)
  // Without a key "$", however it is written, the text is plain JSON. A "$" inside of a text stands between \" and \".
  return text.includes('"$"') || text.includes('\\u0024') ? revive(value) : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the data, which does not belong in a log.
    throw unreadable(`its ${text.length} characters are not JSON`)
  }
}

/** Refuses a text that would overflow the stack. Counts brackets outside of quotes and jumps over the quoted. */
function checkDepth(text: string): void {
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = endOfQuoted(text, i)
    else if (unit === 0x5b || unit === 0x7b) depth += 1
    else if (unit === 0x5d || unit === 0x7d) depth -= 1
    if (depth > bracketDepthMax) throw unreadable(`it is nested deeper than ${bracketDepthMax} levels`)
  }
}

function endOfQuoted(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0) {
    let slash = end - 1
    while (text.charCodeAt(slash) === 0x5c) slash -= 1
    if ((end - slash) % 2 === 1) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/** Puts values in the place of their tagged forms, in the tree that was just parsed and belongs to nobody else. */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return reviveItems(value)
  if (Object.hasOwn(value, '$')) return readForm(value as Form)
  return reviveFields(value as Record<string, unknown>)
}

function reviveItems(items: unknown[]): unknown[] {
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i]
    if (typeof item === 'object' && item !== null) items[i] = revive(item)
  }
  return items
}

function reviveFields(fields: Record<string, unknown>): Record<string, unknown> {
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    // The field is there already, so that this sets it, whatever its key: no setter is called, not even of __proto__.
    if (typeof value === 'object' && value !== null) fields[key] = revive(value)
  }
  return fields
}

function readForm(form: Form): unknown {
  const tag = form['$']
  if (typeof tag !== 'string' || !Object.hasOwn(readers, tag)) {
    throw unreadable(`it has a tagged form ${JSON.stringify(tag)?.slice(0, 40)}, which this version does not know`)
  }
  return readers[tag as Tag](form)
}

function malformed(tag: Tag): Error {
  return unreadable(`a tagged form "${tag}" in it is not as the format says`)
}

/** Whether the form has exactly these keys beside its tag. */
function has(form: Form, ...keys: readonly string[]): boolean {
  return Object.keys(form).length === keys.length + 1 && keys.every((key) => Object.hasOwn(form, key))
}

function readUndefined(form: Form): undefined {
  if (!has(form)) throw malformed('undefined')
}

function readNumber(form: Form): number {
  const { value } = form
  const known = typeof value === 'string' && Object.hasOwn(specialNumbers, value) ? specialNumbers[value] : undefined
  if (known === undefined || !has(form, 'value')) throw malformed('number')
  return known
}

function readBigint(form: Form): bigint {
  const { value } = form
  if (typeof value !== 'string' || !integerPattern.test(value) || !has(form, 'value')) throw malformed('bigint')
  return BigInt(value)
}

function readDate(form: Form): Date {
  const { value } = form
  if (!has(form, 'value')) throw malformed('date')
  if (value === null) return new Date(Number.NaN)
  if (!Number.isInteger(value) || Math.abs(value as number) > dateMsMax) throw malformed('date')
  return new Date(value as number)
}

function readMap(form: Form): Map<unknown, unknown> {
  const { entries } = form
  if (!has(form, 'entries') || !Array.isArray(entries)) throw malformed('map')
  const map = new Map<unknown, unknown>()
  for (const entry of entries as unknown[]) {
    if (!Array.isArray(entry) || entry.length !== 2) throw malformed('map')
    map.set(revive(entry[0]), revive(entry[1]))
  }
  if (map.size !== entries.length) throw malformed('map')
  return map
}

function readSet(form: Form): Set<unknown> {
  const { items } = form
  if (!has(form, 'items') || !Array.isArray(items)) throw malformed('set')
  const set = new Set(reviveItems(items as unknown[]))
  if (set.size !== items.length) throw malformed('set')
  return set
}

function readBytes(form: Form): Uint8Array | ArrayBuffer {
  const { type, base64 } = form
  if (!has(form, 'type', 'base64') || typeof base64 !== 'string') throw malformed('bytes')
  const buffer = Buffer.from(base64, 'base64')
  if (buffer.toString('base64') !== base64) throw malformed('bytes')
  // A copy, so that nobody comes to hold the pool that small buffers share.
  const bytes = new Uint8Array(buffer)
  if (type === 'Uint8Array') return bytes
  if (type === 'Buffer') return Buffer.from(bytes.buffer)
  if (type !== 'ArrayBuffer') throw malformed('bytes')
  return bytes.buffer
}

function readArray(form: Form): unknown[] {
  const { length, items } = form
  if (!has(form, 'length', 'items') || !Array.isArray(items) || !isArrayLength(length)) throw malformed('array')
  const array = new Array<unknown>(length)
  let next = 0
  for (const item of items as unknown[]) {
    if (!Array.isArray(item) || item.length !== 2) throw malformed('array')
    const [index, value] = item as [unknown, unknown]
    if (!isArrayLength(index) || index < next || index >= length) throw malformed('array')
    array[index] = revive(value)
    next = index + 1
  }
  if (items.length >= length) throw malformed('array')
  return array
}

function isArrayLength(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
}

function readDict(form: Form): object {
  const fields = revivedFields(form['fields'])
  if (fields === undefined || !has(form, 'fields')) throw malformed('dict')
  const dict = Object.create(null) as Record<string, unknown>
  // Without a prototype there are no setters: every key is data.
  for (const key of Object.keys(fields)) dict[key] = fields[key]
  return dict
}

function readObject(form: Form): object {
  const fields = revivedFields(form['fields'])
  if (fields === undefined || !has(form, 'fields') || !Object.hasOwn(fields, '$')) throw malformed('object')
  return fields
}

/** Fields whose keys are data, also "$"; undefined if it is no object. */
function revivedFields(fields: unknown): Record<string, unknown> | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined
  return reviveFields(fields as Record<string, unknown>)
}

const optionalErrorKeys = ['name', 'fields', 'cause', 'errors', 'permanent']

function readError(form: Form): Error {
  const { type, name, message, permanent } = form
  const fields = Object.hasOwn(form, 'fields') ? revivedFields(form['fields']) : {}
  const optional = optionalErrorKeys.filter((key) => Object.hasOwn(form, key))
  const isWhole = has(form, 'type', 'message', ...optional) && typeof message === 'string' && fields !== undefined
  if (!isWhole || !isErrorType(type) || !areFieldsOf(type, fields)) throw malformed('error')
  if (name !== undefined && typeof name !== 'string') throw malformed('error')
  if (permanent !== undefined && permanent !== true) throw malformed('error')
  if (Object.hasOwn(form, 'errors') && type !== 'AggregateError') throw malformed('error')
  const cause = slot(form, 'cause')
  const errors = slot(form, 'errors')
  return reviveError({ type, name, message, fields, cause, errors, permanent: permanent === true })
}

function isErrorType(type: unknown): type is ErrorType {
  return (errorTypes as readonly unknown[]).includes(type)
}

function areFieldsOf(type: ErrorType, fields: Form): boolean {
  if (type === 'ConstanciaError' && typeof fields['code'] !== 'string') return false
  return Object.keys(fields).every((key) => !errorPlaces.has(key))
}

function slot(form: Form, key: string): { readonly value: unknown } | undefined {
  return Object.hasOwn(form, key) ? { value: revive(form[key]) } : undefined
}
