import { keptTokens } from '../../token/tokens.js'
import { written } from '../log.js'
import { receipt } from '../receipt.js'
import { type Case, caseOf, runsOf, threeRuns } from './case.js'

/** Files with tokens of time-stamping authorities, over their last checkpoint and over another. */
export async function tokenCases(): Promise<Case[]> {
  const { cases } = keptTokens()
  const kept = (wanted: string) => cases.find(({ name }) => name === wanted)!
  const good = kept('good')
  const authorities = good.anchors
  const log = threeRuns()
  const withTokens = (at: number, ...tokens: readonly string[]) => {
    const draft = log.draft(runsOf(log))
    const place = (draft.checkpoints.length + at) % draft.checkpoints.length
    draft.checkpoints[place] = { ...draft.checkpoints[place]!, tokens }
    return written(draft)
  }
  const last = (name: string) => withTokens(-1, kept(name).token)
  const stamped = await withTokens(-1, good.token)
  const bare = await withTokens(-1)
  const short = await receipt(log, 'c', 1, (parts) => {
    parts.checkpoints[0] = { ...parts.checkpoints[0]!, tokens: [good.token] }
  })
  const forged = { authorities, verdict: 'forged', check: 'tokens' } as const
  const others = kept('of-another-authority').anchors
  return [
    caseOf('token-good', stamped, { authorities, require: ['tokens'] }),
    caseOf('token-without-a-certificate', stamped),
    caseOf('token-required-without-a-certificate', stamped, { require: ['tokens'], verdict: 'incomplete' }),
    caseOf('token-of-another-authority', stamped, { authorities: others, verdict: 'incomplete' }),
    caseOf('token-of-another-authority-allowed', stamped, { authorities: others, allow: ['tokens'] }),
    caseOf('token-missing', bare, { authorities, verdict: 'incomplete' }),
    caseOf('token-required-and-missing', bare, { require: ['tokens'], verdict: 'incomplete' }),
    caseOf('token-by-two-keys-of-an-authority', await withTokens(-1, kept('good-of-a-curve').token, good.token), {
      authorities,
    }),
    caseOf('token-over-another-checkpoint', await withTokens(0, good.token), forged),
    caseOf('token-signed-by-another-key', await last('signed-by-another-key'), forged),
    caseOf('token-of-an-expired-certificate', await last('of-an-expired-certificate'), forged),
    caseOf('token-for-servers', await last('for-servers'), forged),
    caseOf('token-cut', await last('cut'), forged),
    caseOf('receipt-with-a-token', short, { authorities }),
  ]
}
