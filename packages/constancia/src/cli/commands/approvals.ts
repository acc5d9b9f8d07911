import { judgeVote, type Law } from '@constancia/verify'
import { pendingOf } from '../../governance/index.js'
import { approvalDocument, approvalLines, untilText, votesText } from '../approval-lines.js'
import { type Asked, findApproval, requireShown, rolesAsked, subjectOf } from '../asked.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { ageText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { orText } from '../principals.js'
import { findRun } from '../run-ids.js'
import { filterOf } from '../selection.js'
import { tableLines } from '../table.js'
import { printable } from '../text.js'
import { type AskingPlace, waitingForPeople } from '../waiting-for-people.js'

const limitUsual = 50

/** `constancia approvals`: what waits for people. */
export const approvalsCommand: Command = {
  name: 'approvals',
  summary: 'list what waits for people: approvals, and effects whose outcome somebody has to state',
  details:
    'Who is asked, since when, until when; what waits longest comes first. --principal leaves what this one could approve now, by their own roles or in the place of somebody. With ' +
    '--json: one line for each, told apart by kind (approval, statement).',
  options: [
    { flags: '--flow <flow>', about: 'in runs of this flow, or of one version of it: pay or pay@2' },
    { flags: '--role <role>', about: 'of which holders of this role are asked' },
    { flags: '--principal <principal>', about: 'which this principal could approve, or state, now' },
    { flags: '-n, --limit <count>', about: `at most so many; ${limitUsual} unless set` },
    { flags: '--all', about: 'as many as there are' },
  ],
  act: async (call) => {
    const limit = call.options.flag('all') ? Number.POSITIVE_INFINITY : (call.options.count('limit') ?? limitUsual)
    await withGovernance(call, async ({ governance, store }) => {
      const law = await governance.law()
      await call.withRuntime(lookOnly, (runtime) =>
        list(call, { runtime, store, filter: filterOf(call) }, { law, limit }),
      )
    })
    return exitCodes.done
  },
}

async function list(
  call: Call,
  place: AskingPlace,
  { law, limit }: { readonly law: Law; readonly limit: number },
): Promise<void> {
  const found: Asked[] = []
  let hasMore = false
  for await (const asked of waitingForPeople(place)) {
    call.terminal.interrupts.check()
    if (!fits(asked, { call, law })) continue
    hasMore = found.length >= limit
    if (hasMore) break
    if (call.isJson) await call.terminal.print(JSON.stringify(briefly(asked, { call, law })))
    found.push(asked)
  }
  if (!call.isJson && found.length > 0) await printTable(call, law, found)
  if (found.length === 0) call.terminal.say('Nothing waits for people.')
  if (hasMore) call.terminal.say('There are more; --limit or --all shows them.')
}

interface Known {
  readonly call: Call
  readonly law: Law
}

function fits(asked: Asked, { call, law }: Known): boolean {
  const { options } = call
  const [role, principal] = [options.text('role'), options.text('principal')]
  if (role !== undefined && !rolesAsked(asked, law, call.now()).includes(role)) return false
  return principal === undefined || couldDecide(asked, principal, { call, law })
}

function couldDecide(asked: Asked, principal: string, { call, law }: Known): boolean {
  const nowMs = call.now()
  if (asked.kind === 'statement') {
    const held = [...law.grantedTo(principal, nowMs), ...law.delegatedTo(principal, nowMs).map(({ role }) => role)]
    return rolesAsked(asked, law, nowMs).some((role) => held.includes(role))
  }
  const { approval, run } = asked
  const vote = { voter: principal, choice: 'approve' as const, shown: approval.request.shown, amended: null }
  return judgeVote(pendingOf(approval, run.actor ?? null), vote, { law, nowMs }).kind === 'counts'
}

function briefly(asked: Asked, { call, law }: Known): unknown {
  if (asked.kind === 'approval') return { kind: asked.kind, ...approvalDocument({ asked, law, nowMs: call.now() }) }
  const { kind, run, op, name, sinceMs } = asked
  const roles = rolesAsked(asked, law, call.now())
  return { kind, run: run.id, flow: run.flow, version: run.version, op, name, rolesAsked: roles, sinceMs }
}

const columns = [{ title: 'RUN', whole: true }, ...['OP', 'ASKS', 'FOR', 'UNTIL', 'WHAT'].map((title) => ({ title }))]

async function printTable(call: Call, law: Law, found: readonly Asked[]): Promise<void> {
  const { paint, width } = call.terminal
  const nowMs = call.now()
  const rows = found.map((asked) => [
    asked.run.id,
    asked.op,
    orText(rolesAsked(asked, law, nowMs)) + (asked.kind === 'approval' ? votesText(asked) : ''),
    ageText(nowMs - asked.sinceMs),
    untilText(asked.untilMs),
    printable(subjectOf(asked)),
  ])
  for (const line of tableLines({ columns, rows, width, title: paint.faint })) await call.terminal.print(line)
}

/** `constancia approval`: exactly what an approver is shown. */
export const approvalCommand: Command = {
  name: 'approval',
  summary: 'show exactly what somebody is asked to approve, its digest, and the votes so far',
  details:
    'A vote names the digest: nobody approves what they did not see. With --json: one document; shownText is the exact text, shown its digest.',
  arguments: [
    { name: '<run>', about: 'its id, or the beginning of it' },
    { name: '[op]', about: 'which op asks; not needed where one does' },
  ],
  act: async (call) => {
    const law = await withGovernance(call, ({ governance }) => governance.law())
    await call.withRuntime(lookOnly, async (runtime) => {
      const run = await findRun(runtime, call.words[0] ?? '')
      const asked = await findApproval(runtime, run, call.words[1])
      requireShown(asked)
      const nowMs = call.now()
      if (call.isJson) return call.terminal.print(JSON.stringify(approvalDocument({ asked, law, nowMs })))
      const { width, paint } = call.terminal
      for (const line of approvalLines({ asked, law, nowMs, width, paint })) await call.terminal.print(line)
    })
    return exitCodes.done
  },
}
