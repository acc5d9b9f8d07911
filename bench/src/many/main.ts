import { writeBare } from '../comparing.js'
import { workSealed } from '../sealing/sealed-work.js'
import { advanceMany } from './in-flight.js'
import type { Order } from './orders.js'
import { park, stay } from './parked.js'
import { callMany, drain, fill } from './short-runs.js'
import { serve, wake } from './waking.js'

// The processes of their own in which many runs are measured: one order each.
const tell = (told: unknown): void => void process.send?.(told ?? null)
const going = new Promise<void>((resolve) => process.once('message', () => resolve()))
const end = await obey(JSON.parse(process.argv[2] ?? '') as Order)
process.on('message', (word) => {
  if (word !== 'end') return
  void end().then(() => process.disconnect())
})

async function obey(order: Order): Promise<() => Promise<void>> {
  switch (order.kind) {
    case 'serve':
      return serve(order, tell)
    case 'seal':
      return workSealed(order, tell)
    case 'bare':
      return writeBare(order, tell)
    case 'drain':
      tell(0)
      await going
      return drain(order, tell)
    default:
      tell(await once(order))
      return () => Promise.resolve()
  }
}

function once(order: Exclude<Order, { readonly kind: 'serve' | 'drain' | 'seal' | 'bare' }>): Promise<unknown> {
  switch (order.kind) {
    case 'park':
      return park(order)
    case 'stay':
      return stay(order)
    case 'wake':
      return wake(order)
    case 'advance':
      return advanceMany(order)
    case 'call':
      return callMany(order)
    case 'fill':
      return fill(order)
  }
}
