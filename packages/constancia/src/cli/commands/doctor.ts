import type { Runtime } from '../../engine/index.js'
import { type Call, type Command, lookOnly } from '../command.js'
import type { FoundConfig } from '../config.js'
import { type Diagnosis, diagnose, type Finding } from '../diagnosis.js'
import { exitCodes } from '../exit-codes.js'
import { counted, padEnd, wrap } from '../text.js'

/** `constancia doctor`: is everything well? */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'look whether the store, the runs and the configuration are well',
  details:
    'Journals are checked hash by hash; the newest 100 unless told otherwise. Every finding says what to do. The exit code is 11 if ' +
    'something needs attention.',
  options: [
    { flags: '--journals <count>', about: 'check the journals of so many runs' },
    { flags: '--all', about: 'check every journal' },
  ],
  act: (call) =>
    call.withRuntime(lookOnly, async (runtime: Runtime, found: FoundConfig) => {
      const diagnosis = await diagnose(call, runtime, found)
      if (call.isJson) await call.terminal.print(JSON.stringify(diagnosis))
      else await printText(call, diagnosis)
      return diagnosis.findings.some((finding) => finding.needsAttention) ? exitCodes.findings : exitCodes.done
    }),
}

async function printText(call: Call, { facts, findings }: Diagnosis): Promise<void> {
  const { terminal } = call
  const { paint, width } = terminal
  const labelWidth = Math.max(...facts.map(([label]) => label.length)) + 2
  const indent = ' '.repeat(labelWidth)
  for (const [label, text] of facts) {
    await terminal.print(
      paint.faint(padEnd(label, labelWidth)) + wrap(text, width - labelWidth).replaceAll('\n', `\n${indent}`),
    )
  }
  await terminal.print('')
  for (const finding of findings) await terminal.print(findingText(call, finding))
  const serious = findings.filter((finding) => finding.needsAttention).length
  if (serious === 0) await terminal.print(paint.good('All is well.'))
  else await terminal.print(paint.bad(`${counted(serious, 'finding')} to attend to.`))
}

function findingText(call: Call, { needsAttention, what, todo }: Finding): string {
  const { paint, width } = call.terminal
  const mark = needsAttention ? paint.bad('✗') : paint.warn('·')
  return `${mark} ${wrap(what, width - 2, '  ')}\n  ${paint.faint(wrap(todo, width - 2, '  '))}`
}
