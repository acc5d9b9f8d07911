/// <reference lib="dom" />
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

/** A file, and what it is verified with. */
export interface Given {
  readonly name: string
  readonly bytes: Uint8Array
  readonly keys: readonly string[]
  readonly origin?: string
  readonly earlier?: string
  readonly witnesses?: readonly string[]
  readonly quorum?: number
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
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as (Given & {
    file: string
    authorities?: unknown
  })[]
  // The page takes no certificates of authorities: it lists tokens as not evaluated.
  return index.map(({ authorities: _, ...entry }) => ({ ...entry, bytes: readFileSync(new URL(entry.file, folder)) }))
}

/** What the verifier on Node.js says, in the words of the command line. */
export async function saidByNode({ name: _, bytes, keys, origin = '', ...more }: Given): Promise<Said> {
  return saidIn(await verifyBundle(chunks(bytes, 65_536), { crypto: nodeCrypto, keys, origin, ...more }))
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
  return page.evaluate(dropInPage, texts)
}

// Runs in the page: it knows nothing of this module.
async function dropInPage(files: readonly (Omit<Given, 'bytes'> & { base64: string })[]): Promise<Said[]> {
  const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
  const result = find('result')
  const texts = (selector: string) => [...result.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '')
  const write = ({ keys, origin, earlier, witnesses = [], quorum, require = [], allow = [] }: Omit<Given, 'bytes'>) => {
    find<HTMLTextAreaElement>('keys').value = keys.join('\n')
    find<HTMLTextAreaElement>('earlier').value = earlier ?? ''
    find<HTMLInputElement>('origin').value = origin ?? ''
    find<HTMLTextAreaElement>('witnesses').value = witnesses.join('\n')
    find<HTMLInputElement>('quorum').value = quorum === undefined ? '' : String(quorum)
    for (const box of document.querySelectorAll<HTMLInputElement>('#require input, #allow input'))
      box.checked = (box.closest('#allow') === null ? require : allow).includes(box.value as never)
    find('form').dispatchEvent(new Event('input', { bubbles: true }))
  }
  const drop = (name: string, base64: string) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  }
  const verdict = () =>
    new Promise<string>((resolve, reject) => {
      const observer = new MutationObserver(() => {
        const problem = [...document.querySelectorAll('.problem')].map(({ textContent }) => textContent).join('')
        if (problem !== '') reject(new Error(problem))
        else if (result.dataset['verdict'] === undefined) return
        else resolve(result.dataset['verdict'])
        observer.disconnect()
      })
      observer.observe(document.body, { attributes: true, childList: true, subtree: true })
    })
  const said: Said[] = []
  for (const file of files) {
    write(file)
    const coming = verdict()
    drop(file.name, file.base64)
    const found = await coming
    const checks = (wanted: string) => texts(`.checks > [data-result="${wanted}"] strong`)
    const isReceipt = result.querySelector('.receipt') !== null
    said.push({
      verdict: found,
      title: find('verdict').textContent ?? '',
      meaning: find('meaning').textContent ?? '',
      failed: checks('failed'),
      notEvaluated: checks('not_evaluated'),
      runs: texts('.run'),
      answers: isReceipt
        ? texts('.receipt .carried')
        : [...result.querySelectorAll('.answers > li > div')].map(
            ({ firstElementChild, lastElementChild }) =>
              `${firstElementChild?.textContent} ${lastElementChild?.textContent}`,
          ),
      notProven: texts('.limits > li'),
    })
  }
  return said
}
