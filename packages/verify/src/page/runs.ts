import {
  type AuditAnswer,
  answerWords,
  carriedText,
  momentText,
  printable,
  questionWords,
  type ReceiptReport,
  type RunReport,
  receiptText,
  runText,
} from '../report/index.js'
import { element } from './element.js'
import { counted } from './facts.js'
import type { RunTimeline, ShownEvent, ShownText } from './timeline.js'

const runCountMax = 200
const marks = { yes: '✓', no: '✕', unknown: '?', none: '–' } as const

/** The runs of a file with the answers about each and their events; the first two hundred. */
export function runList(runs: readonly RunReport[], timelines: readonly RunTimeline[]): HTMLElement[] {
  const events = new Map(timelines.map(({ stream, events }) => [stream, events]))
  const shown = runs.slice(0, runCountMax)
  const cards = shown.map((run) => runCard(run, events.get(`run/${run.run}`) ?? [], shown.length === 1))
  if (runs.length > shown.length)
    cards.push(element('p', { class: 'more' }, `And ${counted(runs.length - shown.length, 'more run')}.`))
  return cards
}

/** The event of a receipt, and what it says. */
export function receiptCard(receipt: ReceiptReport): HTMLElement {
  const carried = carriedText(receipt)
  return element(
    'div',
    { class: 'card receipt' },
    element('p', { class: 'run' }, receiptText(receipt)),
    element('p', {}, printable(receipt.text)),
    element('p', { class: 'more carried' }, carried.length > carriedMax ? `${carried.slice(0, carriedMax)}…` : carried),
  )
}

const carriedMax = 2_000

function runCard(run: RunReport, events: readonly ShownEvent[], isAlone: boolean): HTMLElement {
  const head = element('p', { class: 'run' }, runText(run))
  const answers =
    run.answers.length === 0 ? undefined : element('ul', { class: 'answers' }, ...run.answers.map(answerItem))
  const timeline = events.length === 0 ? undefined : timelineOf(run, events)
  if (isAlone) return element('div', { class: 'card' }, head, answers, timeline)
  const worst = (['no', 'unknown'] as const).find((one) => run.answers.some(({ answer }) => answer === one))
  const summary = element(
    'summary',
    {},
    head,
    worst === undefined ? undefined : element('span', { class: 'word' }, answerWords[worst]),
  )
  return element('details', { class: 'card' }, summary, answers, timeline)
}

function answerItem({ question, answer, text }: AuditAnswer): HTMLElement {
  return element(
    'li',
    { 'data-answer': answer },
    element('span', { class: 'mark', 'aria-hidden': 'true' }, marks[answer]),
    element(
      'div',
      {},
      element('h4', {}, questionWords[question], ' ', element('span', { class: 'word' }, answerWords[answer])),
      element('p', {}, printable(text)),
    ),
  )
}

function timelineOf({ eventCount, sealedSeq }: RunReport, events: readonly ShownEvent[]): HTMLElement {
  const items = events.map((event) => eventItem(event, sealedSeq))
  const left = eventCount - events.length
  const more = left > 0 ? [element('p', { class: 'more' }, `And ${counted(left, 'more event')}.`)] : []
  return element(
    'details',
    { class: 'timeline' },
    element('summary', {}, 'What the journal says'),
    element('ol', {}, ...items),
    ...more,
  )
}

function eventItem(event: ShownEvent, sealedSeq: number | undefined): HTMLElement {
  const { seq, kind, at, by, body, data } = event
  const isSealed = sealedSeq !== undefined && seq <= sealedSeq
  const about = aboutOf(body)
  return element(
    'li',
    {},
    element('strong', {}, kindText(kind)),
    about === '' ? undefined : ` ${printable(about)}`,
    isSealed ? undefined : ' ',
    isSealed ? undefined : element('span', { class: 'word' }, 'not sealed'),
    element('span', { class: 'when' }, `event ${seq}, ${momentText(at)}, by ${printable(by)}`),
    textElement(data),
    body.kind === 'text' ? exactText(body.text) : textElement(body),
  )
}

/** What an event is about, as far as its body says so in a text: the action before the op's own name. */
function aboutOf(body: ShownText): string {
  try {
    const { action, name, flow, outcome } = JSON.parse(body.kind === 'text' ? body.text : '{}') as Readonly<
      Record<string, unknown>
    >
    return [action ?? name ?? flow, outcome].filter((one) => typeof one === 'string').join(', ')
  } catch {
    return ''
  }
}

function textElement(shown: ShownText): HTMLElement | undefined {
  if (shown.kind === 'none') return undefined
  if (shown.kind !== 'text') return element('span', { class: 'when' }, goneWords[shown.kind])
  return shown.text === '{}' ? undefined : element('code', {}, printable(shown.text))
}

const goneWords = {
  withheld: 'A text of it was withheld from this file.',
  erased: 'A text of it was erased.',
  left: 'A text of it is in the file, and not shown here.',
} as const

function exactText(body: string): HTMLElement | undefined {
  if (body === '{}') return undefined
  const summary = element('summary', {}, 'the fact as it was written')
  return element('details', { class: 'exact' }, summary, element('code', {}, printable(body)))
}

/** `ApprovalRequested` as `Approval requested`. */
function kindText(kind: string): string {
  const words = kind.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return printable(words)
}
