import { journals, logOf } from '../journal.js'
import { type Draft, repaired, without } from '../log.js'
import { receipt } from '../receipt.js'
import { type Case, caseOf, keyText, runsOf, threeRuns } from './case.js'

/** Receipts, honest and not. */
export async function receiptCases(): Promise<Case[]> {
  const log = threeRuns()
  const one = await receipt(log, 'a', 2)
  const cut = await receipt(log, 'a', 2, ({ streams }) => streams[0]!.events.pop())
  const other = await receipt(log, 'a', 2, (parts) => Object.assign(parts, { prev: '0'.repeat(64) }))
  const bare = await receipt(log, 'a', 2, ({ leaves }) => leaves.splice(1, 1))
  const voted = logOf(journals('paid'))
  const [id = ''] = runsOf(voted)
  const seqOf = (kind: string) => voted.streams.get(`run/${id}`)!.findIndex((event) => event.kind === kind)
  const vote = await receipt(voted, id, seqOf('ApprovalVoted'))
  const effect = seqOf('ActionCompleted')
  const first = (parts: Draft) => parts.streams[0]!.events[0]!
  const left = (kind: 'withheld' | 'erased') =>
    receipt(voted, id, effect, (parts) => {
      const event = first(parts)
      parts.streams[0]!.events[0] = { ...event, data: event.data && without(event.data, kind) }
    })
  const bodyless = await receipt(log, 'a', 2, (parts) => {
    const event = first(parts)
    parts.streams[0]!.events[0] = { ...event, body: without(event.body, 'withheld') }
  })
  const otherVoter = Buffer.from(repaired(vote.toString().replace('"approve"', '"rejects"')))
  const twice = Buffer.from(repaired(one.toString().replace(/^stream .*\n/m, '$&$&')))
  const scoped = Buffer.from(repaired(one.toString().replace(/^prev /m, 'scope runs 1\nprev ')))
  return [
    caseOf('receipt-of-a-vote', vote),
    caseOf('receipt-of-an-effect', await receipt(voted, id, effect)),
    caseOf('receipt-with-data-withheld', await left('withheld')),
    caseOf('receipt-with-data-erased', await left('erased')),
    caseOf('receipt-with-the-fact-withheld', bodyless),
    caseOf('receipt-of-another-vote', otherVoter, { verdict: 'forged', check: 'chain' }),
    caseOf('receipt-of-another-log', vote, {
      keys: [keyText(1, 'other.example/log')],
      origin: 'other.example/log',
      verdict: 'forged',
      check: 'origin',
    }),
    caseOf('receipt-with-two-streams', twice, { verdict: 'unreadable', check: 'format' }),
    caseOf('receipt-with-a-scope', scoped, { verdict: 'unreadable', check: 'format' }),
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
