import type { Proceeded } from '../../governance/index.js'
import { type Command, lookOnly } from '../command.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { asOptionNeeded, deciderOf, withGovernance } from '../governing.js'
import { orText } from '../principals.js'
import { findRun } from '../run-ids.js'
import { printable } from '../text.js'

/** `constancia proceed`: the next message of a run's user. */
export const proceedCommand: Command = {
  name: 'proceed',
  summary: 'let a run go on that waits for the next message of its user',
  details:
    'After an approval a run that may call a model executes nothing until its user says something again: this does. --as is the actor of the run, ' +
    'and nobody else may. Their roles are read anew: whoever may not go on with it any more is told so (exit code 5), and the run stays paused. ' +
    'A run that waits for no message is left as it is.\n\nExample:  constancia proceed 0193f2 --as ana',
  arguments: [{ name: '<run>', about: 'its id, or the beginning of it' }],
  options: [asOptionNeeded],
  act: async (call) => {
    const by = deciderOf(call)
    const run = await call.withRuntime(lookOnly, (runtime) => findRun(runtime, call.words[0] ?? ''))
    return withGovernance(call, async ({ governance }) => {
      const proceeded = await governance.proceed({ run: run.id, by })
      if (call.isJson) await call.terminal.tell(JSON.stringify({ run: run.id, by, ...proceeded }))
      else await call.terminal.tell(textOf(proceeded, { run: printable(run.id), by: printable(by) }))
      return codeOf(proceeded)
    })
  },
}

function codeOf({ kind }: Proceeded): ExitCode {
  return kind === 'denied' ? exitCodes.refused : exitCodes.done
}

function textOf(proceeded: Proceeded, { run, by }: { readonly run: string; readonly by: string }): string {
  switch (proceeded.kind) {
    case 'resumed':
      return `Run ${run} goes on as ${by}.`
    case 'denied':
      return `Run ${run} stays paused: whoever goes on with it holds ${orText(proceeded.wanted)}, and ${by} does not now. Grant the role, or cancel the run.`
    case 'nothing_waits':
      return `Run ${run} waits for no message. Nothing was done.`
  }
}
