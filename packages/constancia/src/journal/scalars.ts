// Taken when this file is loaded: what a program later puts in their place is never called.
const { stringify } = JSON
const { getOwnPropertyDescriptor, getPrototypeOf } = Object
const plainText = /^[ !#-[\]-~]*$/
const { getTime } = Date.prototype
const bytesPrototype: object = getPrototypeOf(Uint8Array.prototype)
const bufferGetter = getterOf(bytesPrototype, 'buffer')
const offsetGetter = getterOf(bytesPrototype, 'byteOffset')
const lengthGetter = getterOf(bytesPrototype, 'byteLength')
const wholeLengthGetter = getterOf(ArrayBuffer.prototype, 'byteLength')
const resizableGetter = getterOf(ArrayBuffer.prototype, 'resizable')

/** What became of bytes: their text, or why there is none. */
export type BytesText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly found: string }
  | { readonly kind: 'too large'; readonly size: number }

/** A text as JSON; unpaired surrogates and U+0000 become escapes. */
export function quote(text: string): string {
  // Most keys and many texts need no escape, and a glance is three times faster than stringify.
  return text.length < 100 && plainText.test(text) ? `"${text}"` : stringify(text)
}

/** A number as JSON, or in its tagged form. */
export function numberText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '{"$":"number","value":"-0"}' : '0'
  // The difference is 0 for a finite number and NaN for the three others.
  return value - value === 0 ? `${value}` : `{"$":"number","value":"${value}"}`
}

/** The tagged form of a date; null stands for an invalid one. */
export function dateText(date: object): string {
  const ms = getTime.call(date as Date)
  return `{"$":"date","value":${Number.isNaN(ms) ? 'null' : ms}}`
}

/** The tagged form of bytes, unless their base64 would have more characters than the limit. */
export function bytesText(value: object, type: 'Uint8Array' | 'Buffer' | 'ArrayBuffer', unitsMax: number): BytesText {
  const isWhole = type === 'ArrayBuffer'
  const buffer = isWhole ? (value as ArrayBuffer) : (bufferGetter?.call(value) as ArrayBuffer)
  if (wholeLength(buffer) === undefined) return { kind: 'refused', found: 'bytes in shared memory' }
  if (resizableGetter?.call(buffer) === true) return { kind: 'refused', found: 'bytes in a resizable buffer' }
  const offset = isWhole ? 0 : (offsetGetter?.call(value) as number)
  const length = isWhole ? wholeLength(buffer) : (lengthGetter?.call(value) as number)
  const size = 4 * Math.ceil((length ?? 0) / 3)
  if (size > unitsMax) return { kind: 'too large', size }
  const base64 = Buffer.from(buffer, offset, length).toString('base64')
  return { kind: 'text', text: `{"$":"bytes","type":"${type}","base64":"${base64}"}` }
}

/** Bytes of an ArrayBuffer; undefined for shared memory, which has no such slot. */
function wholeLength(buffer: ArrayBuffer): number | undefined {
  try {
    return wholeLengthGetter?.call(buffer) as number
  } catch {
    return undefined
  }
}

function getterOf(prototype: object, key: string): (() => unknown) | undefined {
  return getOwnPropertyDescriptor(prototype, key)?.get
}
