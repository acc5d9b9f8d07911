import { userInfo } from 'node:os'
import { type OpenedGovernance, openGovernance } from '../governance/index.js'
import type { Call, Option } from './command.js'
import { requireDatabase } from './database.js'
import { cliError } from './errors.js'
import { loggerOf } from './session.js'

/** Who does it. The command line trusts whoever may start it: it asks nobody to prove who they are. */
export const asOption: Option = {
  flags: '--as <principal>',
  about: 'who does it; the name of the account that gives the command unless set',
}

/** How a decision says who takes it: never by itself. */
export const asOptionNeeded: Option = { flags: '--as <principal>', about: 'who decides; has to be said' }

/** Why, for whoever reads the history. */
export const reasonOption: Option = { flags: '--reason <text>', about: 'why; kept in the history' }

/** Who does it: whoever `--as` names, else the account that gives the command. */
export function operatorOf({ options }: Call): string {
  return options.text('as') ?? userInfo().username
}

/** Who decides. Throws `usage` where nobody is named. */
export function deciderOf({ options }: Call): string {
  const as = options.text('as')
  if (as !== undefined) return as
  throw cliError('usage', 'Who decides? Say it with --as <principal>. Nothing was done.')
}

/** Whoever does something, and why, as the directory takes it. */
export function changeBy(call: Call): { readonly by: string; readonly reason?: string } {
  const reason = call.options.text('reason')
  return { by: operatorOf(call), ...(reason === undefined ? {} : { reason }) }
}

/**
 * Opens the store of the configuration to govern it, and closes it when the use is over. Throws `store_missing` rather than making a
 * database that nobody asked for, unless told to, and faults of the store.
 */
export async function withGovernance<T>(
  call: Call,
  use: (opened: OpenedGovernance) => Promise<T>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const found = await call.config()
  if (!create) requireDatabase(found, 'constancia bootstrap, the first start or worker makes it, or correct the path')
  const opened = await openGovernance({ log: loggerOf(call.terminal), ...found.config })
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}
