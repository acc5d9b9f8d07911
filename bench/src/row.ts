import { ratios, type Spread, spreadOf } from './samples.js'

/** How a figure is compared with its target. */
export type Comparison = '<' | '<=' | '>='

/** One line of the table. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly unit: string
  /** What Constancia came to. */
  readonly constancia: Spread
  /** The same through the bare driver, where that is compared. */
  readonly bare?: Spread
  /** What the target is about, where it is not the figure itself. */
  readonly ratio?: Spread
  readonly target?: { readonly comparison: Comparison; readonly value: number; readonly isMet: boolean }
}

/** Steps a second beside those of the bare driver, and the ratio of what either takes, or of how many either does. */
export function ratesRow(
  named: Pick<Row, 'id' | 'what'>,
  { constancia, bare }: { readonly constancia: readonly number[]; readonly bare: readonly number[] },
  ratioOf: 'times' | 'rates',
): Row {
  const pairs = ratioOf === 'times' ? ratios(bare, constancia) : ratios(constancia, bare)
  return { ...named, unit: 'steps/s', constancia: spreadOf(constancia), bare: spreadOf(bare), ratio: spreadOf(pairs) }
}

/** Adds what is asked of a figure, or of its ratio where it has one. */
export function withTarget(row: Row, comparison: Comparison, value: number): Row {
  const { median } = row.ratio ?? row.constancia
  return { ...row, target: { comparison, value, isMet: isMet[comparison](median, value) } }
}

const isMet: Readonly<Record<Comparison, (median: number, value: number) => boolean>> = {
  '<': (median, value) => median < value,
  '<=': (median, value) => median <= value,
  '>=': (median, value) => median >= value,
}
