/** Returns what puts the schema's quoted name where a statement says `{schema}`; each text is looked at once. */
export function schemaFiller(schema: string): (text: string) => string {
  const filled = new Map<string, string>()
  const name = `"${schema.replaceAll('"', '""')}"`
  return (text) => {
    const known = filled.get(text) ?? text.replaceAll('{schema}', name)
    filled.set(text, known)
    return known
  }
}
