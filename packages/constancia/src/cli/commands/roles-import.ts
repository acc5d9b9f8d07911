import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { type ImportDifference, type ImportedGrant, readRoleFile } from '../../governance/index.js'
import type { Call, Command } from '../command.js'
import { requireYes } from '../confirmation.js'
import { momentText } from '../durations.js'
import { cliError, messageOf } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { asOption, changeBy, reasonOption, withGovernance } from '../governing.js'
import { counted, printable } from '../text.js'

/** `constancia roles import`: takes over what a company's own directory says. */
export const rolesImportCommand: Command = {
  name: 'roles import',
  summary: "take over the roles of a company's own directory",
  details:
    'A .csv with the columns principal, role and, where there is one, until; or a .json array of objects with these fields. Only differences to what this ' +
    'source said before are recorded. Roles that were revoked here by hand are held back. For administrators.\n\n' +
    'Example:  constancia roles import staff.csv --source ldap --replace',
  arguments: [{ name: '<file>', about: 'a .csv or .json' }],
  options: [
    { flags: '--source <name>', about: 'names that directory' },
    { flags: '--replace', about: 'what this source granted before and does not name now is revoked' },
    { flags: '--dry-run', about: 'only show what would change' },
    { flags: '-y, --yes', about: 'do not ask' },
    asOption,
    reasonOption,
  ],
  act: async (call) => {
    const source = call.options.text('source')
    if (source === undefined)
      throw cliError('usage', 'Whose roles are these? Say it with --source <name>. Nothing was done.')
    const mode = call.options.flag('replace') ? ('replace' as const) : ('add' as const)
    const request = { source, mode, grants: readGrants(call, call.words[0] ?? '') }
    await withGovernance(call, async ({ governance: { directory } }) => {
      const preview = await directory.previewImport(request)
      if (call.options.flag('dryRun')) return tell(call, preview, false)
      const count = preview.granted.length + preview.revoked.length
      if (count > 0) {
        call.terminal.say(differenceText(preview))
        await requireYes(call, `Take over ${counted(count, 'change')} from ${printable(source)}?`, {
          instead: ', or --dry-run to list the changes',
        })
      }
      const { difference, changed } = await directory.importRoles({ ...request, ...changeBy(call) })
      await tell(call, difference, changed)
    })
    return exitCodes.done
  },
}

function readGrants(call: Call, name: string): readonly ImportedGrant[] {
  const file = resolve(call.folder, name)
  const format = extname(file).slice(1).toLowerCase()
  if (format !== 'csv' && format !== 'json')
    throw cliError('usage', `${JSON.stringify(name)} is neither a .csv nor a .json. Nothing was done.`)
  const read = readRoleFile(textOf(file), format)
  if (read.kind === 'read') return read.grants
  const lines = read.mistakes.slice(0, mistakesMax).map(({ line, reason }) => `  line ${line}: ${reason}`)
  const more =
    read.mistakes.length > mistakesMax ? [`  … and ${counted(read.mistakes.length - mistakesMax, 'more mistake')}`] : []
  const count = counted(read.mistakes.length, 'mistake')
  throw cliError(
    'usage',
    [`${file} has ${count}. Nothing was done; all of it counts, or nothing.`, ...lines, ...more].join('\n'),
  )
}

const mistakesMax = 50

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw cliError('file_failed', `${file} cannot be read (${messageOf(cause)}). Nothing was done.`, { cause })
  }
}

async function tell(call: Call, difference: ImportDifference, changed: boolean): Promise<void> {
  if (call.isJson) return call.terminal.tell(JSON.stringify({ changed, ...difference }))
  await call.terminal.tell(differenceText(difference))
  if (!changed) call.terminal.say('Nothing was done.')
}

function differenceText({ granted, revoked, heldBack }: ImportDifference): string {
  const lines = [
    ...granted.map(
      ({ principal, role, untilMs }) =>
        `+ ${principal} ${role}${untilMs === null ? '' : ` until ${momentText(untilMs)}`}`,
    ),
    ...revoked.map(({ principal, role }) => `- ${principal} ${role}`),
    ...heldBack.map(({ principal, role }) => `· ${principal} ${role}, held back: it was revoked here by hand`),
  ]
  return lines.length === 0 ? 'Nothing differs.' : lines.map(printable).join('\n')
}
