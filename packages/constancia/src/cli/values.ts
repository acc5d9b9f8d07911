import { inspect } from 'node:util'
import { decodeValue, type StoredEvent } from '../journal/index.js'
import { printable, printableLines } from './text.js'

const lineOptions = {
  breakLength: Number.POSITIVE_INFINITY,
  compact: true,
  depth: 4,
  maxArrayLength: 20,
  maxStringLength: 400,
  sorted: false,
} as const

const fullOptions = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: Number.POSITIVE_INFINITY,
  maxStringLength: Number.POSITIVE_INFINITY,
} as const

type Carrier = Pick<StoredEvent, 'data' | 'dataCommit'>

/** What an event carries, abbreviated on one line; empty where it carries nothing or `undefined`. */
export function dataLine(event: Carrier): string {
  if (event.data === undefined) return event.dataCommit === undefined ? '' : '(erased)'
  const value = decoded(event.data)
  if (value === undefined) return ''
  return printable(value instanceof Error ? errorLine(value) : inspect(value, lineOptions))
}

/** All that an event carries, on as many lines as it takes; undefined where it carries nothing or `undefined`. */
export function dataText(event: Carrier, width: number): string | undefined {
  if (event.data === undefined) return event.dataCommit === undefined ? undefined : '(erased)'
  const value = decoded(event.data)
  return value === undefined ? undefined : printableLines(inspect(value, { ...fullOptions, breakLength: width }))
}

/** A value of a program as text for people; a text is shown as it is. */
export function valueText(value: unknown, width: number): string {
  if (typeof value === 'string') return printableLines(value)
  return printableLines(inspect(value, { ...fullOptions, breakLength: width }))
}

function errorLine({ name, message }: Error): string {
  return name === 'Error' ? message : `${name}: ${message}`
}

// A journal that somebody damaged is still to be looked at.
function decoded(data: string): unknown {
  try {
    return decodeValue(data)
  } catch {
    return data
  }
}
