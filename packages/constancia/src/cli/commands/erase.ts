import type { Erasure, ErasurePreview, ErasureSubject } from '../../governance/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { requireYes } from '../confirmation.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { asOption, changeBy, withGovernance } from '../governing.js'
import { findRuns } from '../run-ids.js'
import { counted, printable } from '../text.js'

const shownMax = 20

/** `constancia erase`: takes personal data out of journals. */
export const eraseCommand: Command = {
  name: 'erase',
  summary: 'delete the personal data of runs that are over, or of a principal, for good; the rest is proven as before',
  details:
    'Deletes what events carry (inputs, outputs, messages, notes, reasons) and the salts of it. That it happened, when and by whom stays, with digests that nobody can turn back. Of a ' +
    'principal it takes what runs carry that act as them, what they said in other runs, and reasons of changes by them or about them; it reads all journals for that. What stays is ' +
    'listed, before and after. For administrators: each erasure is an event of the governance stream, and whoever may not is refused with exit code 5, which is recorded. Runs that are ' +
    'not over are refused with exit code 5 as well. It can be given again after it was interrupted.\n\n' +
    'Example:  constancia erase --principal p-4711 --preview',
  options: [
    {
      flags: '--run <run>',
      about: 'all that this run carries; its id, or the beginning of it; may be repeated',
      many: true,
    },
    { flags: '--principal <principal>', about: 'what is of this principal, in all runs' },
    { flags: '--leave-open', about: 'leave runs as they are that are not over, and erase the rest' },
    { flags: '--preview', about: 'only show what would go and what would stay' },
    asOption,
    { flags: '--reason <text>', about: 'why; kept in the history, so without personal data' },
    { flags: '-y, --yes', about: 'do not ask' },
  ],
  act: async (call) => {
    const of = await subjectOf(call)
    return withGovernance(call, async ({ governance }) => {
      const preview = await governance.previewErasure(of)
      const leaveOpen = call.options.flag('leaveOpen')
      const isRefused = preview.open.length > 0 && !leaveOpen
      if (call.options.flag('preview') || (preview.textCount === 0 && !isRefused)) {
        await tellPreview(call, preview)
        return exitCodes.done
      }
      if (!isRefused) {
        for (const line of linesOf('Would erase', preview)) call.terminal.say(line)
        await requireYes(call, 'Erase it for good?', {
          nothing: 'Nothing was erased',
          instead: ', or --preview to look',
        })
      }
      await tellErasure(call, await governance.erase({ of, ...changeBy(call), leaveOpen }))
      return exitCodes.done
    })
  },
}

async function subjectOf(call: Call): Promise<ErasureSubject> {
  const [runs, principal] = [call.options.texts('run'), call.options.text('principal')]
  if (runs.length > 0 === (principal !== undefined))
    throw cliError('usage', 'Whose data? Name runs with --run, or one principal with --principal. Nothing was erased.')
  if (principal !== undefined) return { principal }
  const rows = await call.withRuntime(lookOnly, (runtime) => findRuns(runtime, runs))
  return { runs: rows.map(({ id }) => id) }
}

async function tellPreview(call: Call, preview: ErasurePreview): Promise<void> {
  if (call.isJson) return call.terminal.print(JSON.stringify(preview))
  if (preview.textCount === 0) call.terminal.say('There is nothing to erase.')
  for (const line of linesOf('Would erase', preview)) await call.terminal.print(line)
}

async function tellErasure(call: Call, erasure: Erasure): Promise<void> {
  if (call.isJson) return call.terminal.print(JSON.stringify(erasure))
  for (const line of linesOf('Erased', erasure)) await call.terminal.print(line)
  call.terminal.say(`Recorded in the governance stream: event ${erasure.seqs.join(', ')}.`)
}

function linesOf(verb: string, { texts, textCount, remains }: ErasurePreview): string[] {
  const shown = texts.slice(0, shownMax).map((one) => `  ${printable(one.stream)}  ${counted(one.textCount, 'text')}`)
  const rest = texts.length > shownMax ? [`  … and ${counted(texts.length - shownMax, 'stream')} more`] : []
  return [
    `${verb} ${counted(textCount, 'text')} of ${counted(texts.length, 'stream')}${texts.length === 0 ? '.' : ':'}`,
    ...shown,
    ...rest,
    'What stays:',
    ...remains.map((line) => `  - ${printable(line)}`),
  ]
}
