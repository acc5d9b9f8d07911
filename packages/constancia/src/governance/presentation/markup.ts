import type { Words } from './words.js'

/** A text as HTML and SVG hold it. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Words with so many characters at most, cut with an ellipsis. */
export function cutWords(words: Words, lengthMax: number): Words {
  const kept: (string | { readonly name: string })[] = []
  let left = lengthMax
  for (const word of words) {
    const text = typeof word === 'string' ? word : word.name
    const characters = [...text]
    if (characters.length > left) {
      const begin = `${characters.slice(0, Math.max(0, left - 1)).join('')}…`
      return [...kept, typeof word === 'string' ? begin : { name: begin }]
    }
    kept.push(word)
    left -= characters.length
  }
  return kept
}
