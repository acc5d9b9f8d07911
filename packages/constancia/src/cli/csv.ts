/**
 * One line of CSV (RFC 4180) without its end: fields with a comma, a quote or a line's end are quoted. What a spreadsheet would take for a
 * formula gets an apostrophe in front: texts of journals come from anywhere.
 */
export function csvLine(fields: readonly string[]): string {
  return fields.map(csvField).join(',')
}

function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
