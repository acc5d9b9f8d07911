/**
 * The third act: what a stranger can check. The payment of the first scene, proven by one file, verified without the database; then the
 * same file, forged twice. `--json` prints what came out as one JSON object, `--keep` leaves the files. Ends with code 1 if anything that it
 * says does not hold.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constancia, type Ended } from './command-line.js'
import { changeAndChainAnew, changeOneByte } from './forger.js'
import { endChildren, Outside } from './processes.js'
import { paint, say, tell } from './screen.js'
import { origin, type SealedPlace } from './sealing.js'
import { Stage } from './stage.js'

const isJson = process.argv.includes('--json')
const isKept = process.argv.includes('--keep')
const startMs = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'constancia-proof-'))
const run = 'payment-2026-118'
const exitCodes = { proven: 0, forged: 15 }

process.on('exit', cleanUp)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  process.exitCode = (await story()) ? 0 : 1
} catch (error) {
  process.stderr.write(`\nThe story could not be finished. ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  endChildren() // Whoever is still up would keep this process from its end.
}

async function story(): Promise<boolean> {
  if (!isJson) introduce()
  const sealed = { key: join(folder, 'log.key'), checkpoints: join(folder, 'checkpoints') }
  mkdirSync(sealed.checkpoints)
  const key = await newKey()
  await pay(sealed)
  await shown(['prove', run, '--since', String(keptSize()), '-o', 'payment.proof'], operator(sealed))
  if (!isJson) handOver()
  const honest = await verified('payment.proof', key)
  const proof = readFileSync(join(folder, 'payment.proof'), 'utf8')
  writeFileSync(join(folder, 'changed.proof'), changeOneByte(proof))
  chapter('One figure of the amount is changed', 'One byte of the file, in the input that was executed:')
  const changed = await verified('changed.proof', key)
  writeFileSync(join(folder, 'forged.proof'), changeAndChainAnew(proof))
  chapter(
    'The same, by somebody who knows the format',
    'Every hash behind the changed byte is computed anew, up to the digest of the file: the chain fits again. What does not fit any more is the tree that was signed, and the checkpoint that ' +
      'the auditor has kept since Monday:',
  )
  const forged = await verified('forged.proof', key)
  return conclude({ honest, changed, forged })
}

function introduce(): void {
  tell(
    'An auditor says: this payment waited four days for an approval. Show me that the approval was real, that the person was still authorised, that it executed as the right actor, and ' +
      'that it executed once. The auditor has a public key, a checkpoint from Monday, and does not trust whoever runs the database.',
  )
  say()
}

async function newKey(): Promise<string> {
  const made = await constancia(['keys', 'new', 'log.key', '--origin', origin], { folder })
  const key = /\S+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+/.exec(made.text)?.[0]
  if (key === undefined) throw new Error(`No key was made: ${made.text}`)
  writeFileSync(join(folder, 'log.pub'), `${key}\n`)
  return 'log.pub'
}

// The first scene of the second act, with a log: sealed on Monday while it waits, and on Friday when it is done.
async function pay(sealed: SealedPlace): Promise<void> {
  const outside = await Outside.start()
  const stage = new Stage({ file: join(folder, 'payments.db'), run, outside, sealed })
  await stage.begin('2026-118')
  await stage.seal('Mon 09:30')
  const [monday = ''] = readdirSync(sealed.checkpoints)
  writeFileSync(join(folder, 'monday.checkpoint'), readFileSync(join(sealed.checkpoints, monday)))
  await stage.approve('Fri 09:00', 'tom')
  await stage.resume('Fri 09:05')
  await stage.seal('Fri 09:30')
  await outside.close()
}

// The second line of a checkpoint is the size of the log.
function keptSize(): number {
  return Number(readFileSync(join(folder, 'monday.checkpoint'), 'utf8').split('\n')[1])
}

function operator({ key, checkpoints }: SealedPlace): Readonly<Record<string, string>> {
  return { PAYMENTS_DB: join(folder, 'payments.db'), PAYMENTS_KEY: key, PAYMENTS_CHECKPOINTS: checkpoints }
}

function handOver(): void {
  const bytes = statSync(join(folder, 'payment.proof')).size
  say(`  ${(bytes / 1024).toFixed(1)} KiB of text. The auditor needs nothing else, and no network:`)
  say()
}

function verified(file: string, key: string): Promise<Ended> {
  return shown(['verify', file, '--key', key, '--checkpoint', 'monday.checkpoint'], undefined)
}

// A command and what it says, as somebody at a terminal sees it.
async function shown(words: readonly string[], env: Readonly<Record<string, string>> | undefined): Promise<Ended> {
  const config = env === undefined ? [] : ['--config', join(import.meta.dirname, 'operator-config.js')]
  const ended = await constancia([...words, ...config], { folder, ...(env === undefined ? {} : { env }) })
  if (isJson) return ended
  say(paint.cyan(`  $ constancia ${words.join(' ')}`))
  say(ended.text)
  say(paint.dim(`  exit code ${ended.code}`))
  say()
  return ended
}

function chapter(title: string, about: string): void {
  if (isJson) return
  say(paint.bold(`  ${title}`))
  tell(about)
  say()
}

interface Verdicts {
  readonly honest: Ended
  readonly changed: Ended
  readonly forged: Ended
}

function conclude({ honest, changed, forged }: Verdicts): boolean {
  const claims = [
    { text: 'the file that the operator wrote is proven', holds: honest.code === exitCodes.proven },
    { text: 'one changed byte is found', holds: changed.code === exitCodes.forged },
    { text: 'a chain that was made anew is found as well', holds: forged.code === exitCodes.forged },
  ]
  const ms = Math.round(performance.now() - startMs)
  if (isJson) say(JSON.stringify({ claims, codes: [honest.code, changed.code, forged.code], ms }, undefined, 2))
  else {
    for (const { text, holds } of claims) say(`  ${holds ? paint.green('✓') : paint.red('✗ NOT SO:')} ${text}`)
    say()
    say('  How it is made:    examples/payments/src/sealing.ts, docs/evidence.md')
    say('  The format:        docs/evidence-format.md, for a verifier of your own')
    if (isKept) say(`  The files:         ${folder}`)
    say(paint.dim(`  ${(ms / 1000).toFixed(1)} s`))
  }
  return claims.every(({ holds }) => holds)
}

function cleanUp(): void {
  endChildren()
  if (!isKept) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
