import { type Proof, type ProveRequest, proveRuns, type Withholding } from '../../evidence/log/index.js'
import { parseRunId } from '../../journal/index.js'
import type { Call, Command } from '../command.js'
import { parseMoment } from '../durations.js'
import { cliError } from '../errors.js'
import { configuredKey, evidenceOf, withStore } from '../evidence.js'
import { exitCodes } from '../exit-codes.js'
import { Phases } from '../phases.js'
import { writeProof } from '../proof-file.js'
import { counted } from '../text.js'

/** `constancia prove`: one file that shows strangers what runs did. */
export const proveCommand: Command = {
  name: 'prove',
  summary: 'write a file that proves what runs did, to whoever has the public key',
  details:
    'Holds their journals as far as they are sealed, who was allowed what and when, and what the log says of both: constancia verify needs nothing else. All runs that ' +
    'began in an interval come with a signed statement that these are all, which takes the key of the configuration; else no key is needed.\n\n' +
    'Example:  constancia prove pay-4711 -o pay-4711.proof',
  arguments: [{ name: '[run...]', about: 'ids of runs' }],
  options: [
    { flags: '-o, --output <file>', about: 'a file instead of standard output' },
    { flags: '--from <moment>', about: 'all runs that began from then on: 2026-01-01, or 2026-01-01T08:00Z' },
    { flags: '--before <moment>', about: 'and before then' },
    {
      flags: '--since <size>',
      about: 'show that the log goes on from a checkpoint of so many leaves, which an auditor has kept',
    },
    { flags: '--withhold <what>', about: 'leave out data, data:KIND,… or bodies:KIND,… of runs', many: true },
  ],
  act: async (call) => {
    const request = await requestOf(call)
    const phases = new Phases(call.terminal, { found: 'Looking up run', writing: 'Writing run' })
    const proof = await withStore(call, async (store) => {
      try {
        const made = await proveRuns(store, { ...request, watch: (what, count) => phases.add(what, count) })
        await writeProof(call, made.bytes)
        return made
      } finally {
        phases.end()
      }
    })
    tell(call, proof)
    return exitCodes.done
  },
}

async function requestOf(call: Call): Promise<ProveRequest> {
  const { origin } = await evidenceOf(call)
  const since = call.options.count('since')
  const more = { origin, withhold: withholdingOf(call), ...(since === undefined ? {} : { since }) }
  const [from, before] = [call.options.text('from'), call.options.text('before')]
  if (call.list.length > 0 && from === undefined && before === undefined)
    return { of: { runs: call.list.map(parseRunId) }, ...more }
  if (call.list.length > 0 || from === undefined || before === undefined)
    throw cliError('usage', 'Name the runs, or an interval with --from and --before. Nothing was written.')
  const mine = await configuredKey(call)
  return {
    of: {
      fromMs: parseMoment(from, '--from', call.now()),
      beforeMs: parseMoment(before, '--before', call.now()),
      mine,
    },
    ...more,
  }
}

function withholdingOf(call: Call): Withholding {
  let data: Withholding['data']
  const bodies: string[] = []
  for (const text of call.options.texts('withhold')) {
    const [what, kinds] = text.split(':')
    const named = kinds === undefined ? [] : kinds.split(',').filter((kind) => kind !== '')
    if (what === 'data' && kinds === undefined) data = true
    else if (what === 'data' && named.length > 0) data = data === true ? true : [...(data ?? []), ...named]
    else if (what === 'bodies' && named.length > 0) bodies.push(...named)
    else
      throw cliError(
        'usage',
        `--withhold takes data, data:KIND,… or bodies:KIND,…, but it was ${JSON.stringify(text)}. Nothing was written.`,
      )
  }
  return { bodies, ...(data === undefined ? {} : { data }) }
}

function tell(call: Call, { runs, checkpoint }: Proof): void {
  const open = runs.filter(({ sealedSeq, headSeq }) => headSeq > sealedSeq)
  for (const { run, sealedSeq, headSeq } of open)
    call.terminal.say(
      `not_sealed: run ${run} is in it up to event ${sealedSeq}; it goes on to event ${headSeq}, which is not sealed yet.`,
    )
  call.terminal.say(`Proves ${counted(runs.length, 'run')} by the checkpoint of ${checkpoint.size} leaves.`)
}
