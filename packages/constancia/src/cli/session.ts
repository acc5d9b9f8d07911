import { existsSync } from 'node:fs'
import type { Logger, Runtime, WorkerOptions } from '../engine/index.js'
import { type Config, open } from '../schedule/index.js'
import { sqlitePlace } from '../store/sqlite/index.js'
import type { OpenHow } from './command.js'
import type { FoundConfig } from './config.js'
import { cliError, codeOf, messageOf } from './errors.js'
import type { Terminal } from './terminal.js'
import { printableLines } from './text.js'

/**
 * Opens what a configuration names, and closes it when the use is over. Throws `store_missing` rather than making a
 * database that nobody asked for, `config_invalid` for options that make no sense, and faults of the store.
 */
export async function withRuntime<T>(
  { found, how, terminal }: { readonly found: FoundConfig; readonly how: OpenHow; readonly terminal: Terminal },
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const { config, file } = found
  const place = sqlitePlace(config.store)
  if (!how.create && place !== undefined && !existsSync(place.file)) {
    const message = `There is no database ${place.file}, which ${file} names. Nothing was done; the first start or worker makes it, or correct the path.`
    throw cliError('store_missing', message)
  }
  let runtime: Runtime
  try {
    runtime = await open({ ...config, log: config.log ?? loggerOf(terminal), worker: workerOf(config, how) })
  } catch (cause) {
    if (codeOf(cause) !== 'invalid_option') throw cause
    throw cliError('config_invalid', `${file} cannot be used: ${messageOf(cause)}`, { cause })
  }
  try {
    return await use(runtime)
  } finally {
    await runtime.close()
  }
}

// A project whose own processes only look can still be worked on from here.
function workerOf({ worker }: Config, how: OpenHow): Partial<WorkerOptions> | false {
  return how.worker ? worker || {} : false
}

function loggerOf(terminal: Terminal): Logger {
  return (level, message, fields) => {
    const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
    terminal.say(printableLines(`${level}: ${message}${tail}`))
  }
}
