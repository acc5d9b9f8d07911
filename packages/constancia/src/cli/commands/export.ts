import { createWriteStream, renameSync, rmSync, type WriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Runtime } from '../../engine/index.js'
import { exportLine, type StreamId } from '../../journal/index.js'
import type { RunRow, Store } from '../../store/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { cliError, isGone, messageOf } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { withGovernance } from '../governing.js'
import { filterOptions, hasFilter, select, statuses } from '../selection.js'
import { counted } from '../text.js'

/** `constancia export`: journals as lines of JSON. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'write journals as lines of JSON',
  details:
    'One line for each event, run after run, with all that its hash covers. With --governance also who may what and what was refused, before the runs; without runs where none are named. A file appears when it is whole; an interrupted export ' +
    'leaves nothing behind.\n\nExample:  constancia export --flow pay --older-than 90d -o pay.jsonl',
  arguments: [{ name: '[run...]', about: 'ids, or beginnings of ids' }],
  options: [
    ...filterOptions,
    { flags: '--all', about: 'every run' },
    { flags: '--governance', about: 'the streams governance and refusals' },
    { flags: '-o, --output <file>', about: 'a file instead of standard output' },
  ],
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      const { runs } = wantsRuns(call) ? await select(runtime, call, statuses) : { runs: [] }
      const output = call.options.text('output')
      const sink =
        output === undefined || output === '-' ? terminalSink(call) : await fileSink(resolve(call.folder, output))
      await exportAll(call, runtime, { runs, sink })
    })
    return exitCodes.done
  },
}

function wantsRuns(call: Call): boolean {
  return !call.options.flag('governance') || call.words.length > 0 || hasFilter(call) || call.options.flag('all')
}

interface Sink {
  readonly write: (line: string) => Promise<void>
  /** Everything is there. */
  readonly keep: () => Promise<void>
  /** Nothing of it is to stay. */
  readonly drop: () => void
}

interface Exported {
  readonly runs: readonly RunRow[]
  readonly sink: Sink
}

async function exportAll(call: Call, runtime: Runtime, { runs, sink }: Exported): Promise<void> {
  const { terminal } = call
  const progress = terminal.progress('Exporting run', runs.length)
  let [runCount, eventCount] = [0, 0]
  try {
    if (call.options.flag('governance')) eventCount += await exportGovernance(call, sink)
    for (const { id } of runs) {
      terminal.interrupts.check()
      for (const line of await linesOf(runtime, id)) {
        await sink.write(line)
        eventCount += 1
      }
      runCount += 1
      progress.add()
    }
    await sink.keep()
  } catch (error) {
    sink.drop()
    throw error
  } finally {
    progress.end()
  }
  terminal.say(`Exported ${counted(eventCount, 'event')} of ${counted(runCount, 'run')}.`)
}

const pageSize = 1_000

// Streams that belong to no run. Returns how many events there are.
function exportGovernance(call: Call, sink: Sink): Promise<number> {
  return withGovernance(call, async ({ store }) => {
    let eventCount = 0
    for (const stream of ['governance', 'refusals'] as StreamId[])
      for await (const line of linesOfStream(store, stream)) {
        call.terminal.interrupts.check()
        await sink.write(line)
        eventCount += 1
      }
    return eventCount
  })
}

async function* linesOfStream(store: Store, stream: StreamId): AsyncGenerator<string> {
  for (let fromSeq = 0; ; fromSeq += pageSize) {
    const events = await store.read(stream, { fromSeq, limit: pageSize })
    yield* events.map(exportLine)
    if (events.length < pageSize) return
  }
}

// It may have been purged since it was listed.
async function linesOf(runtime: Runtime, id: string): Promise<readonly string[]> {
  try {
    return await runtime.run(id).export()
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function terminalSink(call: Call): Sink {
  return { write: (line) => call.terminal.print(line), keep: async () => undefined, drop: () => undefined }
}

async function fileSink(file: string): Promise<Sink> {
  const part = `${file}.part`
  const stream = createWriteStream(part)
  const failed = new Promise<never>((_, reject) => stream.once('error', (error) => reject(unwritable(file, error))))
  failed.catch(() => undefined)
  await Promise.race([new Promise((resolve) => stream.once('open', resolve)), failed])
  return {
    write: (line) => Promise.race([writeLine(stream, line), failed]),
    keep: async () => {
      await Promise.race([new Promise<void>((resolve) => stream.end(() => resolve())), failed])
      renameSync(part, file)
    },
    drop: () => {
      stream.destroy()
      rmSync(part, { force: true })
    },
  }
}

async function writeLine(stream: WriteStream, line: string): Promise<void> {
  if (!stream.write(`${line}\n`)) await new Promise<void>((resolve) => stream.once('drain', () => resolve()))
}

function unwritable(file: string, cause: unknown): Error {
  return cliError(
    'file_failed',
    `${file} cannot be written (${messageOf(cause)}). The journals are as they were; choose another place.`,
    { cause },
  )
}
