import { type CheckResult, checkWords, printable, reasonText, resultWords } from '../report/index.js'
import { element } from './element.js'
import { counted } from './facts.js'

const marks = { passed: '✓', failed: '✕', not_evaluated: '–' } as const

/** Every check, whether it was performed and what came of it; what did not pass comes first, with its reasons. */
export function checkList(checks: readonly CheckResult[]): HTMLElement {
  const order = (['failed', 'not_evaluated', 'passed'] as const).flatMap((one) =>
    checks.filter(({ result }) => result === one),
  )
  return element('ul', { class: 'checks' }, ...order.map(checkItem))
}

function checkItem({ name, result, reasons, reasonCount }: CheckResult): HTMLElement {
  const more = reasonCount - reasons.length
  return element(
    'li',
    { 'data-result': result },
    element('span', { class: 'mark', 'aria-hidden': 'true' }, marks[result]),
    element(
      'div',
      {},
      element('strong', {}, name),
      ' ',
      element('span', { class: 'word' }, resultWords[result]),
      element('p', {}, checkWords[name]),
      reasons.length === 0 ? undefined : reasonList(reasons.map(reasonText), more),
    ),
  )
}

function reasonList(texts: readonly string[], moreCount: number): HTMLElement {
  const items = texts.map((text) => element('li', {}, text))
  if (moreCount > 0) items.push(element('li', {}, `and ${counted(moreCount, 'more reason')}`))
  return element('ul', { class: 'reasons' }, ...items)
}

/** What is wrong, in short: the first reason of each check that failed, or of those that could not be evaluated. */
export function shortReasons(checks: readonly CheckResult[]): HTMLElement | undefined {
  const failed = checks.filter(({ result }) => result === 'failed')
  const told = failed.length > 0 ? failed : checks.filter(({ result }) => result === 'not_evaluated')
  if (told.length === 0) return undefined
  const items = told.map(({ name, reasons: [first] }) =>
    element('li', {}, element('strong', {}, name), ` ${first === undefined ? '' : reasonText(first)}`),
  )
  return element('ul', { class: 'reasons' }, ...items)
}

/** What even this file does not prove. */
export function notProvenList(texts: readonly string[]): HTMLElement {
  return element('ul', { class: 'limits' }, ...texts.map((text) => element('li', {}, printable(text))))
}
