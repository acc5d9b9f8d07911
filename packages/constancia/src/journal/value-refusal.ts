import { type ConstanciaError, journalError } from './errors.js'
import { pathText, type Trail } from './value-path.js'

const advice =
  'Nothing was written and the call that made it fails; trying again would not help. ' +
  'Give plain data instead: texts, numbers, bigints, dates, bytes, errors, and arrays, maps, sets and plain objects of these.'

/** `not_serializable`: at the end of the trail is something that a journal cannot keep. */
export function notSerializable(trail: Trail, found: string): ConstanciaError {
  const path = pathText(trail)
  return journalError('not_serializable', `${path} is ${found}, which a journal cannot keep. ${advice}`, {
    details: { path },
  })
}

/** `not_serializable`: the end of the trail is the container at an earlier level of it. */
export function circular(trail: Trail, level: number): ConstanciaError {
  const path = pathText(trail)
  const target = pathText(trail, level)
  const message =
    `${path} refers back to ${target}, and a journal cannot keep a circular value. Nothing was written and the call ` +
    'that made it fails; trying again would not help. Refer to it by an id instead.'
  return journalError('not_serializable', message, { details: { path, target } })
}

/** `value_too_large`: the text has, or would have, more bytes than the limit. */
export function tooLarge(trail: Trail, size: number, limit: number): ConstanciaError {
  const message =
    `${trail.what} takes ${size} bytes or more as JSON text, and the limit is ${limit} (textBytesMax). Nothing was ` +
    'written and the call that made it fails; trying again would not help. Store it elsewhere and keep a reference to ' +
    'it, or raise the limit.'
  return journalError('value_too_large', message, { details: { path: trail.what, size, limit } })
}

/** `value_too_large`: the end of the trail is nested deeper than the limit. */
export function tooDeep(trail: Trail, limit: number): ConstanciaError {
  const path = pathText(trail)
  const message =
    `${path} is nested ${limit + 1} levels deep, and the limit is ${limit} (depthMax). Nothing was written and the call ` +
    'that made it fails; trying again would not help. Make the value flatter, or raise the limit.'
  return journalError('value_too_large', message, { details: { path, size: limit + 1, limit } })
}

/** `value_unreadable`: a stored text is not in the format. Says what is wrong and shows none of the data. */
export function unreadable(problem: string): ConstanciaError {
  return journalError(
    'value_unreadable',
    `A stored value cannot be read: ${problem}. The run cannot go on from it, and nothing was executed or changed. ` +
      'It was written by a newer version of Constancia or changed in the database: upgrade, or verify the journal.',
  )
}
