import { engineError } from '../../engine/index.js'
import { checkId, encodeValue, type Limits, type OpId, parseRunId, type RunId } from '../../journal/index.js'
import { principalId } from '../changes.js'

/** What every answer names. */
export interface IncomingAnswer {
  readonly run: RunId
  readonly op: OpId
  /** The principal who answers. */
  readonly by: string
  readonly delivery: string | undefined
  readonly note: string | undefined
}

const opPattern = /^[0-9]{1,9}(\.[0-9]{1,9}){0,60}$/

/** Reads from outside what every answer names. Throws `invalid_id` or `invalid_option`. */
export function incomingAnswer(
  request: { readonly run: string; readonly op: string; readonly delivery?: string; readonly note?: string },
  principal: string,
): IncomingAnswer {
  const { op, delivery, note } = request
  if (typeof op !== 'string' || !opPattern.test(op)) {
    throw engineError('invalid_option', 'An op is named by its place, such as 3 or 3.0.1. Nothing was done.')
  }
  if (note !== undefined && typeof note !== 'string') {
    throw engineError('invalid_option', 'A note is a text. Nothing was done.')
  }
  return {
    run: parseRunId(request.run),
    op: op as OpId,
    by: principalId(principal),
    delivery: delivery === undefined ? undefined : checkId(delivery, 'delivery id'),
    note,
  }
}

/** Reads a choice from outside. Throws `invalid_option`. */
export function oneOf<T extends string>(choices: readonly T[], given: unknown, what: string): T {
  if ((choices as readonly unknown[]).includes(given)) return given as T
  throw engineError('invalid_option', `${what} is one of ${choices.join(', ')}. Nothing was done.`)
}

/** The text of what people said with an answer; undefined for nothing. Throws `value_too_large` and `not_serializable`. */
export function saidText(said: Readonly<Record<string, unknown>>, limits: Limits): string | undefined {
  const given = Object.entries(said).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  return encodeValue(Object.fromEntries(given), { limits, what: 'note and input of an answer' })
}
