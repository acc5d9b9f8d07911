/** The story: one payment, six times. Each scene has a database file of its own; the bank is the same. */
import type { StoredEvent } from 'constancia'
import { bodyOf } from './journal.js'
import type { Outside } from './processes.js'
import { type Played, Stage } from './stage.js'

/** Something that a scene shows, and whether it was so. */
export interface Claim {
  readonly text: string
  readonly holds: boolean
}

/** One scene. */
export interface Scene {
  readonly name: string
  readonly title: string
  /** What happens, for somebody who has never seen this. */
  readonly about: string
  readonly play: (stage: Stage, outside: Outside) => Promise<(played: Played) => readonly Claim[]>
}

/** What a scene came to, and what it shows. */
export interface PlayedScene extends Played {
  readonly claims: readonly Claim[]
}

/** All scenes, in their order. */
export const scenes: readonly Scene[] = [
  {
    name: 'approved',
    title: 'Approved four days later',
    about:
      'On Monday ann, an analyst, has an invoice read and proposes to pay it. A treasurer has to release that, so the run waits. Its process ' +
      'is killed. On Friday tom, a treasurer, approves; another process goes on where the first one stopped.',
    play: async (stage) => {
      await stage.begin('2026-118')
      await stage.approve('Fri 09:00', 'tom')
      await stage.resume('Fri 09:05')
      return (played) => [
        { text: 'the run has completed', holds: lastKind(played) === 'FlowCompleted' },
        asked(played, 'the bank was asked once'),
        {
          text: 'what the bank paid is what tom was shown',
          holds: sameText(eventOf(played, 'ApprovalRequested'), played),
        },
      ]
    },
  },
  {
    name: 'actor',
    title: 'Whoever asked has lost the role meanwhile',
    about:
      'The same, but on Wednesday ann changes teams and is no analyst any more. On Friday tom approves all the same. The run acts as ann, ' +
      'so her roles are read again before anything executes.',
    play: async (stage) => {
      await stage.begin('2026-119')
      await stage.revoke('Wed 10:00', { principal: 'ann', role: 'analyst', reason: 'moved to another team' })
      await stage.approve('Fri 09:00', 'tom')
      await stage.resume('Fri 09:05')
      return (played) => [
        { text: 'the run has failed with resume_denied', holds: failedWith(played) === 'resume_denied' },
        { text: 'the user was told', holds: played.events.at(-2)?.kind === 'MessageSent' },
        asked(played, 'the bank was never asked'),
      ]
    },
  },
  {
    name: 'approver',
    title: 'Whoever approved has lost the role before the quorum',
    about:
      'A large payment needs two treasurers. Tom approves on Tuesday and leaves the treasury on Wednesday. On Friday tess approves: two ' +
      'votes, but only one of somebody who may. Nobody else votes, and after seven days the approval has expired.',
    play: async (stage) => {
      await stage.begin('2026-120')
      const first = await stage.approve('Tue 16:00', 'tom')
      await stage.revoke('Wed 10:00', { principal: 'tom', role: 'treasurer', reason: 'left the treasury' })
      const second = await stage.approve('Fri 09:00', 'tess')
      await stage.resume('next Mon 09:00')
      return (played) => [
        { text: 'two were needed, two were cast, and they did not suffice', holds: first === null && second === null },
        {
          text: 'the approval has expired',
          holds: bodyOf(eventOf(played, 'ApprovalResolved'))['outcome'] === 'expired',
        },
        asked(played, 'the bank was never asked'),
      ]
    },
  },
  {
    name: 'contract',
    title: 'The contract was tightened meanwhile',
    about:
      'On Wednesday a new contract comes into force: from 1,000.00 on, two treasurers have to agree. The run was started under the old ' +
      'one, which asks for one. An action has to satisfy both.',
    play: async (stage) => {
      const stricter = { version: '8', twoFromCents: 100_000 }
      await stage.begin('2026-121')
      await stage.at(
        'Wed 10:00',
        ({ governance }, { contract }) => governance.activate({ contract, by: 'ada' }),
        stricter,
      )
      await stage.approve('Fri 09:00', 'tom')
      await stage.resume('Fri 09:05', stricter)
      return (played) => [
        {
          text: 'the payment was denied: the approval no longer suffices',
          holds: deniedFor(played) === 'approval_lapsed',
        },
        asked(played, 'the bank was never asked'),
      ]
    },
  },
  {
    name: 'situation',
    title: 'Somebody else has paid meanwhile',
    about:
      'On Thursday the branch office pays the invoice by hand. Tom does not know it and approves. Everybody may, and yet the payment makes ' +
      'no sense any more: the action looks at the world once more before money moves.',
    play: async (stage, outside) => {
      await stage.begin('2026-122')
      await outside.payElsewhere('2026-122', 'the branch office')
      stage.mark('Thu 11:00', 'the branch office pays this invoice by hand')
      await stage.approve('Fri 09:00', 'tom')
      await stage.resume('Fri 09:05')
      return (played) => [
        { text: 'the payment was denied: the situation has changed', holds: deniedFor(played) === 'situation_changed' },
        asked(played, 'the bank was never asked'),
      ]
    },
  },
  {
    name: 'workers',
    title: 'Two workers believe that the resume is theirs',
    about:
      'After the approval worker 2 goes on and asks the bank. The answer takes so long that its lease runs out, and worker 3 takes over: both ' +
      'hold the run for their own now. Worker 3 asks with the same key. Then worker 2 hears from the bank, and wants to write.',
    play: async (stage) => {
      await stage.begin('2026-123')
      await stage.approve('Fri 09:00', 'tom')
      const slow = stage.worker('Fri 09:05', { isSlow: true })
      await slow.says('is slow')
      stage.mark('Fri 09:05', 'the bank has paid; worker 2 waits for its answer')
      const next = stage.worker('Fri 09:10', { isSlow: true })
      await next.says('is slow')
      stage.mark('Fri 09:10', 'the bank knows the key; worker 3 waits for its answer too', true)
      slow.goOn()
      const { why } = await slow.says('was refused')
      stage.mark('Fri 09:10', `worker 2 hears it, wants to write, is refused: ${why}`, true)
      next.goOn()
      await next.says('rests')
      await Promise.all([slow.kill(), next.kill()])
      return (played) => [
        { text: 'what worker 2 wanted to write was refused', holds: why === 'claim_lost' },
        { text: 'resumed once, authorised once, completed once', holds: paymentsAre(played, 1) },
        asked(played, 'the bank was asked twice with one key, and paid once'),
      ]
    },
  },
]

/** Plays one scene. */
export async function playScene(
  { play, name }: Scene,
  given: { readonly folder: string; readonly outside: Outside },
): Promise<PlayedScene> {
  const { folder, outside } = given
  const stage = new Stage({ file: `${folder}/${name}.db`, run: `payment-${name}`, outside })
  const claimsOf = await play(stage, outside)
  const played = await stage.played()
  return { ...played, claims: claimsOf(played) }
}

const requestCounts = {
  'the bank was never asked': [],
  'the bank was asked once': [1],
  'the bank was asked twice with one key, and paid once': [2],
} as const

function asked({ transfers }: Played, often: keyof typeof requestCounts): Claim {
  const counts = transfers.map(({ requests }) => requests)
  return { text: often, holds: String(counts) === String(requestCounts[often]) }
}

function eventOf({ events }: Played, kind: string): StoredEvent | undefined {
  return events.findLast((event) => event.kind === kind)
}

function lastKind({ events }: Played): string | undefined {
  return events.at(-1)?.kind
}

function failedWith(played: Played): unknown {
  return bodyOf(eventOf(played, 'FlowFailed'))['code']
}

function deniedFor(played: Played): unknown {
  return bodyOf(eventOf(played, 'ActionDenied'))['code']
}

function paymentsAre({ events }: Played, count: number): boolean {
  const about = (kind: string, name: string): number =>
    events.filter((event) => event.kind === kind && bodyOf(event)['name'] === name).length
  return (
    about('ResumeAuthorized', 'treasury') === count &&
    about('ActionAuthorized', 'bank.transfer') === count &&
    about('ActionCompleted', 'bank.transfer') === count
  )
}

// What was shown has the exact text of the input; what the bank got is compared with it.
function sameText(request: StoredEvent | undefined, { transfers }: Played): boolean {
  const { input } = JSON.parse(request?.data ?? '{}') as { readonly input?: string }
  const [paid] = transfers
  return JSON.stringify({ invoice: paid?.invoice, to: paid?.to, cents: paid?.cents }) === input
}
