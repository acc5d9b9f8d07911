const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A span in words that lose nothing: `4 days`, `1 day 12 hours`, `1,500 ms`. */
export function spanInWords(ms: number): string {
  if (ms < 1_000 || ms % 1_000 !== 0) return `${ms.toLocaleString('en')} ms`
  let rest = ms
  const parts: string[] = []
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(`${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`)
  }
  return parts.join(' ')
}
