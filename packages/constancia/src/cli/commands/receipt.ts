import { makeReceipt, type ReceiptRequest } from '../../evidence/log/index.js'
import { parseRunId } from '../../journal/index.js'
import type { Call, Command } from '../command.js'
import { cliError } from '../errors.js'
import { evidenceOf, withStore } from '../evidence.js'
import { exitCodes } from '../exit-codes.js'
import { writeProof } from '../proof-file.js'

/** `constancia receipt`: a small proof of one decision or one effect. */
export const receiptCommand: Command = {
  name: 'receipt',
  summary: 'write a small signed proof of one decision or one effect, for whoever decided or is concerned',
  details:
    'Holds one event of the run and what shows that it was sealed, and nothing else of the run: constancia verify reads it. A decision or an effect is found by its op, any event by ' +
    'its seq; constancia show lists them. What a receipt does not prove, constancia verify says: a bundle (constancia prove) has the rest.\n\n' +
    'Example:  constancia receipt pay-4711 --op 1 -o ann.receipt',
  arguments: [{ name: '<run>', about: 'id of the run' }],
  options: [
    { flags: '-o, --output <file>', about: 'a file instead of standard output' },
    { flags: '--op <op>', about: 'the op, if it has one decision or effect; needless if the run has only one' },
    { flags: '--seq <n>', about: 'the event, by its number in the journal' },
    { flags: '--withhold <what>', about: 'data: leave out what the event carries' },
    { flags: '--stamped', about: 'by the first checkpoint that a time-stamping authority has dated' },
  ],
  act: async (call) => {
    const request = await requestOf(call)
    const receipt = await withStore(call, async (store) => {
      const made = await makeReceipt(store, request)
      await writeProof(call, [made.bytes])
      return made
    })
    const { seq, kind, bytes, checkpoint } = receipt
    call.terminal.say(
      `Receipt of event ${seq} (${kind}) of run ${request.run}: ${bytes.length} bytes, by the checkpoint of ${checkpoint.size} leaves.`,
    )
    return exitCodes.done
  },
}

async function requestOf(call: Call): Promise<ReceiptRequest> {
  const [run = ''] = call.words
  const [op, seq] = [call.options.text('op'), call.options.count('seq')]
  if (op !== undefined && seq !== undefined)
    throw cliError('usage', 'Name the event by --op or by --seq, not by both. Nothing was written.')
  const withheld = call.options.text('withhold')
  if (withheld !== undefined && withheld !== 'data')
    throw cliError(
      'usage',
      `A receipt can be without its data, but not without the fact itself: --withhold takes data, but it was ${JSON.stringify(withheld)}. Nothing was written.`,
    )
  const { origin } = await evidenceOf(call)
  const of = seq === undefined ? { op } : { seq }
  const isStamped = call.options.flag('stamped')
  return { run: parseRunId(run), origin, of, withholdsData: withheld === 'data', isStamped }
}
