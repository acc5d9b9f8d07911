import { isOfUse, momentText, printable, type Report, sealText, tokenTexts, witnessTexts } from '../report/index.js'
import { element } from './element.js'
import type { Written } from './form.js'

/** What was verified, and with what. */
export interface Given {
  readonly name: string
  readonly size: number
  readonly written: Written
  readonly digest: string | undefined
}

/** The table of what was verified, with what, and how much of it there is. */
export function factsOf(report: Report, given: Given): HTMLElement {
  const { kind, origin, scope, seal, runs, decisionCount } = report
  const { name, size, written, digest } = given
  const { keys, earlier } = written
  const rows: [string, string | HTMLElement][] = [['File', `${printable(name)}, ${sizeText(size)}`]]
  if (digest !== undefined) rows.push(['SHA-256 of the file', code(digest)])
  if (kind !== undefined)
    rows.push(['Kind', kind === 'receipt' ? 'a receipt, of one event' : 'a bundle, of whole runs'])
  rows.push(['Log', printable(origin)])
  if (scope?.kind === 'interval')
    rows.push([
      'Interval',
      `all runs that began from ${momentText(scope.fromMs)} on and before ${momentText(scope.toMs)}`,
    ])
  if (seal !== undefined) rows.push(['Sealed', sealText(seal)], ['Root of the log', code(seal.root)])
  const lines = (texts: readonly string[]) =>
    element('span', {}, ...texts.map((text) => element('span', { class: 'line' }, text)))
  const [witnessed, dated] = [witnessTexts(report), tokenTexts(report)]
  if (witnessed.length > 0) rows.push(['Witnessed', lines(witnessed)])
  if (dated.length > 0) rows.push(['Dated', lines(dated)])
  if (kind === 'bundle' && isOfUse(report))
    rows.push(['Verified anew', `${counted(runs.length, 'run')}, ${counted(decisionCount, 'decision')}`])
  rows.push([
    keys.length === 1 ? 'Key that you trust' : 'Keys that you trust',
    element('span', {}, ...keys.map((key) => code(printable(key)))),
  ])
  const kept = earlier?.split('\n')[1]
  rows.push(['Earlier checkpoint', kept === undefined ? 'none was given' : `of ${printable(kept)} leaves`])
  return element(
    'dl',
    { class: 'facts' },
    ...rows.map(([label, value]) => element('div', {}, element('dt', {}, label), element('dd', {}, value))),
  )
}

function code(text: string): HTMLElement {
  return element('code', {}, text)
}

/** A count with its noun: `1 run`, `1,000 runs`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : `${noun}s`}`
}

/** A size of a file as people read it: `812 bytes`, `24.1 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return counted(bytes, 'byte')
  const [divisor, unit] = bytes < 1_048_576 ? [1_024, 'KiB'] : [1_048_576, 'MiB']
  return `${(bytes / divisor).toFixed(1)} ${unit}`
}
