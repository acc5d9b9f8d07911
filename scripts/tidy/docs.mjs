/** Every exported name says what it is for. */
import { violation } from './source.mjs'

/** Finds exported declarations of published sources without a docstring directly before them. */
export function checkDocs(sources) {
  return sources.filter(({ area }) => area === 'src').flatMap(checkSource)
}

function checkSource(source) {
  const locals = new Map()
  for (const node of source.program.body)
    for (const name of namesOf(node)) if (!locals.has(name)) locals.set(name, node)
  const documented = new Set()
  return source.program.body.flatMap((node) =>
    exportedBy(node, locals).flatMap(({ name, declaration }) => {
      if (documented.has(name)) return []
      documented.add(name)
      return hasDocstring(source, declaration) ? [] : [violation(source, node.start, problemOf(name))]
    }),
  )
}

/** The names that a statement exports and the statements that declare them; re-exports of other files are theirs. */
function exportedBy(node, locals) {
  if (node.type !== 'ExportNamedDeclaration' || node.source) return []
  if (node.declaration) return namesOf(node.declaration).map((name) => ({ name, declaration: node }))
  return node.specifiers
    .map(({ local, exported }) => ({ name: exported.name, declaration: locals.get(local.name) }))
    .filter(({ declaration }) => declaration !== undefined)
}

function namesOf(node) {
  if (node.type === 'VariableDeclaration') return node.declarations.flatMap(({ id }) => (id.name ? [id.name] : []))
  return node.id?.name ? [node.id.name] : []
}

/** A docstring stands directly before a declaration; a line for the linter may stand between. */
function hasDocstring({ comments, text }, node) {
  const before = comments.filter(({ end }) => end <= node.start)
  const last = before.findLast(({ type }) => type === 'Block')
  if (last === undefined || !/^\*[\s*]*\S/.test(last.value)) return false
  return (
    text
      .slice(last.end, node.start)
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .trim() === ''
  )
}

function problemOf(name) {
  return {
    what: `exports '${name}' without a docstring`,
    why: 'Who uses it should not have to read it.',
    fix: 'Say directly before it, in /** … */, what it does, its units, what is durable when it returns, and its faults.',
  }
}
