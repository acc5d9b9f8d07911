import { type Command, lookOnly } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { readInput } from '../inputs.js'
import { quoted } from '../rows.js'
import { findRun } from '../run-ids.js'

/** `constancia signal`: says something to a run. */
export const signalCommand: Command = {
  name: 'signal',
  summary: 'send a signal to a run',
  details:
    'The payload is JSON; - reads it from standard input. A delivery id makes the signal count once, however often the command is ' +
    `given.\n\nExample:  constancia signal 0193f2 approved '{"by":"alice"}' --delivery mail-4711`,
  arguments: [
    { name: '<run>', about: 'its id, or the beginning of it' },
    { name: '<name>', about: 'of the signal' },
    { name: '[payload]', about: 'JSON, or - for standard input; nothing unless given' },
  ],
  options: [
    { flags: '--input-file <file>', about: 'the payload from a file of JSON' },
    { flags: '--delivery <id>', about: 'counts once; a fresh one unless set' },
    { flags: '--by <principal>', about: 'on whose behalf it is sent' },
  ],
  act: async (call) => {
    const [id = '', name = '', text] = call.words
    const payload = await readInput(call, { text, file: call.options.text('inputFile'), what: 'The payload' })
    const [delivery, by] = [call.options.text('delivery'), call.options.text('by')]
    await call.withRuntime(lookOnly, async (runtime) => {
      const row = await findRun(runtime, id)
      const options = { ...(delivery === undefined ? {} : { delivery }), ...(by === undefined ? {} : { by }) }
      const outcome = await runtime.run(row.id).signal(name, payload, options)
      if (call.isJson) return call.terminal.tell(JSON.stringify({ run: row.id, signal: name, outcome }))
      const said = outcome === 'duplicate' ? 'was delivered before; it counts once' : 'delivered'
      return call.terminal.tell(`Signal ${quoted(name)} to ${row.id}: ${said}.`)
    })
    return exitCodes.done
  },
}
