import type { AnyFlow, Run, Runtime, StartOptions } from '../../engine/index.js'
import type { Call, Command } from '../command.js'
import { cliError, codeOf, messageOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { pause } from '../follow.js'
import { readInput } from '../inputs.js'
import { latestOf } from '../run-ids.js'
import { flowAndVersion } from '../selection.js'
import { valueText } from '../values.js'

/** `constancia start`: starts a run, and may work on it and wait for its end. */
export const startCommand: Command = {
  name: 'start',
  summary: 'start a run of a flow',
  details:
    'The run is durable when this returns; some worker that has the flow advances it. With --wait this process works too, until the ' +
    'run has ended, and prints its output.\n\nExample:  constancia start pay-invoice --input \'{"amount":12}\' --id invoice-4711',
  arguments: [
    { name: '<flow>', about: 'its name, or name@version; the highest version unless told otherwise' },
    { name: '[input]', about: 'JSON, or - for standard input' },
  ],
  options: [
    { flags: '--input <json>', about: 'the input, or - for standard input' },
    { flags: '--input-file <file>', about: 'the input from a file of JSON' },
    { flags: '--id <id>', about: 'starting the same id again changes nothing; a fresh one unless set' },
    { flags: '--actor <principal>', about: 'as whom the run acts' },
    { flags: '--version <version>', about: 'of the flow' },
    { flags: '--priority <priority>', about: 'from -100 to 100, higher is taken first; that of the flow unless set' },
    { flags: '--notify', about: 'put what the caller has to know of the run into the outbox' },
    { flags: '-w, --wait', about: 'work until the run has ended, and print its output' },
  ],
  act: async (call) => {
    const [name = '', word] = call.words
    const option = call.options.text('input')
    if (word !== undefined && option !== undefined)
      throw cliError('usage', 'The input was given twice. Nothing was started.')
    const input = await readInput(call, {
      text: option ?? word,
      file: call.options.text('inputFile'),
      what: 'The input',
    })
    const isWaiting = call.options.flag('wait')
    return call.withRuntime({ worker: isWaiting, create: true }, async (runtime) => {
      const flow = flowOf(runtime, call, name)
      const run = await runtime.start(flow, input, startOptions(call))
      if (isWaiting) return waitFor(call, runtime, run)
      if (call.isJson) await call.terminal.tell(JSON.stringify(await run.row()))
      else await call.terminal.tell(run.id)
      return exitCodes.done
    })
  },
}

function startOptions(call: Call): StartOptions {
  const [id, actor] = [call.options.text('id'), call.options.text('actor')]
  const priority = call.options.integer('priority')
  const who = { ...(id === undefined ? {} : { id }), ...(actor === undefined ? {} : { actor }) }
  const notify = call.options.flag('notify') ? { notify: true } : {}
  return { ...who, ...notify, ...(priority === undefined ? {} : { priority }) }
}

function flowOf(runtime: Runtime, call: Call, text: string): AnyFlow {
  const [name = '', version = call.options.count('version')] = flowAndVersion(text)
  const all = [...runtime.flows].sort((a, b) => b.version - a.version)
  const found = all.find((flow) => flow.name === name && (version === undefined || flow.version === version))
  if (found !== undefined) return found
  const known = all.map((flow) => `${flow.name}@${flow.version}`).sort()
  const wanted = version === undefined ? name : `${name}@${version}`
  const list = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`
  throw cliError('unknown_flow', `The configuration has no flow ${wanted}. Nothing was started. ${list}`)
}

const lookEveryMs = 500

async function waitFor(call: Call, runtime: Runtime, run: Run): Promise<ExitCode> {
  const { terminal } = call
  terminal.say(`Run ${run.id} is under way.`)
  const ended = run.result().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  )
  const halted = haltOf(call, runtime, run)
  const end = await Promise.race([ended, halted])
  if ('output' in end) {
    const text = call.isJson
      ? JSON.stringify({ ...(await run.row()), output: jsonOf(end.output) })
      : valueText(end.output, terminal.width)
    if (call.isJson || end.output !== undefined) await terminal.tell(text)
    return exitCodes.done
  }
  if (call.isJson)
    await terminal.tell(
      JSON.stringify({ ...(await run.row()), error: { code: codeOf(end.error), message: messageOf(end.error) } }),
    )
  throw end.error
}

// What JSON cannot say is shown as text: a bigint, a map.
function jsonOf(output: unknown): unknown {
  try {
    const text = JSON.stringify(output)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return valueText(output, Number.POSITIVE_INFINITY)
  }
}

// A run that is stuck has not ended and does not end by itself: whoever waits is told.
async function haltOf(call: Call, runtime: Runtime, run: Run): Promise<{ readonly error: unknown }> {
  const { interrupts } = call.terminal
  for (;;) {
    await pause(lookEveryMs, interrupts.signal)
    if (interrupts.isInterrupted) {
      const message = `Stopped waiting. Run ${run.id} is durable and goes on as soon as a worker is up; constancia show ${run.id} tells how far it is.`
      return { error: cliError('interrupted', message) }
    }
    const [row] = await latestOf(runtime, [await run.row()])
    if (row?.stuck === undefined) continue
    const message = `Run ${row.id} is stuck (${row.stuck.code}): ${row.stuck.message}`
    return { error: cliError('run_stuck', message) }
  }
}
