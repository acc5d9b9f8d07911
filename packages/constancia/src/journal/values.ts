import { strictly } from './manner.js'
import type { EncodeOptions } from './thrown.js'
import { readValue } from './value-reader.js'
import { ValueWriter } from './value-writer.js'

export { type EncodeOptions, encodeError } from './thrown.js'

/**
 * Writes a value as one JSON text; the format is in `value-format.ts`. It keeps `undefined`, NaN, the infinities, -0,
 * bigints, dates, maps, sets, bytes, holes, objects without prototype and errors, and runs no code of the value's.
 * Nothing is durable yet when it returns.
 *
 * Throws `not_serializable` for whatever would come back as something else: functions, symbols, getters, Proxies, circular
 * references, instances of classes and of subclasses, boxed primitives, hidden fields, further fields of arrays. Throws
 * `value_too_large` for more than `textBytesMax` bytes of UTF-8 or more than `depthMax` levels (1,000 at the very most). The
 * details have `path`, and `size` and `limit` of what is too large. What is referred to twice is written twice.
 */
export function encodeValue(value: unknown, options: EncodeOptions): string {
  const { textBytesMax, depthMax } = options.limits
  const writer = new ValueWriter({ what: options.what, textBytesMax, manner: strictly(depthMax) })
  writer.write(value)
  return writer.finish()
}

/**
 * Reads a text that {@link encodeValue} or {@link encodeError} wrote; every call returns a value of its own. Throws
 * `value_unreadable` for an unknown tagged form, a malformed one, what is not JSON, and brackets nested deeper than any
 * text has them. It never guesses.
 */
export function decodeValue(text: string): unknown {
  return readValue(text)
}
