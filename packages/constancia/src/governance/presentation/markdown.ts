import type { Block, Page } from './page.js'
import type { PlanStep } from './plan.js'
import type { Words } from './words.js'

/** A page as Markdown. */
export function markdownOf({ title, blocks }: Page): string {
  return [`# ${inline(title)}`, ...blocks.map(blockOf)].join('\n\n').concat('\n')
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${inline(block.words)}`
    case 'text':
      return inline(block.words)
    case 'facts':
      return block.facts.map(([label, words]) => `- ${label}: ${inline(words)}`).join('\n')
    case 'plan':
      return stepLines(block.steps, '').join('\n')
    case 'list':
      return block.items.map((item) => `- ${inline(item)}`).join('\n')
    case 'table':
      return [block.head, block.head.map(() => '---'), ...block.rows.map((row) => row.map(cell))].map(rowOf).join('\n')
  }
}

function stepLines(steps: readonly PlanStep[], indent: string): string[] {
  return steps.flatMap(({ title, details, steps: guarded }, index) => {
    const begin = `${indent}${index + 1}. `
    return [`${begin}**${inline(title)}** ${inline(details)}`, ...stepLines(guarded, ' '.repeat(begin.length))]
  })
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function cell(words: Words): string {
  return inline(words).replaceAll('|', '\\|').replaceAll('\n', '<br>')
}

function inline(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? escaped(word) : code(word.name))).join('')
}

// Words of a contract must not become formatting: they come from whoever wrote it.
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#]/g, '\\$&')
}

function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}
