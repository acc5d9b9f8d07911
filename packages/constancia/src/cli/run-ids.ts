import type { Runtime } from '../engine/index.js'
import { parseRunId, type RunId } from '../journal/index.js'
import type { RunRow } from '../store/index.js'
import { cliError, codeOf } from './errors.js'

const candidatesMax = 1_000
const shownMax = 8

/**
 * Finds the run that an id stands for: the whole of it, or so much of its beginning that only one run fits. Children and
 * continuations of a run begin like it and do not make it ambiguous. Throws `invalid_id`, `unknown_run`, `ambiguous_id`.
 */
export async function findRun(runtime: Runtime, text: string): Promise<RunRow> {
  const id = parseRunId(text)
  const exact = await rowOf(runtime, id)
  if (exact.row !== undefined) return exact.row
  const { items, next } = await runtime.runs({ idPrefix: text, limit: candidatesMax })
  const [first] = [...items].sort((a, b) => a.id.length - b.id.length)
  if (first === undefined) throw exact.error
  if (next === undefined && items.every((row) => row === first || row.id.startsWith(`${first.id}~`))) return first
  throw ambiguous(text, items, next !== undefined)
}

/** Finds several; each of them must be there, or none is returned. A run that is named twice comes once. */
export async function findRuns(runtime: Runtime, texts: readonly string[]): Promise<RunRow[]> {
  const rows = new Map<RunId, RunRow>()
  for (const text of texts) {
    const row = await findRun(runtime, text)
    rows.set(row.id, row)
  }
  return [...rows.values()]
}

/** The run that took over last from the line of each; itself if none did. Each comes once. */
export async function latestOf(runtime: Runtime, rows: readonly RunRow[]): Promise<RunRow[]> {
  const latest = new Map<RunId, RunRow>()
  for (const row of rows) {
    const root = row.continuedAs === undefined ? row : await runtime.run(row.root).row()
    const last = root.latest === undefined || row.continuedAs === undefined ? row : await runtime.run(root.latest).row()
    latest.set(last.id, last)
  }
  return [...latest.values()]
}

async function rowOf(runtime: Runtime, id: RunId): Promise<{ row: RunRow | undefined; error: unknown }> {
  try {
    return { row: await runtime.run(id).row(), error: undefined }
  } catch (error) {
    if (codeOf(error) !== 'unknown_run') throw error
    return { row: undefined, error }
  }
}

function ambiguous(text: string, rows: readonly RunRow[], more: boolean): Error {
  const shown = rows.slice(0, shownMax).map((row) => `  ${row.id}  ${row.flow}@${row.version}  ${row.status}`)
  const count = more ? `more than ${candidatesMax.toLocaleString('en-US')}` : String(rows.length)
  const rest = rows.length > shownMax ? ['  …'] : []
  const lines = [
    `${JSON.stringify(text)} fits ${count} runs. Nothing was done; give more of the id.`,
    ...shown,
    ...rest,
  ]
  return cliError('ambiguous_id', lines.join('\n'))
}
