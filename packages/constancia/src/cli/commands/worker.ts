import { hostname } from 'node:os'
import type { AnyFlow, Drained, WorkerOptions } from '../../engine/index.js'
import type { Call, Command, OpenHow } from '../command.js'
import { parseAge } from '../durations.js'
import { cliError, codeOf } from '../errors.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { flowAndVersion } from '../selection.js'
import { flowNames, type ServingWord, serve } from '../serving.js'
import { printable } from '../text.js'

/** `constancia worker`: a process that works on runs until it is told to end. */
export const workerCommand: Command = {
  name: 'worker',
  summary: 'work on runs until a signal ends it',
  details:
    'It claims runs of the flows that the configuration has, and no others. SIGTERM or Ctrl-C drains it: it claims nothing more, ' +
    'attempts under way may end within the grace, and everything is given back, so that other workers go on at once. A second signal ' +
    'ends it at once. A store that is away is waited for. With --json: a line for each of up, waiting, draining, drained.',
  options: [
    { flags: '--name <name>', about: 'what people see it as; the host and the process id unless set' },
    { flags: '--concurrency <count>', about: 'runs in memory at once' },
    { flags: '--lease <duration>', about: 'until others may take a run whose worker went silent: 30s, 2m' },
    { flags: '--grace <duration>', about: 'what attempts under way get when it drains: 0s, 30s, 10m' },
    { flags: '--flow <flow>', about: 'only this flow, pay, or version of it, pay@2; may be repeated', many: true },
  ],
  act: work,
}

async function work(call: Call): Promise<ExitCode> {
  const { terminal } = call
  const how = await howOf(call)
  const tell = async (word: ServingWord | { readonly kind: 'waiting'; readonly reason: string }): Promise<void> => {
    if (call.isJson) await terminal.tell(JSON.stringify(word))
  }
  const onAway = (reason: string): void => {
    terminal.say(`worker: waiting for the store. ${printable(reason)}`)
    void tell({ kind: 'waiting', reason })
  }
  try {
    const nameOf = ({ worker }: { readonly worker: WorkerOptions | undefined }): string => printable(worker?.name ?? '')
    return codeFor(await serve(call, { label: 'worker', how: { ...how, onAway }, nameOf, tell }))
  } catch (error) {
    if (codeOf(error) !== 'interrupted') throw error
    terminal.say('worker: ended before the store could be reached; nothing was claimed')
    return exitCodes.done
  }
}

function codeFor({ cutOff, notGivenBack }: Drained): ExitCode {
  if (notGivenBack.length > 0) return exitCodes.notGivenBack
  return cutOff.length > 0 ? exitCodes.cutOff : exitCodes.done
}

async function howOf(call: Call): Promise<OpenHow> {
  const { options } = call
  const concurrency = options.count('concurrency')
  const lease = options.text('lease')
  const grace = options.text('grace')
  const { config, file } = await call.config()
  if (config.flows.length + (config.schedules?.length ?? 0) === 0) {
    throw cliError(
      'config_invalid',
      `${file} has no flows, so there is nothing to work on. No worker was started; add them to flows.`,
    )
  }
  const configured = config.worker === false ? undefined : config.worker
  const named = options.text('name') ?? configured?.name ?? `${hostname()}-${process.pid}`
  const worker: Partial<WorkerOptions> = {
    name: named,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(lease === undefined ? {} : { leaseMs: parseAge(lease, '--lease') }),
    ...(grace === undefined ? {} : { graceMs: parseAge(grace, '--grace') }),
  }
  const chosen = options.texts('flow')
  return {
    worker,
    create: true,
    ...(chosen.length === 0 ? {} : { flows: chosen.flatMap((text) => flowsOf(config.flows, text)) }),
  }
}

function flowsOf(flows: readonly AnyFlow[], text: string): AnyFlow[] {
  const [name, version] = flowAndVersion(text)
  const found = flows.filter((flow) => flow.name === name && (version === undefined || flow.version === version))
  if (found.length > 0) return found
  throw cliError(
    'unknown_flow',
    `The configuration has no flow ${text}. No worker was started. It has ${flowNames(flows).join(', ')}.`,
  )
}
