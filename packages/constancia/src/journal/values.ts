import type { Limits } from './limits.js'

/** Which limits hold, and how the value is called in an error's path. */
export interface EncodeOptions {
  readonly limits: Pick<Limits, 'textBytesMax' | 'depthMax'>
  /** The first part of the path in an error: `result of step "charge"`. */
  readonly what: string
}

/** Placeholder until the codec is written. */
export function encodeValue(value: unknown, _options: EncodeOptions): string {
  return JSON.stringify(value) ?? '{"$":"undefined"}'
}

/** Placeholder until the codec is written. */
export function encodeError(error: unknown, _options: EncodeOptions): string {
  return JSON.stringify({ $: 'Error', message: String(error) })
}

/** Placeholder until the codec is written. */
export function decodeValue(text: string): unknown {
  return JSON.parse(text)
}
