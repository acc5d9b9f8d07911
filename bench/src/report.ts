import type { FleetSamples, FleetSizes } from './fleet/measures.js'
import { fleetRows } from './fleet/rows.js'
import type { Machine } from './machine.js'
import type { ManySamples, ManySizes } from './many/measures.js'
import { manyRows } from './many/rows.js'
import type { Samples, Sizes } from './measures.js'
import { type Row, withTarget } from './row.js'
import { ratios, type Spread, spreadOf } from './samples.js'

/** Everything that one run of the benchmarks found. */
export interface Report {
  readonly date: string
  readonly machine: Machine & { readonly postgres: string; readonly syncsPerSecond: Spread }
  readonly sizes: Sizes
  readonly manySizes: ManySizes
  readonly fleetSizes: FleetSizes
  readonly rows: readonly Row[]
}

/** What was measured, and how much of it. */
export interface Measured {
  readonly machine: Machine
  readonly sizes: Sizes
  readonly samples: Samples
  readonly manySizes: ManySizes
  readonly manySamples: ManySamples
  readonly fleetSizes: FleetSizes
  readonly fleetSamples: FleetSamples
}

/** Sums up what was measured. */
export function reportOf(measured: Measured): Report {
  const { machine, sizes, samples, manySizes, manySamples, fleetSizes, fleetSamples } = measured
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { ...machine, postgres: fleetSamples.server, syncsPerSecond: spreadOf(samples.syncs) },
    sizes,
    manySizes,
    fleetSizes,
    rows: [
      ...comparisons(sizes, samples),
      ...replays(sizes, samples),
      ...inMemory(sizes, samples),
      ...manyRows(manySizes, manySamples),
      ...fleetRows(fleetSizes, fleetSamples),
    ],
  }
}

function comparisons(sizes: Sizes, samples: Samples): Row[] {
  const one: Row = {
    id: 'one-run',
    what: 'one run, step after step; time against a bare commit each',
    unit: 'steps/s',
    constancia: spreadOf(samples.oneRun),
    bare: spreadOf(samples.oneRunBare),
    ratio: spreadOf(ratios(samples.oneRunBare, samples.oneRun)),
  }
  const many: Row = {
    id: 'many-runs',
    what: `${sizes.manyRuns.runs} runs at once; share of the bare driver's rate in groups of ${sizes.manyRuns.runs}`,
    unit: 'steps/s',
    constancia: spreadOf(samples.manyRuns),
    bare: spreadOf(samples.manyRunsBare),
    ratio: spreadOf(ratios(samples.manyRuns, samples.manyRunsBare)),
  }
  return [withTarget(one, '<=', 1.3), withTarget(many, '>=', 0.6)]
}

function replays({ longSteps, shortSteps }: Sizes, samples: Samples): Row[] {
  const replay = (id: string, what: string, times: readonly number[]): Row => ({
    id,
    what,
    unit: 'ms',
    constancia: spreadOf(times),
  })
  const growth = { what: `replay of ${count(longSteps)} steps against ${count(shortSteps)}`, times: samples.longReplay }
  const grown: Row = {
    ...replay('replay-growth', growth.what, growth.times),
    ratio: spreadOf(ratios(samples.longReplay, samples.shortReplay)),
  }
  return [
    withTarget(replay('replay', `replay of ${count(longSteps)} steps`, samples.longReplay), '<=', 150),
    withTarget(grown, '<=', 12),
    replay('replay-afresh', `replay of ${count(longSteps)} steps, in a new process`, samples.longReplayAfresh),
    replay('replay-afresh-short', `replay of ${count(shortSteps)} steps, in a new process`, samples.shortReplayAfresh),
  ]
}

function inMemory({ longSteps, shortSteps }: Sizes, samples: Samples): Row[] {
  const row = (id: string, steps: number, rates: readonly number[]): Row => ({
    id,
    what: `one run of ${count(steps)} steps, in memory`,
    unit: 'steps/s',
    constancia: spreadOf(rates),
  })
  return [row('memory-long', longSteps, samples.longInMemory), row('memory-short', shortSteps, samples.shortInMemory)]
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
  return `${cores} cores (${processor}), Node.js ${node}, ${sqlite}, ${postgres}, ${spreadText(syncsPerSecond)} syncs/s`
}

/** How often it was measured, in a line. */
export function roundsLine({ sizes, manySizes, fleetSizes }: Report): string {
  const { rounds, oneRun, manyRuns } = sizes
  return (
    `Medians (lowest–highest) of ${rounds} rounds; of one run ${rounds * oneRun.stretches} stretches of ${oneRun.steps} steps, of many ` +
    `${rounds * manyRuns.stretches} of ${manyRuns.steps} steps each; from parked runs on ${manySizes.rounds} rounds, in processes of their own, over PostgreSQL ${fleetSizes.rounds}. ` +
    'What is compared took turns.'
  )
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
