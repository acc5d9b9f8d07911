import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../dist/index.js'

/** The lines that a script beside this file prints. Each call starts Python once. */
export function linesOf(script: string, args: readonly string[] = [], input = ''): string[] {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const { error, status, stdout, stderr } = spawnSync('python3', [path, ...args], { input, maxBuffer: 2 ** 30 })
  if (error !== undefined) throw new Error('python3 did not start. The second verifier must be run.', { cause: error })
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`)
  return String(stdout).trimEnd().split('\n')
}

/** What a script prints that prints one JSON document. */
export function python(script: string, args: readonly string[] = [], input = ''): unknown {
  return JSON.parse(linesOf(script, args, input).join('\n'))
}

/** What the second verifier says of a file. */
export interface SecondReport {
  readonly verdict: string
  readonly checks: Record<string, string>
}

interface Case {
  readonly name: string
  readonly question: { readonly file: string; readonly keys: readonly string[]; readonly earlier?: string }
  /** What the first verifier said. */
  readonly said: string
}

const casesAtOnce = 100

/** Files on which both verifiers have to say the same. */
export class Both {
  readonly #waiting: Case[] = []
  readonly differing: string[] = []
  count = 0

  /** Takes a file, by which keys and earlier checkpoint it was verified, and what the first verifier said of it. */
  add(name: string, bytes: Uint8Array, given: { keys: readonly string[]; earlier?: string }, report: Report): void {
    const failed = report.checks.flatMap(({ name: check, result }) => (result === 'failed' ? [check] : []))
    const question = { file: Buffer.from(bytes).toString('base64'), ...given }
    this.#waiting.push({ name, question, said: sayingOf(report.verdict, failed) })
    if (this.#waiting.length >= casesAtOnce) this.ask()
  }

  /** Has the second verifier say what it says of those that it has not seen. */
  ask(): void {
    const cases = this.#waiting.splice(0)
    if (cases.length === 0) return
    const input = JSON.stringify({ cases: cases.map(({ question }) => question) })
    const reports = python('many.py', [], input) as SecondReport[]
    for (const [index, { name, said }] of cases.entries()) {
      const { verdict = 'nothing', checks = {} } = reports[index] ?? {}
      const theirs = sayingOf(
        verdict,
        Object.keys(checks).filter((check) => checks[check] === 'failed'),
      )
      if (theirs !== said) this.differing.push(`${name}: ${said} by the first, ${theirs} by the second`)
      this.count += 1
    }
  }
}

// Why a file is unreadable is a matter of how far one reads.
function sayingOf(verdict: string, failed: readonly string[]): string {
  return verdict === 'unreadable' ? verdict : `${verdict} ${[...failed].sort().join()}`
}
