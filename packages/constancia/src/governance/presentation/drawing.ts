import { cutWords, escaped } from './markup.js'
import type { PlanStep } from './plan.js'
import { plainText, type Words } from './words.js'

const width = 704
const rowHeight = 58
const railLeft = 26
const indent = 34
const endGap = 34
// What a character takes, on average, of the two sizes of letters.
const titleLetter = 7.6
const detailLetter = 6.9

interface Row {
  readonly step: PlanStep
  readonly depth: number
  readonly y: number
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The steps of a flow as an SVG picture that stands by itself in a page; its colours are classes of the page. */
export function drawingOf(label: string, steps: readonly PlanStep[]): string {
  const rows = rowsOf(steps, 0, endGap)
  const endY = endGap + rows.length * rowHeight + 8
  const height = endY + 22
  const start: Point = { x: railLeft, y: 14 }
  const end: Point = { x: railLeft, y: endY }
  return [
    `<svg class="plan" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(spoken(label, steps))}">`,
    ...rails(steps, rows, [start, end]),
    `<circle class="edge" cx="${start.x}" cy="${start.y}" r="5"/>`,
    ...rows.map(rowMarkup),
    ...(isStop(steps.at(-1))
      ? []
      : [
          `<circle class="edge" cx="${end.x}" cy="${end.y}" r="5"/><circle class="core" cx="${end.x}" cy="${end.y}" r="2.5"/>`,
        ]),
    '</svg>',
  ].join('\n')
}

function rowsOf(steps: readonly PlanStep[], depth: number, fromY: number): Row[] {
  const rows: Row[] = []
  for (const step of steps) {
    const y = fromY + rows.length * rowHeight + rowHeight / 2
    rows.push({ step, depth, y })
    rows.push(...rowsOf(step.steps, depth + 1, fromY + rows.length * rowHeight))
  }
  return rows
}

// The line of each sequence, and beside it those of the steps that a condition guards.
function rails(steps: readonly PlanStep[], rows: readonly Row[], [from, to]: readonly [Point, Point]): string[] {
  const yOf = (step: PlanStep): number => rows.find((row) => row.step === step)?.y ?? from.y
  const last = steps.at(-1)
  const endY = isStop(last) && last !== undefined ? yOf(last) : to.y
  const lines = [`<path class="rail" d="M${from.x} ${from.y}V${endY}"/>`]
  for (const step of steps) {
    const [first] = step.steps
    const final = step.steps.at(-1)
    if (first === undefined || final === undefined) continue
    const [x, aside] = [from.x, from.x + indent]
    const [y, firstY] = [yOf(step), yOf(first)]
    const bottomY = yOf(rows.findLast((row) => contains(step, row.step))?.step ?? final)
    const backY = bottomY + rowHeight / 2
    lines.push(`<path class="rail" d="M${x} ${y}C${x} ${y + 26} ${aside} ${firstY - 30} ${aside} ${firstY}"/>`)
    lines.push(
      ...rails(step.steps, rows, [
        { x: aside, y: firstY },
        { x: aside, y: bottomY },
      ]),
    )
    if (isStop(final)) continue
    lines.push(
      `<path class="rail" d="M${aside} ${bottomY}C${aside} ${bottomY + 20} ${x} ${backY - 12} ${x} ${backY + 6}"/>`,
    )
  }
  return lines
}

function contains(step: PlanStep, other: PlanStep): boolean {
  return step.steps.some((child) => child === other || contains(child, other))
}

function isStop(step: PlanStep | undefined): boolean {
  return step?.kind === 'stop'
}

function rowMarkup({ step, depth, y }: Row): string {
  const x = railLeft + depth * indent
  const left = x + 26
  const room = width - left - 8
  const title = cutWords(step.title, Math.floor(room / titleLetter))
  const details = cutWords(step.details, Math.floor(room / detailLetter))
  return [
    `<g class="${step.kind}"><title>${escaped(`${plainText(step.title)} ${plainText(step.details)}`)}</title>`,
    `<g transform="translate(${x} ${y})">${glyphs[step.kind]}</g>`,
    `<text class="title" x="${left}" y="${y - 3}">${spans(title)}</text>`,
    `<text class="detail" x="${left}" y="${y + 15}">${spans(details)}</text></g>`,
  ].join('')
}

function spans(words: Words): string {
  return words
    .map((word) => (typeof word === 'string' ? escaped(word) : `<tspan class="name">${escaped(word.name)}</tspan>`))
    .join('')
}

const glyphs: Readonly<Record<PlanStep['kind'], string>> = {
  act: '<rect class="glyph" x="-13" y="-13" width="26" height="26" rx="7"/><path class="mark" d="M-2 -7L5 0L-2 7M-6 0H4"/>',
  approve:
    '<circle class="glyph" r="14"/><circle class="mark full" cy="-4" r="3.4"/><path class="mark full" d="M-6.5 7a6.5 5.5 0 0 1 13 0z"/>',
  model:
    '<rect class="glyph" x="-10" y="-10" width="20" height="20" rx="3" transform="rotate(45)"/><path class="mark" d="M-5 0H5M0 -5V5"/>',
  say: '<path class="glyph" d="M-13 -11h26v18h-15l-6 6v-6h-5z"/><path class="mark" d="M-7 -5H7M-7 1H3"/>',
  wait: '<circle class="glyph" r="13"/><path class="mark" d="M0 -7V0L5 3"/>',
  when: '<rect class="glyph" x="-9" y="-9" width="18" height="18" rx="2" transform="rotate(45)"/><path class="mark" d="M-3 -3a3 3 0 1 1 4 3q-1 .5 -1 2M0 5v.5"/>',
  stop: '<circle class="glyph" r="13"/><rect class="mark full" x="-4.5" y="-4.5" width="9" height="9" rx="1"/>',
}

// Whoever cannot see the picture is read the same.
function spoken(label: string, steps: readonly PlanStep[]): string {
  return `Steps of ${label}: ${spokenSteps(steps)}`
}

function spokenSteps(steps: readonly PlanStep[]): string {
  const told = steps.map(({ title, details, steps: guarded }) => {
    const inner = guarded.length === 0 ? '' : ` (${spokenSteps(guarded)})`
    return `${plainText(title)} ${plainText(details)}${inner}`
  })
  return told.join('; ')
}
