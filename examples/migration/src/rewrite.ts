/**
 * What the scripted model knows: four habits of old JavaScript and what took their place. It is careful rather than
 * clever: where it is not sure that a line means the same afterwards, it leaves the line alone.
 *
 * - `var` at the outermost level becomes `const`, or `let` where it is assigned again
 * - `Object.prototype.hasOwnProperty.call(o, k)` becomes `Object.hasOwn(o, k)`
 * - `void 0` becomes `undefined`
 * - `require('fs')` and `from 'fs'` become `node:fs`
 */
import { builtinModules } from 'node:module'
import type { Edit } from './flow.js'

interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** The lines of a source file that should change, in their order. Asking again gives the same answer. */
export function rewrite(text: string): Edit[] {
  const code = blank(text)
  const replacements = [...outermostVars(text, code), ...ownProperties(code), ...voids(code), ...builtins(text, code)]
  return editsOf(text, replacements)
}

// Strings, comments and regular expressions are blanked out, so that nothing in them is taken for code. A slash begins a
// regular expression where no value can stand before it.
const notCode =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:[=(,:[!&|?{};+]|return)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//g

function blank(text: string): string {
  return text.replaceAll(notCode, (found) => found.replaceAll(/[^\n]/g, ' '))
}

function voids(code: string): Replacement[] {
  return all(code, /(?<![.\w$])void 0(?![.\w])/g, 'undefined')
}

function ownProperties(code: string): Replacement[] {
  return all(code, /(?<![.\w$])Object\.prototype\.hasOwnProperty\.call(?=\()/g, 'Object.hasOwn')
}

function all(code: string, pattern: RegExp, by: string): Replacement[] {
  return [...code.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length, by }))
}

const builtin = builtinModules.filter((name) => !name.startsWith('_') && !name.includes(':')).join('|')
const builtinImport = new RegExp(`(?<=(?<![.\\w$])(?:require\\(|from |import )["'])(?=(?:${builtin})["'])`, 'g')

function builtins(text: string, code: string): Replacement[] {
  // The name is in a string, so it is looked for in the text; that it is no comment is seen before the string.
  const found = [...text.matchAll(builtinImport)].filter(({ index }) => /[\w(]\s?$/.test(code.slice(0, index - 1)))
  return found.map(({ index }) => ({ start: index, end: index, by: 'node:' }))
}

function outermostVars(text: string, code: string): Replacement[] {
  const found = [...code.matchAll(/^(?<before>export )?var (?<name>[A-Za-z_$][\w$]*)(?= =|;)/gm)]
  return found.flatMap(({ index, groups }) => {
    const { before = '', name = '' } = groups ?? {}
    const start = index + before.length
    const keyword = keywordFor(code, { name, at: start + 'var '.length, text })
    return keyword === undefined ? [] : [{ start, end: start + 'var'.length, by: keyword }]
  })
}

/** `const`, `let`, or undefined where the declaration must stay what it is. */
function keywordFor(code: string, at: { name: string; at: number; text: string }): 'const' | 'let' | undefined {
  const name = at.name.replaceAll('$', '\\$')
  const word = `(?<![.\\w$])${name}(?![\\w$])`
  // Used in a line before, `let` would not be there yet. (Templates hold code too, hence the text with its strings.)
  if (new RegExp(word).test(at.text.slice(0, at.at))) return undefined
  const declared = [...code.matchAll(new RegExp(`\\b(?:var|let|const|function\\*?|class)\\s+${name}(?![\\w$])`, 'g'))]
  if (declared.length !== 1 || !standsAlone(code, at.at + at.name.length)) return undefined
  const rest = code.slice(at.at + at.name.length)
  if (rest.startsWith(';')) return 'let'
  const assigned = new RegExp(`${word}\\s*(?:\\+\\+|--|(?:[-+*/%&|^?<>]{1,3})?=(?![=>]))|(?:\\+\\+|--)${word}`)
  const unpacked = new RegExp(`(?:[[{,:(]|\\.\\.\\.)\\s*${word}\\s*(?:[,\\]}][^;]*=(?![=>])| (?:of|in) )`)
  return assigned.test(rest) || unpacked.test(rest) ? 'let' : 'const'
}

/** Whether the declaration ends in a semicolon without declaring a second name. */
function standsAlone(code: string, from: number): boolean {
  let depth = 0
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] ?? ''
    if ('([{'.includes(char)) depth += 1
    if (')]}'.includes(char)) depth -= 1
    if (depth < 0 || (depth === 0 && char === ',')) return false
    if (depth === 0 && char === ';') return true
    if (depth === 0 && char === '\n' && /[\w)\]}"'`]/.test(code.slice(from, at).trimEnd().slice(-1))) {
      return /^\s*(?:var|let|const|function|class|exports|module|export|import)\b/.test(code.slice(at))
    }
  }
  return false
}

function editsOf(text: string, replacements: readonly Replacement[]): Edit[] {
  const edits: Edit[] = []
  let start = 0
  for (const [index, before] of text.split('\n').entries()) {
    const end = start + before.length
    const inLine = replacements.filter((replacement) => replacement.start >= start && replacement.start <= end)
    if (inLine.length > 0) edits.push({ line: index + 1, before, after: replaceIn(before, start, inLine) })
    start = end + 1
  }
  return edits
}

function replaceIn(line: string, lineStart: number, replacements: readonly Replacement[]): string {
  const fromTheEnd = [...replacements].sort((a, b) => b.start - a.start)
  return fromTheEnd.reduce(
    (changed, { start, end, by }) => changed.slice(0, start - lineStart) + by + changed.slice(end - lineStart),
    line,
  )
}

/** A file's text with the edits made. Throws if a line is not what the model saw. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  for (const { line, before, after } of edits) {
    if (lines[line - 1] !== before) throw new Error(`Line ${line} has changed since the model saw it.`)
    lines[line - 1] = after
  }
  return lines.join('\n')
}
