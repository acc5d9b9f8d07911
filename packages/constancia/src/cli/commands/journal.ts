import { exportLine, type StoredEvent } from '../../journal/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import { exitCodes } from '../exit-codes.js'
import { follow } from '../follow.js'
import { findRun } from '../run-ids.js'
import { cut, printable } from '../text.js'

/** `constancia journal`: the events as they are written. */
export const journalCommand: Command = {
  name: 'journal',
  summary: 'show the events of a run as they are written',
  details: 'With --json: one line of JSON for each event, as export writes it.',
  arguments: [{ name: '<run>', about: 'its id, or the beginning of it' }],
  options: [
    { flags: '--full', about: 'bodies and data whole, however long' },
    { flags: '-f, --follow', about: 'go on until the run has ended' },
  ],
  act: async (call) => {
    await call.withRuntime(lookOnly, async (runtime) => {
      const row = await findRun(runtime, call.words[0] ?? '')
      const events = await runtime.run(row.id).events()
      await printEvents(call, events)
      if (!call.options.flag('follow')) return
      const onNews = (_: unknown, all: readonly StoredEvent[], from: number) => printEvents(call, all.slice(from))
      await follow(call, { runtime, row, knownCount: events.length }, onNews)
    })
    return exitCodes.done
  },
}

async function printEvents(call: Call, events: readonly StoredEvent[]): Promise<void> {
  for (const event of events) await call.terminal.print(call.isJson ? exportLine(event) : textOf(call, event))
}

function textOf(call: Call, event: StoredEvent): string {
  const { paint, width } = call.terminal
  const limit = call.options.flag('full') ? Number.POSITIVE_INFINITY : width
  const begin = `${String(event.seq).padStart(5)}  ${printable(event.kind)}  `
  const origin = `${new Date(event.at).toISOString()}  ${printable(event.by)}`
  const lines = [paint.strong(begin) + paint.faint(cut(origin, limit - begin.length))]
  const texts = [
    ['body', event.body],
    ['data', event.data ?? (event.dataCommit === undefined ? undefined : '(erased)')],
  ] as const
  for (const [label, text] of texts) {
    if (text !== undefined) lines.push(`       ${paint.faint(label)} ${cut(printable(text), limit - 12)}`)
  }
  return lines.join('\n')
}
