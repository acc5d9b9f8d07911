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

/** Lies about what people said. */
export const voteLies: readonly Lie[] = (
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
      lie: 'a chief votes before it was escalated',
      scene: 'voted',
      says: /Whoever decides holds treasurer/,
      forge: (forgery) => bothBy(forgery, 'cid'),
    },
  ] satisfies readonly Omit<Lie, 'check'>[]
).map((told) => ({ ...told, check: 'approvals' }))
