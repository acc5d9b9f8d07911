import { types } from 'node:util'
import type { Limits } from './limits.js'
import { type Manner, marking, notKept } from './manner.js'
import { describeRefused, natureOf } from './nature.js'
import { isPermanent } from './permanent.js'
import { ValueWriter } from './value-writer.js'

/** Which limits hold, and how the value is called in an error's path. */
export interface EncodeOptions {
  readonly limits: Pick<Limits, 'textBytesMax' | 'depthMax'>
  /** The first part of the path in an error: `result of step "charge"`. */
  readonly what: string
}

/**
 * Writes whatever was thrown as one JSON text. Never throws, runs no code of the error's, and the text never has more bytes
 * than the limit (but for limits below 80 bytes). It keeps name, message, code, own enumerable fields, eight causes, the
 * errors of an AggregateError and whether the error is permanent; not the stack. A mark stands in place of what cannot be
 * kept (`[not kept: a function]`, `[circular]`), and a text that is cut says by how much. What is not an error is kept as
 * the value that it is, or as an error that describes it.
 */
export function encodeError(error: unknown, options: EncodeOptions): string {
  for (const manner of marking) {
    const text = attempt(error, options, manner)
    if (text !== undefined) return text
  }
  return smallest(error)
}

/** The text in this manner, or undefined if it has more bytes than the limit. */
function attempt(error: unknown, options: EncodeOptions, manner: Manner): string | undefined {
  const { textBytesMax, depthMax } = options.limits
  const own = depthMax < manner.depthMax ? { ...manner, depthMax } : manner
  const writer = new ValueWriter({ what: options.what, textBytesMax, manner: own })
  try {
    writeThrown(writer, error)
    return writer.finish()
  } catch {
    // Too large, or too little stack left to look at it: either way less of it may do.
    return undefined
  }
}

function writeThrown(writer: ValueWriter, thrown: unknown): void {
  if (typeof thrown === 'function' || typeof thrown === 'symbol') {
    writer.writeError(standIn(`a ${typeof thrown}`))
  } else if (typeof thrown !== 'object' || thrown === null) {
    writer.write(thrown)
  } else if (types.isProxy(thrown)) {
    writer.writeError(standIn(describeRefused(thrown)))
  } else if (natureOf(thrown) === 'refused') {
    writer.writeError(thrown)
  } else {
    writer.write(thrown)
  }
}

function standIn(found: string): Error {
  return new Error(`Something that is no error was thrown. ${notKept(found)}`)
}

function smallest(error: unknown): string {
  const permanent = isPermanent(error) ? ',"permanent":true' : ''
  return `{"$":"error","type":"Error","message":"[not kept: too large]"${permanent}}`
}
