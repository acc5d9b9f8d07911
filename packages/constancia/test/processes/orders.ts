import type { KillStart } from '../../dist/testing/index.js'

/** Runs of the flows in flows.mjs, what each of them must return, and every key that its effects must have. */
export interface Orders {
  readonly starts: readonly KillStart[]
  readonly keys: readonly string[]
}

const ops: Readonly<Record<string, readonly string[]>> = {
  linear: ['0', '1', '2', '3', '4', '5'],
  branches: [
    '0.0.0',
    '0.0.1',
    '0.1.0',
    '0.1.1',
    '0.2.0',
    '0.2.1',
    '1.0.0',
    '1.1.0',
    '1.2.0',
    '1.3.0',
    '1.4.0',
    '2',
    '3',
  ],
  timers: ['0', '2', '5'],
  signals: ['0', '2', '5'],
  retries: ['0', '1'],
}

const outputs: Readonly<Record<string, (order: string) => unknown>> = {
  linear: (order) => ({ order, done: ['reserve', 'charge', 'pack', 'ship', 'bill', 'thank'] }),
  branches: (order) => ({ order, pairs: [2, 2, 2], items: [10, 20, 30, 40, 50], plain: ['x', 'y'] }),
  timers: () => 'after',
  signals: (order) => ({ order, accepted: { by: 'ann' }, paid: { cents: 499 }, late: { kind: 'timed_out' } }),
  retries: (order) => ({ order, first: { what: 'twice', attempt: 3 }, same: true, second: 'TypeError' }),
}

const signals = [
  { name: 'accepted', payload: { by: 'ann' }, afterEvents: 2 },
  { name: 'paid', payload: { cents: 499 }, afterEvents: 3 },
]

/** So many orders of each flow, in turn. */
export function ordersFor(ledger: string, each: number): Orders {
  const orders = Array.from({ length: each }, (_, index) => `order-${index}`)
  const starts = orders.flatMap((order) =>
    Object.entries(outputs).map(([flow, output]) => ({
      flow,
      id: `${flow}-${order}`,
      input: { ledger, order },
      output: output(order),
      ...(flow === 'signals' ? { signals } : {}),
    })),
  )
  const keys = starts.flatMap(({ flow, id }) => (ops[flow] ?? []).map((op) => `${id}/${op}`))
  return { starts, keys: keys.sort() }
}

/** Places where a kill test that plays such orders ends processes. */
export const placesOfOrders = [
  'at a random moment',
  'while it opens the file',
  'around the start',
  'around a claim',
  'around a signal',
  'around a suspension',
  'before an append',
  'after an event is stored',
  'between an effect and its append',
] as const
