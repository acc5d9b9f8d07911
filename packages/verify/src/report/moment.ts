/** A moment in UTC, to the second: `2026-11-29 18:01:22 UTC`. */
export function momentText(atMs: number): string {
  const date = new Date(atMs)
  if (Number.isNaN(date.getTime())) return 'no date'
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
