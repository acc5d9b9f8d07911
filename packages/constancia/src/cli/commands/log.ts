import { inspectLog, type LogReport } from '../../evidence/log/index.js'
import type { Call, Command } from '../command.js'
import { evidenceOf, withStore } from '../evidence.js'
import { exitCodes } from '../exit-codes.js'
import { Phases } from '../phases.js'
import { counted, printable } from '../text.js'

/** `constancia log`: whether journals, leaves and checkpoints still fit each other. */
export const logCommand: Command = {
  name: 'log',
  summary: 'read the whole log and every journal, and find what was changed after it was written',
  details:
    'Computes the root of the leaves anew at each checkpoint, and compares each journal with its leaves. Finds two histories of one stream, and rows that somebody edited. Whoever ' +
    'holds the key could make all of it anew: that only a checkpoint kept elsewhere shows. Writes nothing. With --json: one document.',
  act: async (call) => {
    const { origin } = await evidenceOf(call)
    const phases = new Phases(call.terminal, { leaf: 'Reading leaf', journal: 'Reading journal' })
    const report = await withStore(call, (store) =>
      inspectLog(store, origin, (what, count) => phases.add(what, count)).finally(() => phases.end()),
    )
    if (call.isJson) await call.terminal.print(JSON.stringify(report))
    else await printReport(call, report)
    return report.findings.length === 0 ? exitCodes.done : exitCodes.forged
  },
}

async function printReport(call: Call, report: LogReport): Promise<void> {
  const { terminal } = call
  const { findings, leafCount, checkpointCount, streamCount, eventCount, unsealedCount } = report
  for (const { kind, message } of findings) await terminal.print(printable(`${terminal.paint.bad(kind)}: ${message}`))
  const read = `${counted(eventCount, 'event')} of ${counted(streamCount, 'stream')}, ${leafCount} leaves, ${counted(checkpointCount, 'checkpoint')}`
  const fit = findings.length === 0 ? 'All of it fits.' : `${counted(findings.length, 'thing')} that cannot be.`
  await terminal.print(`${read}. ${fit}`)
  if (unsealedCount > 0) terminal.say(`${counted(unsealedCount, 'stream')} went on since the last sealing.`)
}
