import { canonicalText, type Json } from '@constancia/verify'
import { htmlOf, markdownOf, pageOf } from '../../governance/presentation/index.js'
import type { Call, Command } from '../command.js'
import { activations, contractWords, findContract, type NamedContract, standingOf } from '../contracts.js'
import { cliError } from '../errors.js'
import { exitCodes } from '../exit-codes.js'
import { writeWhole } from '../files.js'

const formats = ['markdown', 'html', 'json']

/** `constancia contract show`: a contract for people. */
export const contractShowCommand: Command = {
  name: 'contract show',
  summary: 'show a contract so that whoever approves or audits can read it',
  details:
    'That of the configuration unless told otherwise, and whether it is in force. html is one file that needs nothing else. json is the ' +
    'text that its digest is made of: sha256sum of the file is the digest. With --json: one document with digest, standing and contract.\n\n' +
    'Example:  constancia contract show --format html -o contract.html',
  arguments: [{ name: '[contract]', about: contractWords }],
  options: [
    { flags: '--format <format>', about: 'markdown, html or json; markdown unless set' },
    { flags: '-o, --output <file>', about: 'a file instead of standard output' },
  ],
  act: async (call) => {
    const format = formatOf(call)
    const contract = await findContract(call, call.words[0] ?? 'config')
    const text = await textOf(call, contract, format)
    const output = call.options.text('output')
    if (output === undefined || output === '-') await call.terminal.print(text.trimEnd())
    else {
      writeWhole(call, output, text)
      call.terminal.say(`Wrote contract ${contract.declared.name} ${contract.declared.version} to ${output}.`)
    }
    return exitCodes.done
  },
}

function formatOf(call: Call): string {
  const given = call.options.text('format')
  const format = given ?? (call.isJson ? 'document' : 'markdown')
  if (given === undefined || formats.includes(given)) return format
  throw cliError('usage', `--format is ${formats.join(', ')}, but it was ${JSON.stringify(given)}. Nothing was done.`)
}

async function textOf(call: Call, { declared, digest }: NamedContract, format: string): Promise<string> {
  if (format === 'json') return canonicalText(declared as unknown as Json)
  const standing = standingOf(digest, await activations(call))
  if (format === 'document') return JSON.stringify({ digest, standing, contract: declared })
  const page = pageOf(declared, digest, standing)
  return format === 'html' ? htmlOf(page) : markdownOf(page)
}
