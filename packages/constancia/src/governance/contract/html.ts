import type { Block, Page } from './page.js'
import type { Words } from './words.js'

/** A page as one HTML file that needs nothing else: no script, no font, no network. */
export function htmlOf({ title, blocks }: Page): string {
  const plain = title.map((word) => (typeof word === 'string' ? word : word.name)).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(plain)}</title>
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

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; font-size: .85rem; opacity: .75; }
code { font: .9em ui-monospace, monospace; background: var(--soft); border-radius: .25rem; padding: .05rem .3rem; overflow-wrap: anywhere; }
li { margin: .2rem 0; }
@media print { main { max-width: none; padding: 0; } }
`

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.words)}</h${block.level}>`
    case 'text':
      return `<p>${inline(block.words)}</p>`
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const head = block.head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('')
      const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`)
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
    }
  }
}

function inline(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? escaped(word) : `<code>${escaped(word.name)}</code>`)).join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
