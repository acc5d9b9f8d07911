import { journalError } from '../../journal/index.js'

/** How many items a page holds. */
export function limitOf(limit: number | undefined): number {
  return Math.min(Math.max(limit ?? 100, 1), 1000)
}

/** Reads `next` of the page before. Throws `invalid_id` if it is none. */
export function cursorOf(after: string): number {
  if (/^[0-9]{1,15}$/.test(after)) return Number(after)
  throw journalError(
    'invalid_id',
    `${JSON.stringify(after.slice(0, 40))} is not where a page can begin. Nothing was read; pass on "next" of the page before.`,
  )
}
