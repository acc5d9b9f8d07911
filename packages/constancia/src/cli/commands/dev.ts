import { dirname, join } from 'node:path'
import { sqlitePlace } from '../../store/sqlite/index.js'
import type { Call, Command } from '../command.js'
import { findConfig } from '../config.js'
import { type ExitCode, exitCodes } from '../exit-codes.js'
import { serve } from '../serving.js'
import { Supervisor, stopWord, type WorkerNews } from '../supervisor.js'
import { watchFolder } from '../watch-folder.js'

/** `constancia dev`: a worker that follows the code. */
export const devCommand: Command = {
  name: 'dev',
  summary: 'run a worker that is restarted when a file changes',
  details:
    'It watches the folder of the configuration, without node_modules, dist, folders that begin with a dot, and databases. Runs go on ' +
    'from their journals under the new code; a run that the change strands is parked as stuck and goes on with constancia retry.',
  act: async (call) =>
    process.env['CONSTANCIA_DEV_WORKER'] === '1' && process.send !== undefined ? work(call) : supervise(call),
}

async function supervise(call: Call): Promise<ExitCode> {
  const { terminal } = call
  const file = findConfig(call.folder, call.options.text('config'))
  const folder = dirname(file)
  let database: string | undefined
  const onDatabase = (path: string): void => {
    database = path
  }
  const supervisor = new Supervisor({ say: (text) => terminal.say(`dev: ${text}`), onDatabase })
  const unwatch = watchFolder(folder, (name) => {
    // Every step writes to it, whatever it is called.
    if (database === undefined || !join(folder, name).startsWith(database)) supervisor.restart(name)
  })
  terminal.say(`dev: watching ${folder}; Ctrl-C ends`)
  supervisor.start()
  await new Promise<void>((resolve) => {
    const { signal } = terminal.interrupts
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  unwatch()
  await supervisor.stop()
  return exitCodes.done
}

// The child: a worker until somebody wants it to end.
async function work(call: Call): Promise<ExitCode> {
  const { terminal } = call
  const { interrupts } = terminal
  process.on('message', (word) => void (word === stopWord && interrupts.request()))
  process.once('disconnect', () => interrupts.request()) // Whoever watched over it is gone.
  const place = sqlitePlace((await call.config()).config.store)
  if (place !== undefined) process.send?.({ database: place.file } satisfies WorkerNews)
  await serve(call, {
    label: 'dev',
    how: { worker: true, create: true },
    nameOf: () => `worker ${process.pid}`,
    tell: async () => undefined,
  })
  return exitCodes.done
}
