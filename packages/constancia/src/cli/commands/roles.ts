import type { Law } from '@constancia/verify'
import type { DirectoryChange } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { momentText } from '../durations.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { printNoted } from '../noted-table.js'
import { writerText } from '../principals.js'
import { tableLines } from '../table.js'
import { printable } from '../text.js'

/** `constancia roles`: who holds what now. */
export const rolesCommand: Command = {
  name: 'roles',
  summary: 'show who holds which role, until when, and who said so',
  details:
    'A role that two sources grant is shown twice. What somebody may decide in the place of somebody else is shown with whose it is. With --json: one ' +
    'line for each, with principal, role, untilMs, source, from (of a delegation) and person (who is behind the principal).',
  options: [
    { flags: '--principal <principal>', about: 'only of this principal' },
    { flags: '--role <role>', about: 'only this role' },
  ],
  act: async (call) => {
    const law = await withGovernance(call, ({ governance }) => governance.law())
    const { options } = call
    const [principal, role] = [options.text('principal'), options.text('role')]
    const held = heldRoles(law, call.now()).filter(
      (one) => (principal === undefined || one.principal === principal) && (role === undefined || one.role === role),
    )
    if (call.isJson) for (const one of held) await call.terminal.print(JSON.stringify(one))
    else if (held.length > 0) await printTable(call, held)
    if (held.length === 0) call.terminal.say('Nobody holds such a role now.')
    return exitCodes.done
  },
}

interface HeldRole {
  readonly principal: string
  readonly role: string
  readonly untilMs: number | null
  /** Who said so; `delegation` for a role of somebody else. */
  readonly source: string
  /** Whose role it is, where it is delegated. */
  readonly from?: string
  readonly person: string
}

function heldRoles(law: Law, nowMs: number): readonly HeldRole[] {
  const granted = law.grants(nowMs).map((grant): HeldRole => ({ ...grant, person: law.personOf(grant.principal) }))
  const delegations = law.delegations(nowMs)
  const delegated = [...new Set(delegations.map(({ to }) => to))].flatMap((to) =>
    law.delegatedTo(to, nowMs).map(({ role, from }): HeldRole => {
      const untilMs = delegations.find((one) => one.from === from && one.to === to)?.untilMs ?? null
      return { principal: to, role, untilMs, source: 'delegation', from, person: law.personOf(to) }
    }),
  )
  return [...granted, ...delegated].sort(
    (one, other) => compare(one.principal, other.principal) || compare(one.role, other.role),
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

const columns = ['PRINCIPAL', 'ROLE', 'UNTIL', 'SOURCE'].map((title) => ({ title }))

async function printTable(call: Call, held: readonly HeldRole[]): Promise<void> {
  const { paint, width } = call.terminal
  const rows = held.map(({ principal, role, untilMs, source, from, person }) => [
    printable(person === principal ? principal : `${principal} (${person})`),
    printable(role),
    untilMs === null ? '' : momentText(untilMs),
    from === undefined ? printable(source) : `in the place of ${printable(from)}`,
  ])
  for (const line of tableLines({ columns, rows, width, title: paint.faint })) await call.terminal.print(line)
}

/** `constancia roles history`: who changed what, and why. */
export const rolesHistoryCommand: Command = {
  name: 'roles history',
  summary: 'show every change of roles, delegations and identities: by whom, and why',
  details: 'The oldest first. With --json: one line for each.',
  options: [{ flags: '--principal <principal>', about: 'only what is about this principal' }],
  act: async (call) => {
    const principal = call.options.text('principal')
    const changes = await withGovernance(call, ({ governance }) => governance.directory.history(principal))
    if (call.isJson) for (const change of changes) await call.terminal.print(JSON.stringify(change))
    else if (changes.length > 0) await printHistory(call, changes)
    if (changes.length === 0) call.terminal.say('Nothing was changed yet.')
    return exitCodes.done
  },
}

async function printHistory(call: Call, changes: readonly DirectoryChange[]): Promise<void> {
  const rows = changes.map((change) => ({
    cells: [momentText(change.atMs), writerText(change.by), changeText(change)],
    note: printable(change.reason ?? ''),
  }))
  await printNoted(call, ['WHEN', 'BY', 'WHAT'], rows)
}

function changeText({ kind, body }: DirectoryChange): string {
  const { principal, role, source, untilMs, from, to, roles, person } = body as Readonly<Record<string, unknown>>
  const until = typeof untilMs === 'number' ? ` until ${momentText(untilMs)}` : ''
  switch (kind) {
    case 'RoleGranted':
      return printable(`${principal} got ${role}${until}${source === 'direct' ? '' : ` from ${source}`}`)
    case 'RoleRevoked':
      return printable(`${principal} lost ${role}${source === null ? '' : ` from ${source}`}`)
    case 'DelegationGranted':
      return printable(`${to} may decide as ${(roles as readonly string[]).join(', ')} for ${from}${until}`)
    case 'DelegationRevoked':
      return printable(`${to} does not decide for ${from} any more`)
    case 'IdentityLinked':
      return printable(`${principal} is ${person}`)
  }
}
