import { receipt } from '../receipt.js'
import { type Case, caseOf, keyText, threeRuns } from './case.js'

/** Receipts, honest and not. */
export async function receiptCases(): Promise<Case[]> {
  const log = threeRuns()
  const one = await receipt(log, 'a', 2)
  const cut = await receipt(log, 'a', 2, ({ streams }) => streams[0]!.events.pop())
  const other = await receipt(log, 'a', 2, (parts) => Object.assign(parts, { prev: '0'.repeat(64) }))
  const bare = await receipt(log, 'a', 2, ({ leaves }) => leaves.splice(1, 1))
  return [
    caseOf('receipt-of-an-event', one),
    caseOf('receipt-where-the-law-is-required', one, { verdict: 'incomplete', require: ['law'] }),
    caseOf('receipt-of-the-first-event', await receipt(log, 'b', 0)),
    caseOf('receipt-of-the-last-event', await receipt(log, 'a', 4)),
    caseOf('receipt-by-an-unknown-key', one, { keys: [keyText(8)], verdict: 'unverifiable', check: 'checkpoints' }),
    caseOf('receipt-cut', cut, { verdict: 'forged', check: 'leaves' }),
    caseOf('receipt-behind-another-event', other, { verdict: 'forged', check: 'chain' }),
    caseOf('receipt-without-the-leaf-of-governance', bare, { verdict: 'incomplete', check: 'leaves' }),
  ]
}
