import { shownDigestOf } from '../../../dist/governance/approvals/shown.js'
import type { Lie } from './lie.js'

const day = 86_400_000
const digest = (op: string, text: string): string => shownDigestOf('r' as never, op as never, text)

/** Lies about what people were asked, and what it came to. */
export const approvalLies: readonly Lie[] = (
  [
    {
      lie: 'the resolution carries another amendment than was voted for',
      scene: 'amended',
      says: /another input than the one that was approved/,
      forge: (forgery) => {
        const resolution = forgery.event('ApprovalResolved')
        resolution.data = '{"to":"mallory","cents":200000}'
        return resolution
      },
    },
    {
      lie: 'the resolution drops the amendment',
      scene: 'amended',
      says: /another input than the one that was approved/,
      forge: (forgery) => {
        const resolution = forgery.event('ApprovalResolved')
        resolution.data = undefined
        return resolution
      },
    },
    {
      lie: 'the amendment in a vote is another than its digest names',
      scene: 'amended',
      says: /another digest than that of what it amends/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        vote.data = JSON.stringify({ note: 'Yes.', amended: '{"to":"mallory","cents":200000}' })
        return vote
      },
    },
    {
      lie: 'people were asked for less than the rule says',
      scene: 'voted',
      says: /asks for another approval/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.body.policy.quorum = 1
        return request
      },
    },
    {
      lie: 'another rule is said to have asked',
      scene: 'voted',
      says: /it is rule 2 that asks for it/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.body.rule = 1
        return request
      },
    },
    {
      lie: 'something else was shown',
      scene: 'paid',
      says: /the digest is not that of what is shown/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.data = (request.data as string).replace('250000', '100')
        return request
      },
    },
    {
      lie: 'what was shown names another schema',
      scene: 'paid',
      says: /names another schema/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.data = JSON.stringify({ ...JSON.parse(request.data as string), schema: 'f'.repeat(64) })
        request.body.shown = digest('1', request.data)
        return request
      },
    },
    {
      lie: 'what was shown is about another action',
      scene: 'paid',
      says: /another action is shown/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.body.action = 'invoice.read'
        return request
      },
    },
    {
      lie: 'people are asked where nobody has to',
      scene: 'voted',
      says: /the gate asks for no approval/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.data = JSON.stringify({ ...JSON.parse(request.data as string), input: '{"to":"acme","cents":5}' })
        request.body.shown = digest('0', request.data)
        return request
      },
    },
    {
      lie: 'it expired before its deadline',
      scene: 'expired',
      says: /its deadline had not passed/,
      forge: (forgery) => {
        const resolution = forgery.event('ApprovalResolved')
        for (const one of forgery.run.slice(forgery.run.indexOf(resolution))) one.at -= 1
        return resolution
      },
    },
    {
      lie: 'a person says that it has expired',
      scene: 'expired',
      says: /written by the owner of the run/,
      forge: (forgery) => {
        const resolution = forgery.event('ApprovalResolved')
        resolution.by = 'principal:tom'
        return resolution
      },
    },
    {
      lie: 'it lapsed by itself',
      scene: 'expired',
      says: /lapsed is what a vote brings/,
      forge: (forgery) => {
        const resolution = forgery.event('ApprovalResolved')
        resolution.body.outcome = 'lapsed'
        return resolution
      },
    },
    {
      lie: 'it was escalated too early',
      scene: 'expired',
      says: /it had not waited long enough/,
      forge: (forgery) => {
        const escalation = forgery.event('ApprovalEscalated')
        escalation.at -= 1
        return escalation
      },
    },
    {
      lie: 'it was escalated to others',
      scene: 'expired',
      says: /it goes to chief/,
      forge: (forgery) => {
        const escalation = forgery.event('ApprovalEscalated')
        escalation.body.roles = ['analyst']
        return escalation
      },
    },
    {
      lie: 'somebody takes back another’s vote',
      scene: 'voted',
      says: /is not vic/,
      forge: (forgery) => {
        const withdrawal = forgery.event('ApprovalWithdrawn')
        withdrawal.by = 'principal:tom'
        return withdrawal
      },
    },
    {
      lie: 'a vote is taken back that nobody gave',
      scene: 'voted',
      says: /there is no such vote/,
      forge: (forgery) => {
        const withdrawal = forgery.event('ApprovalWithdrawn')
        withdrawal.body.delivery = 'another'
        return withdrawal
      },
    },
    {
      lie: 'a vote is taken back after the deadline',
      scene: 'voted',
      says: /the deadline had passed/,
      forge: (forgery) => {
        const withdrawal = forgery.event('ApprovalWithdrawn')
        forgery.later(withdrawal, 4 * day)
        return withdrawal
      },
    },
    {
      lie: 'a second request while the first is open',
      scene: 'voted',
      says: /open already/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        return forgery.insert(request, {})
      },
    },
    {
      lie: 'the contract of a request was not in force',
      scene: 'paid',
      says: /names contract/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.body.contract = 'a'.repeat(64)
        return request
      },
    },
  ] satisfies readonly Omit<Lie, 'check'>[]
).map((told) => ({ ...told, check: 'approvals' }))
