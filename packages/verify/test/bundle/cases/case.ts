import type { CheckName, VerdictOfFile } from '../../../dist/index.js'
import { type Draft, Log, origin, repaired, signerOf, written } from '../log.js'

/** A file, what it is verified with, and what has to come of it. */
export interface Case {
  readonly name: string
  readonly bytes: Uint8Array
  readonly keys: readonly string[]
  readonly origin: string
  readonly earlier?: string
  readonly require?: readonly CheckName[]
  readonly witnesses?: readonly string[]
  readonly quorum?: number
  readonly allow?: readonly CheckName[]
  /** Certificates of time-stamping authorities, each base64 of DER. */
  readonly authorities?: readonly string[]
  readonly verdict: VerdictOfFile
  /** A check that has to have failed; undefined where none may have. */
  readonly check?: CheckName
}

/** What a case says beside its name and bytes. */
export type Expected = Partial<Omit<Case, 'name' | 'bytes'>>

/** The first key of the logs with this number. */
export function keyText(number = 1, name = origin): string {
  return signerOf(name, number).key.text
}

/** A case, proven by the first key unless something else is said. */
export function caseOf(name: string, bytes: Uint8Array, expected: Expected = {}): Case {
  return { name, bytes, keys: [keyText()], origin, verdict: 'proven', ...expected }
}

/** A log with two runs that have ended and one that goes on, sealed three times. */
export function threeRuns(options: { number?: number } = {}): Log {
  const log = new Log(options)
  log.append('governance', 'RoleGranted', grant('root', 'administrator', 'bootstrap'), { seen: `${seenHead(log)}/-` })
  log.run('a', 5)
  log.seal()
  log.run('b', 4)
  log.append('governance', 'RoleGranted', grant('ann', 'administrator', 'direct'))
  log.seal()
  log.run('c', 3, { isOpen: true })
  log.seal()
  return log
}

function grant(principal: string, role: string, source: string): string {
  return JSON.stringify({ principal, role, untilMs: null, source })
}

function seenHead(log: Log): string {
  const head = log.streams.get('governance')?.at(-1)
  return `${head?.seq}:${head?.hash}`
}

/** The bundle of all runs of a log, changed before it is written by somebody who makes the end line fit. */
export async function forged(change: (draft: Draft, log: Log) => void, log: Log = threeRuns()): Promise<Buffer> {
  const draft = log.draft(runsOf(log))
  change(draft, log)
  return written(draft)
}

/** The bundle of all runs of a log as text, changed; the end line fits again unless it is said that it does not. */
export async function rewritten(
  change: (text: string) => string,
  { log = threeRuns(), repair = true }: { log?: Log; repair?: boolean } = {},
): Promise<Buffer> {
  const text = (await log.bundle(runsOf(log))).toString()
  const changed = change(text)
  if (changed === text) throw new Error('Nothing was changed.')
  return Buffer.from(repair ? repaired(changed) : changed)
}

/** The ids of all runs of a log. */
export function runsOf(log: Log): string[] {
  return [...log.streams.keys()].filter((name) => name.startsWith('run/')).map((name) => name.slice(4))
}
