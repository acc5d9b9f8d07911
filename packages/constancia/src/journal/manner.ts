/**
 * How a value is written. Strictly: all of it or nothing. Or marking, for errors, which must be written whatever they
 * hold: what cannot be kept leaves a mark in its place, and what is long is cut.
 */
export interface Manner {
  readonly marks: boolean
  /** Levels of nesting. */
  readonly depthMax: number
  /** UTF-16 units of one text; base64 characters of bytes. */
  readonly textUnitsMax: number
  /** Items of one array, map or set; fields of one object. */
  readonly itemCountMax: number
  /** Causes of one error, and their causes. */
  readonly causeCountMax: number
}

/** All of a value or nothing, to this depth. */
export function strictly(depthMax: number): Manner {
  return { marks: false, depthMax, textUnitsMax: Infinity, itemCountMax: Infinity, causeCountMax: Infinity }
}

/** The manners for an error, from the one that keeps most to the one that hardly takes any space. */
export const marking: readonly Manner[] = [
  { marks: true, depthMax: 32, textUnitsMax: 16_384, itemCountMax: 100, causeCountMax: 8 },
  { marks: true, depthMax: 8, textUnitsMax: 1_024, itemCountMax: 10, causeCountMax: 8 },
  { marks: true, depthMax: 4, textUnitsMax: 128, itemCountMax: 1, causeCountMax: 1 },
]

/** What stands in place of what was not kept: `[not kept: a function]`. */
export function notKept(found: string): string {
  return `[not kept: ${found}]`
}

/** The start of a text, with a mark that says how much is missing; no surrogate pair is parted. */
export function cutText(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  const last = text.charCodeAt(unitsMax - 1)
  const kept = last >= 0xd800 && last <= 0xdbff ? unitsMax - 1 : unitsMax
  return `${text.slice(0, kept)}… [cut: ${text.length - kept} more characters]`
}
