import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { CheckName, Report } from '../../dist/index.js'
import {
  answerWords,
  carriedText,
  isOfUse,
  meaningText,
  printable,
  questionWords,
  receiptText,
  runText,
  verdictWords,
  verifyBundle,
} from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { chunks } from '../bundle/log.js'
import { dropInPage } from './in-page.mjs'

/** A file, and what it is verified with. */
export interface Given {
  readonly name: string
  readonly bytes: Uint8Array
  readonly keys: readonly string[]
  readonly origin?: string
  readonly earlier?: string
  readonly witnesses?: readonly string[]
  readonly quorum?: number
  /** Certificates in base64 of DER. */
  readonly authorities?: readonly string[]
  readonly require?: readonly CheckName[]
  readonly allow?: readonly CheckName[]
}

/** What a page, or a report, says. */
export interface Said {
  readonly verdict: string
  readonly title: string
  readonly meaning: string
  readonly failed: readonly string[]
  readonly notEvaluated: readonly string[]
  readonly runs: readonly string[]
  readonly answers: readonly string[]
  readonly notProven: readonly string[]
}

const folder = new URL('../../vectors/', import.meta.url)

/** All vectors. */
export function vectors(): Given[] {
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as (Given & { file: string })[]
  return index.map((entry) => ({ ...entry, bytes: readFileSync(new URL(entry.file, folder)) }))
}

/** What the verifier on Node.js says, in the words of the command line. */
export async function saidByNode({
  name: _,
  bytes,
  keys,
  origin = '',
  authorities = [],
  ...more
}: Given): Promise<Said> {
  const certificates = authorities.map((text) => Buffer.from(text, 'base64'))
  return saidIn(
    await verifyBundle(chunks(bytes, 65_536), { crypto: nodeCrypto, keys, origin, authorities: certificates, ...more }),
  )
}

function saidIn(report: Report): Said {
  const { verdict, checks, runs, receipt, notProven } = report
  const named = (wanted: string) => checks.filter(({ result }) => result === wanted).map(({ name }) => name)
  const told = { runs: runs.map(runText), answers: runs.flatMap(answersIn), notProven: notProven.map(printable) }
  const some = receipt === undefined ? told : { ...told, runs: [receiptText(receipt)], answers: [carriedText(receipt)] }
  return {
    verdict,
    title: verdictWords[verdict].replace(/^./, (letter) => letter.toUpperCase()),
    meaning: meaningText(report),
    failed: named('failed'),
    notEvaluated: named('not_evaluated'),
    ...(isOfUse(report) ? some : { runs: [], answers: [], notProven: [] }),
  }
}

function answersIn({ answers }: Report['runs'][number]): string[] {
  return answers.map(
    ({ question, answer, text }) => `${questionWords[question]} ${answerWords[answer]} ${printable(text)}`,
  )
}

/** Drops files on the page, one after the other as somebody would, and reads what it says of each. */
export async function dropAll(page: Page, files: readonly Given[]): Promise<Said[]> {
  const texts = files.map(({ bytes, ...rest }) => ({ ...rest, base64: Buffer.from(bytes).toString('base64') }))
  return page.evaluate(dropInPage as (files: unknown) => Promise<Said[]>, texts)
}
