import type { Chapter } from './chapter.js'
import type { Machine } from './machine.js'
import type { Row } from './row.js'
import type { Spread } from './samples.js'

/** Everything that one run of the benchmarks found. */
export interface Report {
  readonly date: string
  readonly machine: Machine & { readonly postgres: string | undefined }
  /** How often everything was measured, a sentence for each part. */
  readonly rounds: readonly string[]
  readonly rows: readonly Row[]
}

/** Sums up what was measured. */
export function reportOf(machine: Machine, chapters: readonly Chapter[]): Report {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { ...machine, postgres: chapters.find(({ server }) => server !== undefined)?.server },
    rounds: chapters.map(({ rounds }) => rounds),
    rows: chapters.flatMap(({ rows }) => rows),
  }
}

const count = (value: number): string => value.toLocaleString('en-US')

/** A figure to three digits or so. */
function figure(value: number): string {
  if (Math.abs(value) >= 1000) return count(Math.round(value))
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

function spreadText({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`
}

const columns = ['measure', 'unit', 'Constancia', 'bare driver', 'ratio', 'target', ''] as const

const signs = { '<': '<', '<=': '≤', '>=': '≥' } as const

function cellsOf(row: Row): string[] {
  const { target } = row
  const asked = target === undefined ? '' : `${signs[target.comparison]} ${target.value}`
  const verdict = target === undefined ? '' : target.isMet ? 'pass' : 'MISS'
  const optional = (spread: Spread | undefined): string => (spread === undefined ? '' : spreadText(spread))
  return [row.what, row.unit, spreadText(row.constancia), optional(row.bare), optional(row.ratio), asked, verdict]
}

/** What it was measured on, in a line. */
export function machineLine({ machine }: Report): string {
  const { cores, processor, node, sqlite, postgres, syncsPerSecond } = machine
  const stores = postgres === undefined ? sqlite : `${sqlite}, ${postgres}`
  return `${cores} cores (${processor}), Node.js ${node}, ${stores}, ${spreadText(syncsPerSecond)} syncs/s`
}

/** How often it was measured, in a line. */
export function roundsLine({ rounds }: Report): string {
  return `Medians (lowest–highest). ${rounds.join(' ')} What is compared took turns.`
}

/** The table, for a terminal. */
export function tableText(report: Report): string {
  const lines = [[...columns], ...report.rows.map(cellsOf)]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The table, for a page. */
export function tableMarkdown(report: Report): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = columns.map((_, index) => (index < 2 ? '---' : '---:'))
  return [line(columns), line(rule), ...report.rows.map((row) => line(cellsOf(row)))].join('\n')
}
