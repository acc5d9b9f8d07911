import { shownDigestOf } from '../../../dist/governance/approvals/shown.js'
import type { Forgery, Loose } from './forgery.js'
import type { Lie } from './lie.js'

const day = 86_400_000
const digest = (op: string, text: string): string => shownDigestOf('r' as never, op as never, text)

/** Everything that somebody who votes says is by somebody else. */
function isBy(vote: Loose, voter: string): void {
  vote.by = `principal:${voter}`
  vote.body.voter = voter
}

function bothBy(forgery: Forgery, voter: string): Loose {
  const vote = forgery.event('ApprovalVoted')
  isBy(vote, voter)
  forgery.event('ApprovalResolved').by = vote.by
  return vote
}

/** Lies about what people were asked and what they said. */
export const approvalLies: readonly Lie[] = (
  [
    {
      lie: 'somebody votes who holds no role',
      scene: 'paid',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => bothBy(forgery, 'mallory'),
    },
    {
      lie: 'a vote is in somebody else’s name',
      scene: 'paid',
      says: /it is by principal:una/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        for (const one of [vote, forgery.event('ApprovalResolved')]) one.by = 'principal:una'
        return vote
      },
    },
    {
      lie: 'the voter was revoked before',
      scene: 'paid',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        forgery.lawBefore(vote, { kind: 'RoleRevoked', body: { principal: 'tom', role: 'treasurer', source: null } })
        return vote
      },
    },
    {
      lie: 'the voter was revoked before, and the vote claims an older law',
      scene: 'paid',
      says: /the law had gone on long before/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        const at = vote.at - 3_600_000
        forgery.adds({ at, kind: 'RoleRevoked', body: { principal: 'tom', role: 'treasurer', source: null } })
        return vote
      },
    },
    {
      lie: 'the voter’s role had ended',
      scene: 'paid',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        forgery.grantOf('tom', 'treasurer').body.untilMs = vote.at
        return vote
      },
    },
    {
      lie: 'the delegation had ended',
      scene: 'voted',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        forgery.change('DelegationGranted').body.untilMs = vote.at
        return vote
      },
    },
    {
      lie: 'one vote too few',
      scene: 'voted',
      says: /approved is what a vote brings/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ApprovalVoted', 1))
        return forgery.event('ApprovalResolved')
      },
    },
    {
      lie: 'nobody voted',
      scene: 'paid',
      says: /approved is what a vote brings/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ApprovalVoted'))
        return forgery.event('ApprovalResolved')
      },
    },
    {
      lie: 'two identities of one person make two',
      scene: 'voted',
      says: /has voted/,
      forge: (forgery) => bothBy(forgery, 'tom-bot'),
    },
    {
      lie: 'whoever asked approves under another name',
      scene: 'paid',
      says: /Nobody approves what they asked for/,
      forge: (forgery) => bothBy(forgery, 'ann-bot'),
    },
    {
      lie: 'a vote came after the deadline',
      scene: 'paid',
      says: /The deadline has passed/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        forgery.later(vote, 4 * day)
        return vote
      },
    },
    {
      lie: 'a vote came at the very deadline',
      scene: 'paid',
      says: /The deadline has passed/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        forgery.later(vote, forgery.event('ApprovalRequested').at + 4 * day - vote.at)
        return vote
      },
    },
    {
      lie: 'a vote is about something else',
      scene: 'paid',
      says: /something else than what is shown/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        vote.body.shown = digest('1', 'something else')
        return vote
      },
    },
    {
      lie: 'the roles of a vote are made up',
      scene: 'paid',
      says: /it is recorded by administrator/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        vote.body.roles = ['administrator']
        return vote
      },
    },
    {
      lie: 'a rejection resolves to an approval',
      scene: 'rejected',
      says: /was rejected, and nothing right after it says so/,
      forge: (forgery) => {
        forgery.event('ApprovalResolved').body.outcome = 'approved'
        return forgery.event('ApprovalVoted')
      },
    },
    {
      lie: 'a rejection is made an approval, and the resolution stays',
      scene: 'rejected',
      says: /was approved, and nothing/,
      forge: (forgery) => {
        forgery.event('ApprovalVoted').body.choice = 'approve'
        return forgery.event('ApprovalVoted')
      },
    },
    {
      lie: 'a vote that decides is not followed by its resolution',
      scene: 'paid',
      says: /nothing right after it says so/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ApprovalResolved'))
        return forgery.event('ApprovalVoted')
      },
    },
    {
      lie: 'a vote came after the resolution',
      scene: 'paid',
      says: /it was decided before: approved/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        const late = forgery.insert(forgery.event('ApprovalResolved'), structuredClone(vote))
        isBy(late, 'una')
        return late
      },
    },
    {
      lie: 'a vote came after the wish to cancel',
      scene: 'paid',
      says: /the run was being cancelled/,
      forge: (forgery) => {
        forgery.insert(forgery.event('ApprovalRequested'), {
          kind: 'CancelRequested',
          by: 'principal:ann',
          body: {},
          data: undefined,
        })
        return forgery.event('ApprovalVoted')
      },
    },
    {
      lie: 'a vote counts twice under its delivery',
      scene: 'voted',
      says: /it was given before under this delivery/,
      forge: (forgery) => {
        const [first, second] = [forgery.event('ApprovalVoted', 0), forgery.event('ApprovalVoted', 1)]
        isBy(second, first.body.voter)
        second.body.delivery = first.body.delivery
        return second
      },
    },
    {
      lie: 'a reason was required and is not there',
      scene: 'voted',
      says: /gives no reason/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        vote.data = JSON.stringify({ note: '  ' })
        return vote
      },
    },
    {
      lie: 'something is amended that nobody may amend',
      scene: 'voted',
      says: /cannot be approved with changes/,
      forge: (forgery) => {
        const vote = forgery.event('ApprovalVoted')
        const amended = '{"to":"mallory","cents":1}'
        vote.body.amended = digest('0', amended)
        vote.data = JSON.stringify({ note: 'Yes.', amended })
        return vote
      },
    },
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
      lie: 'a chief votes before it was escalated',
      scene: 'voted',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => bothBy(forgery, 'cid'),
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
