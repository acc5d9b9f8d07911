/** Colours by what they mean. */
export interface Paint {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly accent: (text: string) => string
}

const codes: Readonly<Record<keyof Paint, string>> = {
  strong: '1',
  faint: '2',
  good: '32',
  bad: '31',
  warn: '33',
  accent: '36',
}

/** Colours of a terminal, or none at all. */
export function paintFor(hasColours: boolean): Paint {
  const one = (name: keyof Paint) => (text: string) =>
    hasColours && text !== '' ? `\u001b[${codes[name]}m${text}\u001b[0m` : text
  const [strong, faint, good] = [one('strong'), one('faint'), one('good')]
  return { strong, faint, good, bad: one('bad'), warn: one('warn'), accent: one('accent') }
}
