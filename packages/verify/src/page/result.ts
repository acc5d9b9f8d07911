import { isOfUse, meaningText, nothingIsProven, openChecks, type Report, verdictWords } from '../report/index.js'
import { checkList, notProvenList, shortReasons } from './checks.js'
import { element, part } from './element.js'
import { factsOf, type Given } from './facts.js'
import { receiptCard, runList } from './runs.js'
import type { RunTimeline } from './timeline.js'

/** What a file was found to be, as the page shows it. */
export interface Found {
  readonly report: Report
  readonly timelines: readonly RunTimeline[]
  readonly given: Given
}

/** Takes away what is shown: it was about other fields or another file. */
export function clearResult(): void {
  const result = part('result')
  result.hidden = true
  delete result.dataset['verdict']
  part('details').replaceChildren()
}

/** Shows a verdict and everything that it rests on, and moves to it. */
export function showResult({ report, timelines, given }: Found): void {
  const { verdict, checks, notProven } = report
  const result = part('result')
  part('verdict').textContent = capital(verdictWords[verdict])
  part('meaning').textContent = meaningText(report)
  part('why').replaceChildren(...whyOf(report))
  const sections = isOfUse(report)
    ? [...toldBy(report, timelines), section('What this does not prove', notProvenList(notProven))]
    : [element('p', { class: 'nothing' }, nothingIsProven)]
  const passed = checks.filter(({ result: one }) => one === 'passed').length
  part('details').replaceChildren(
    ...sections,
    section(`The checks: ${passed} of ${checks.length} passed`, checkList(checks)),
    section('What was verified, and with what', factsOf(report, given)),
  )
  result.dataset['verdict'] = verdict
  result.hidden = false
  result.scrollIntoView()
  part('verdict').focus({ preventScroll: true })
}

function toldBy({ runs, receipt }: Report, timelines: readonly RunTimeline[]): HTMLElement[] {
  if (receipt !== undefined) return [section('The receipt', receiptCard(receipt))]
  return [section(runs.length === 1 ? 'The run' : 'The runs', ...runList(runs, timelines))]
}

function whyOf(report: Report): HTMLElement[] {
  if (report.verdict === 'proven') return []
  const open = openChecks(report)
  const wayOut =
    open.length === 0
      ? undefined
      : element(
          'p',
          { class: 'more' },
          `If the rest is enough to you, let these stay unevaluated, above: ${open.join(', ')}.`,
        )
  return [shortReasons(report.checks), wayOut].filter((one) => one !== undefined)
}

function section(title: string, ...children: HTMLElement[]): HTMLElement {
  return element('section', {}, element('h3', {}, title), ...children)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
