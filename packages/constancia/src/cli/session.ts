import type { Logger, Runtime, WorkerOptions } from '../engine/index.js'
import { type Config, open } from '../governance/index.js'
import type { OpenHow } from './command.js'
import type { FoundConfig } from './config.js'
import { requireDatabase } from './database.js'
import { cliError, codeOf, messageOf } from './errors.js'
import { pause } from './follow.js'
import type { Terminal } from './terminal.js'
import { printableLines } from './text.js'

/** What is opened, how, and whom it is told. */
interface Opening {
  readonly found: FoundConfig
  readonly how: OpenHow
  readonly terminal: Terminal
}

/**
 * Opens what a configuration names, and closes it when the use is over. Throws `store_missing` rather than making a
 * database that nobody asked for, `config_invalid` for options that make no sense, and faults of the store.
 */
export async function withRuntime<T>(
  { found, how, terminal }: Opening,
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  if (!how.create) requireDatabase(found, 'the first start or worker makes it, or correct the path')
  const runtime = await openConfig({ found, how, terminal })
  try {
    return await use(runtime)
  } finally {
    await runtime.close()
  }
}

// A project whose own processes only look can still be worked on from here.
function workerOf({ worker }: Config, how: OpenHow): Partial<WorkerOptions> | false {
  if (how.worker === false) return false
  return { ...(worker || {}), ...(how.worker === true ? {} : how.worker) }
}

async function openConfig({ found, how, terminal }: Opening): Promise<Runtime> {
  const { config, file } = found
  const log = config.log ?? loggerOf(terminal)
  const chosen = how.flows === undefined ? config : { ...config, flows: how.flows, schedules: [] }
  const openWith = (quietly: Logger): Promise<Runtime> =>
    open({ ...chosen, log: quietly, worker: workerOf(config, how) })
  try {
    return how.onAway === undefined ? await openWith(log) : await openPatiently(openWith, { how, log, terminal })
  } catch (cause) {
    if (!['invalid_option', 'ungoverned_flow'].includes(codeOf(cause) ?? '')) throw cause
    throw cliError('config_invalid', `${file} cannot be used: ${messageOf(cause)}`, { cause })
  }
}

interface Patience {
  readonly how: OpenHow
  readonly log: Logger
  readonly terminal: Terminal
}

const againMs = 500
const away = new Set(['store_unavailable', 'store_locked'])

// A store that is away says so itself, each time that it is tried: people are told once.
async function openPatiently(
  openWith: (log: Logger) => Promise<Runtime>,
  { how, log, terminal: { interrupts } }: Patience,
): Promise<Runtime> {
  let isUp = false
  let isTold = false
  const tell = (reason: string): void => {
    if (!isTold) how.onAway?.(reason)
    isTold = true
  }
  const quietly: Logger = (level, message, fields) => {
    if (isUp || level !== 'warn') return log(level, message, fields)
    tell(message)
  }
  for (;;) {
    const opening = openWith(quietly)
    const runtime = await Promise.race([opening, aborted(interrupts.signal)]).catch((error: unknown) => {
      if (!away.has(codeOf(error) ?? '')) throw error
      tell(messageOf(error))
      return undefined
    })
    if (runtime !== undefined) {
      isUp = true
      return runtime
    }
    await pause(againMs, interrupts.signal)
    if (interrupts.isInterrupted) {
      opening.then((late) => late.close()).catch(() => undefined)
      throw cliError('interrupted', 'Stopped before the store could be reached. Nothing was claimed.')
    }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** Says what the library logs. */
export function loggerOf(terminal: Terminal): Logger {
  return (level, message, fields) => {
    const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
    terminal.say(printableLines(`${level}: ${message}${tail}`))
  }
}
