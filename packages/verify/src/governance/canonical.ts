/** What a canonical text holds. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * Writes JSON in the one form that its digest is made of: no white space, names in the order of their UTF-16 units, numbers
 * and texts as ECMAScript writes them (the rules of RFC 8785). Throws `TypeError` for what is no JSON.
 */
export function canonicalText(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a number of JSON.`)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isItems(value)) return `[${value.map(canonicalText).join(',')}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] as Json)}`).join(',')}}`
}

function isItems(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
