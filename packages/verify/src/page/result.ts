import { isOfUse, nothingIsProven, type Report, verdictWords } from '../report/index.js'
import { checkList, notProvenList, shortReasons } from './checks.js'
import { element, part } from './element.js'
import { factsOf, type Given } from './facts.js'
import { runList } from './runs.js'
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
  const { verdict, checks, runs, notProven } = report
  const { title, meaning } = verdictWords[verdict]
  const result = part('result')
  part('verdict').textContent = capital(title)
  part('meaning').textContent = meaning
  const why = verdict === 'proven' ? undefined : shortReasons(checks)
  part('why').replaceChildren(...(why === undefined ? [] : [why]))
  const sections = isOfUse(report)
    ? [
        section(runs.length === 1 ? 'The run' : 'The runs', ...runList(runs, timelines)),
        section('What this does not prove', notProvenList(notProven)),
      ]
    : [element('p', { class: 'nothing' }, nothingIsProven)]
  const passed = checks.filter(({ result: one }) => one === 'passed').length
  part('details').replaceChildren(
    ...sections,
    section(`The checks: ${passed} of ${checks.length} passed`, checkList(checks)),
    section('What was verified, and with what', factsOf(report, given)),
  )
  result.dataset['verdict'] = verdict
  result.hidden = false
  part('verdict').focus()
}

function section(title: string, ...children: HTMLElement[]): HTMLElement {
  return element('section', {}, element('h3', {}, title), ...children)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
