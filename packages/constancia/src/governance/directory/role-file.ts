import { checkId } from '../../journal/index.js'
import { readCsv } from './csv.js'
import type { ImportedGrant } from './import.js'
import { readJsonRows } from './json-rows.js'
import type { RoleFileMistake, Row } from './rows.js'

/**
 * A file of roles, as a company's own directory exports it. CSV: a head line with the names of the columns, `principal`, `role`
 * and, where there is one, `until`, in any order; commas between, quotes as in RFC 4180; empty lines do not count. JSON: one
 * array of objects with these fields, each a text; `until` may be null. An end is written `2026-12-31T23:00:00Z`; a role without
 * one has none. UTF-8, at most 8 MiB.
 */
export type RoleFileFormat = 'csv' | 'json'

/** What a file says, or everything that is wrong with it. */
export type RoleFile =
  | { readonly kind: 'read'; readonly grants: readonly ImportedGrant[] }
  | { readonly kind: 'refused'; readonly mistakes: readonly RoleFileMistake[] }

const textLengthMax = 8 * 1024 * 1024
const columns = ['principal', 'role', 'until']

/** Reads a file of roles. Pure; where one line is wrong, nothing of it counts. */
export function readRoleFile(text: string, format: RoleFileFormat): RoleFile {
  if (text.length > textLengthMax) {
    return { kind: 'refused', mistakes: [{ line: 1, reason: 'The file is larger than 8 MiB.' }] }
  }
  const plain = text.replace(/^\uFEFF/, '')
  const { rows, mistakes } = format === 'csv' ? readCsv(plain) : readJsonRows(plain)
  const all = [...mistakes, ...rows.flatMap(mistakesOf), ...repeated(rows)].sort((a, b) => a.line - b.line)
  if (all.length > 0) return { kind: 'refused', mistakes: all }
  return { kind: 'read', grants: rows.map(grantOf) }
}

function mistakesOf({ line, fields }: Row): RoleFileMistake[] {
  const unknown = [...fields.keys()].filter((name) => !columns.includes(name))
  const reasons = [
    ...unknown.map(
      (name) => `There is no field ${JSON.stringify(name.slice(0, 80))}; the fields are ${columns.join(', ')}.`,
    ),
    ...principalMistakes(fields.get('principal')),
    ...(fields.get('role') ? [] : ['The role is missing.']),
    ...untilMistakes(fields.get('until')),
  ]
  return reasons.map((reason) => ({ line, reason }))
}

function principalMistakes(principal: string | null | undefined): string[] {
  if (!principal) return ['The principal is missing.']
  try {
    checkId(principal, 'principal id')
    return []
  } catch {
    return [
      `A principal is 1 to 200 of the characters A-Z a-z 0-9 . _ : ~ -, but it was ${JSON.stringify(principal.slice(0, 80))}.`,
    ]
  }
}

function untilMistakes(until: string | null | undefined): string[] {
  if (!until || momentOf(until) !== undefined) return []
  return [`An end is a moment such as 2026-12-31T23:00:00Z, but it was ${JSON.stringify(until.slice(0, 80))}.`]
}

function repeated(rows: readonly Row[]): RoleFileMistake[] {
  const lines = new Map<string, number>()
  return rows.flatMap(({ line, fields }) => {
    const key = JSON.stringify([fields.get('principal'), fields.get('role')])
    const first = lines.get(key)
    if (first === undefined) lines.set(key, line)
    return first === undefined
      ? []
      : [{ line, reason: `It says again what line ${first} says of this principal and role.` }]
  })
}

function grantOf({ fields }: Row): ImportedGrant {
  const until = fields.get('until')
  const grant = { principal: String(fields.get('principal')), role: String(fields.get('role')) }
  return until ? { ...grant, untilMs: momentOf(until) } : grant
}

const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{3})?)?Z$/

// A day that does not exist, such as the 30th of February, would be read as another one.
function momentOf(text: string): number | undefined {
  if (!momentPattern.test(text)) return
  const ms = Date.parse(text)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 16) !== text.slice(0, 16) ? undefined : ms
}
