import { drawingOf } from './drawing.js'
import { escaped } from './markup.js'
import type { Block, Page } from './page.js'
import { style } from './style.js'
import { plainText, type Words } from './words.js'

/** A page as one HTML file that needs nothing else: no script, no font, no network. */
export function htmlOf({ title, blocks }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(plainText(title))}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${inline(title)}</h1>
${blocks.map(blockOf).join('\n')}
</main>
</body>
</html>
`
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.words)}</h${block.level}>`
    case 'text':
      return `<p>${inline(block.words)}</p>`
    case 'facts':
      return `<dl>\n${block.facts.map(([label, words]) => `<dt>${escaped(label)}</dt><dd>${inline(words)}</dd>`).join('\n')}\n</dl>`
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const head = block.head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('')
      const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`)
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
    }
    case 'plan':
      return `<figure>\n${drawingOf(block.label, block.steps)}\n</figure>`
  }
}

function inline(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? escaped(word) : `<code>${escaped(word.name)}</code>`)).join('')
}
