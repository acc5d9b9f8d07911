import type { Spread } from './samples.js'

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
