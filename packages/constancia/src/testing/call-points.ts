import type { PointKind } from './places.js'

/** At which places a call of the store may be the last thing that a process does. */
export interface CallPoints<T> {
  readonly before?: PointKind
  readonly after?: PointKind
  /** Which answers count as something that happened; all of them unless set. */
  readonly afterIf?: (answer: T) => boolean
}

/** Before it and after it alike. */
export function around<T>(kind: PointKind): CallPoints<T> {
  return { before: kind, after: kind }
}
